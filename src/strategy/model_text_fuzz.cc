// libFuzzer target: any model reply, to an agent or as a sketch, is either read into self-contained
// declarations or rejected with a message.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "strategy/agent/tool_call.h"
#include "strategy/proof/submission.h"
#include "strategy/sketch/plan.h"
#include "syntax/declarations.h"
#include "syntax/negation.h"

namespace zermelo::strategy {
namespace {

/// A declaration after the text is still recognised.
void StandsAlone(const std::string& text) {
  const auto alone = syntax::FindDeclarations(text);
  const auto found = syntax::FindDeclarations(text + "\n\ntheorem two : 2 = 2 := rfl\n");
  if (found.size() != alone.size() + 1 || found.back().name != "two") std::abort();
}

void Read(std::string_view text) {
  const auto submission = ReadSubmission(text, "import A\nopen Nat\n");
  if (submission) {
    for (const Declared& declared : submission->declared) StandsAlone(declared.Text());
  }
  syntax::Theorem theorem = syntax::TheoremOf("theorem main (n : Nat) : n = n");
  const auto plan =
      sketch::ReadPlan(text, "open Nat\n", TargetOf(theorem), {}, LemmaStore({"taken"}));
  if (plan) StandsAlone(plan->code);
  sketch::ReadRubric(text);
  sketch::ReadOpinion(text);
  const auto negation = syntax::NegationOf(text, "neg", text);
  if (negation && negation->find("theorem neg") == std::string::npos) std::abort();
  llm::Completion completion;
  completion.text = text;
  llm::ToolCall call;
  call.name = "verify_lean";
  call.arguments = text;
  if (text.size() % 2 == 0) completion.tool_calls.push_back(call);
  const auto calls = agent::ReadCalls(completion, {agent::kVerify, agent::kPython}, 0);
  agent::AssistantMessage(completion, calls);
  for (const agent::ToolCall& read : calls) {
    if (read.error.empty() == read.argument.empty()) std::abort();
  }
}

}  // namespace
}  // namespace zermelo::strategy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  zermelo::strategy::Read(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
