// The tool-calling agent of Seed-Prover 1.5 (arXiv 2512.17260, sections 3.1 and 4.1).
//
// A trajectory is one conversation: the model thinks, calls tools and reads their answers until
// Lean has accepted the theorem or the trajectory's tokens or calls are used up. Then the model
// summarises what it learned, and the next round starts from that summary: n trajectories of m
// rounds are the paper's Pass@n×m. All of them share the lemmas that Lean has accepted, unless
// `share_lemmas` is off.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "llm/prompt/prompt_template.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// Protocol for tool calls.
enum class ToolProtocol {
  kAuto,    // the server's own tool calls; plain text if the server rejects them
  kNative,  // the server's own tool calls
  kText,    // plain text
};
NLOHMANN_JSON_SERIALIZE_ENUM(ToolProtocol, {{static_cast<ToolProtocol>(-1), nullptr},
                                            {ToolProtocol::kAuto, "auto"},
                                            {ToolProtocol::kNative, "native"},
                                            {ToolProtocol::kText, "text"}})

/// AgentStrategy::Parameters (in agent.cc) says what each means.
struct AgentParameters {
  size_t trajectories = 1;
  size_t rounds = 8;
  bool share_lemmas = true;
  size_t tokens = 65536;
  size_t tool_calls = 28;
  size_t context = 49152;
  size_t keep = 6;
  size_t backtrack_after = 10;
  ToolProtocol protocol = ToolProtocol::kAuto;
  bool informal = false;
  double check_seconds = 60;
  size_t premises = 10;
  double python_seconds = 20;
  size_t python_megabytes = 512;
  size_t answer_bytes = 6000;
  bool operator==(const AgentParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AgentParameters, trajectories, rounds, share_lemmas, tokens,
                                   tool_calls, context, keep, backtrack_after, protocol, informal,
                                   check_seconds, premises, python_seconds, python_megabytes,
                                   answer_bytes)

/// Fails with kUsage if a parameter is out of range.
core::Status Check(const AgentParameters& parameters);

/// Proves or disproves statements with `services.roles->chat(role::kAgent)`, which must not be
/// null. `prompts` are those of prompts/agent. All must outlive the prover and its calls, which may
/// overlap.
StatementProver MakeAgentProver(const Services& services, const AgentParameters& parameters,
                                const llm::PromptTemplates& prompts);

/// Proves the problem's theorem; the lemmas it needs precede it (syntax::Proof::auxiliary).
/// Requires a model for role::kAgent and `context.theorem`. Errors: as Expander::Run; kEnvironment
/// or kUsage if the prompts cannot be read.
core::Task<core::Result<SearchResult>> Agent(const Services& services, const Problem& problem,
                                             const AgentParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
