// The tool-calling agent of Seed-Prover 1.5 (arXiv 2512.17260, sections 3.1 and 4.1).
//
// A trajectory is one conversation: the model thinks, calls tools, reads their answers, until Lean
// has accepted the theorem or its tokens or calls are used up. Then the model summarises what it
// learned, and the next round begins with that summary: n trajectories of m rounds are the paper's
// Pass@n×m. All share the lemmas that Lean has accepted.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "llm/prompt_template.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// How tools are called.
enum class ToolProtocol {
  kAuto,    // as the server does it; in plain text once it has refused tools
  kNative,  // as the server does it
  kText,    // in plain text
};
NLOHMANN_JSON_SERIALIZE_ENUM(ToolProtocol, {{static_cast<ToolProtocol>(-1), nullptr},
                                            {ToolProtocol::kAuto, "auto"},
                                            {ToolProtocol::kNative, "native"},
                                            {ToolProtocol::kText, "text"}})

struct AgentParameters {
  size_t trajectories = 1;      // n: at once
  size_t rounds = 8;            // m: one after the other, each from a summary of the last
  size_t tokens = 65536;        // of a trajectory: each token that it reads or writes, once
  size_t tool_calls = 28;       // of a trajectory
  size_t context = 49152;       // tokens that a request may hold; pruned from half of it on
  size_t keep = 6;              // the last exchanges, which are neither pruned nor summarised
  size_t backtrack_after = 10;  // calls refused in a row; 0: never
  ToolProtocol protocol = ToolProtocol::kAuto;
  bool informal = false;          // first a proof in words, by role `informal`
  double check_seconds = 60;      // of Lean, for a call
  size_t premises = 10;           // that a search tells
  double python_seconds = 20;     // for a program
  size_t python_megabytes = 512;  // likewise; 0: programs are not run
  size_t answer_bytes = 6000;     // of a tool's answer; longer ones are cut in the middle
  bool operator==(const AgentParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AgentParameters, trajectories, rounds, tokens, tool_calls,
                                   context, keep, backtrack_after, protocol, informal,
                                   check_seconds, premises, python_seconds, python_megabytes,
                                   answer_bytes)

/// kUsage when a parameter is out of its range.
core::Status Check(const AgentParameters& parameters);

/// Proves or disproves statements with `environment.roles->chat(role::kAgent)`, which must be
/// there. `prompts` are those of prompts/agent. All must outlive the prover and its calls, which
/// may overlap.
StatementProver MakeAgentProver(const Environment& environment, const AgentParameters& parameters,
                                const llm::PromptTemplates& prompts);

/// Proves the problem's theorem; the proof stands after the lemmas that it needs (lean::Proof).
/// Requires a model for role::kAgent and `context.theorem`. Errors: as Expander::Run; kEnvironment,
/// kUsage: the prompts cannot be read.
core::Task<core::Result<Outcome>> Agent(const Environment& environment, const Problem& problem,
                                        const AgentParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
