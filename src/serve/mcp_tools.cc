#include "serve/mcp_tools.h"

#include <fmt/format.h>

#include "serve/json_fields.h"
#include "serve/schema_check.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::Task;
using nlohmann::json;

namespace {

constexpr int kMaxJobSeconds = 86'400;
constexpr int kMaxWait = 300;
constexpr int kMaxProofs = 64;
constexpr int kMaxPremises = 100;

json Property(const char* type, const char* description) {
  return {{"type", type}, {"description", description}};
}

json Number(const char* type, json minimum, json maximum, const std::string& description) {
  return {{"type", type},
          {"minimum", std::move(minimum)},
          {"maximum", std::move(maximum)},
          {"description", description}};
}

json Strings(size_t least, size_t most, const char* description) {
  return {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"minItems", least},
          {"maxItems", most},
          {"description", description}};
}

json Timeout(double otherwise) {
  return Number("number", 0.1, kMaxSeconds,
                fmt::format("for Lean, in seconds (default {:g})", otherwise));
}

/// What every tool about a text takes.
json WithSource(json properties) {
  properties["file"] =
      Property("string", "path of a Lean file: absolute, or from the server's folder");
  properties["text"] = Property("string", "Lean code, with its imports, instead of a file");
  properties["project"] =
      Property("string", "folder that the text stands in, whose Lake project it may import from");
  return properties;
}

/// Which sorry is meant.
json WithHole(json properties) {
  properties["theorem"] = Property("string", "name of the theorem with the sorry");
  properties["line"] = Number("integer", 1, 10'000'000, "line of the sorry, from 1");
  return properties;
}

json WithBudget(json properties) {
  properties["seconds"] =
      Number("number", 0.1, kMaxJobSeconds, "time for each sorry, in seconds (default 60)");
  properties["models"] = Strings(0, 16, "language models of the server's zermelo.toml to ask, too");
  properties["samples"] = Number("integer", 1, 1'000'000'000, "at most so many generations");
  properties["tokens"] = Number("integer", 1, 1'000'000'000'000, "at most so many tokens");
  properties["dollars"] = Number("number", 0, 1'000'000, "at most so much money");
  properties["strategy"] =
      Property("string", "how to search: auto, whole_proof, rmaxts, sg_mdp, …");
  return properties;
}

json Tool(const char* name, const char* title, const char* description, json properties,
          const std::vector<std::string>& required, bool reads_only) {
  json input{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) input["required"] = required;
  json output{{"type", "object"},
              {"properties",
               {{"status",
                 {{"type", "string"},
                  {"enum", {status::kOk, status::kPartial, status::kFailed, status::kTimedOut}}}}}},
              {"required", {"status"}}};
  return {{"name", name},
          {"title", title},
          {"description", description},
          {"inputSchema", std::move(input)},
          {"outputSchema", std::move(output)},
          {"annotations",
           {{"readOnlyHint", reads_only}, {"destructiveHint", false}, {"openWorldHint", false}}}};
}

json JobProperties(const char* wait) {
  return {{"job", Property("string", "the handle that prove_start gave")},
          {"wait_seconds", Number("number", 0, kMaxWait, wait)}};
}

json CheckTool() {
  return Tool(
      "check", "Check Lean code",
      "Elaborates a Lean file or text and returns all messages, the sorrys with their goals, "
      "and a verdict: accepted, sorry or rejected. partial: time ran out at a theorem that is "
      "named; what stands before it is complete.",
      WithSource({{"timeout_seconds", Timeout(120)}}), {}, true);
}

json GoalsTool() {
  return Tool(
      "goals", "Goals at a position",
      "The tactic state at a line and column (both from 1), or, without a column, before and "
      "after the line. No goals left is an empty list; a place outside of a proof is an error.",
      WithSource({{"line", Number("integer", 1, 10'000'000, "from 1")},
                  {"column", Number("integer", 1, 10'000'000, "from 1, in characters")},
                  {"timeout_seconds", Timeout(120)}}),
      {"line"}, true);
}

json TryTool() {
  return Tool(
      "try_proofs", "Try proofs",
      "Tries several proofs at once in the place of a sorry (or of the proof of the theorem "
      "that is named) without changing the file. Each is a tactic block or `by …`. Each "
      "attempt is accepted, open (with the goals left), failed (with messages), timed_out or "
      "crashed. accepted is Lean's word, kernel included; verdict says more.",
      WithSource(WithHole(
          {{"proofs", Strings(1, kMaxProofs, "the proofs")}, {"timeout_seconds", Timeout(30)}})),
      {"proofs"}, true);
}

json VerdictTool() {
  return Tool(
      "verdict", "Verdict of trust",
      "Whether a text proves what it claims: compiled by fresh processes and judged by what "
      "was compiled, with the axioms that each theorem rests on. With an original (the text "
      "with the sorrys) also that the statements are the same. Believe this, not check, "
      "before you call anything proved.",
      WithSource({{"original_file", Property("string", "the file with the sorrys")},
                  {"original_text", Property("string", "the same as text")},
                  {"timeout_seconds", Timeout(300)}}),
      {}, true);
}

json PremiseTool() {
  return Tool(
      "premise_search", "Search premises",
      "Theorems and definitions of the project's library by words, an informal description, "
      "or a goal (formal: true), the best first.",
      {{"query", Property("string", "words, a sentence, or Lean")},
       {"formal", Property("boolean", "the query is a goal or a type in Lean")},
       {"limit", Number("integer", 1, kMaxPremises, "how many (default 10)")},
       {"file", Property("string", "only what this file's imports reach")},
       {"project", Property("string", "folder of the project whose library is searched")},
       {"timeout_seconds", Timeout(30)}},
      {"query"}, true);
}

json StartTool() {
  return Tool(
      "prove_start", "Start proving",
      "Starts to look for proofs of the sorrys of a file or text, or of one of them, within a "
      "budget, and returns a job at once. The file is not changed. Ask prove_status and "
      "prove_result with the job; prove_cancel ends it.",
      WithSource(WithHole(WithBudget(json::object()))), {}, false);
}

json StatusTool() {
  return Tool("prove_status", "Look at a job",
              "What a job is doing: queued, running, finished, failed or cancelled.",
              JobProperties("wait so long for its end, at most (default 0)"), {"job"}, true);
}

json ResultTool() {
  return Tool("prove_result", "Result of a job",
              "The verified proofs of a job, sorry by sorry, and the text with them. ok: all are "
              "proved; partial: some, or it is still under way; failed and timed_out: none.",
              JobProperties("wait so long for its end, at most (default 0)"), {"job"}, true);
}

json CancelTool() {
  return Tool("prove_cancel", "Cancel a job", "Ends a job.",
              {{"job", Property("string", "the handle that prove_start gave")}}, {"job"}, false);
}

json DisproveTool() {
  return Tool("disprove", "Disprove a theorem",
              "Looks for a proof that a theorem is false as it stands: of its negation. ok: it is "
              "false, and here is the verified proof. failed, timed_out: it may be true or false.",
              WithSource(WithHole(WithBudget(json::object()))), {}, true);
}

}  // namespace

ServerTools::ServerTools(LeanTools& lean, Jobs& jobs, ServerToolsOptions options)
    : options_(options) {
  const auto of_lean = [&lean](auto method) {
    return [&lean, method](json a, Cancellation& c) { return (lean.*method)(std::move(a), c); };
  };
  const auto of_jobs = [&jobs](auto method) {
    return [&jobs, method](json a, Cancellation& c) { return (jobs.*method)(std::move(a), c); };
  };
  Add(CheckTool(), of_lean(&LeanTools::Check));
  Add(GoalsTool(), of_lean(&LeanTools::Goals));
  Add(TryTool(), of_lean(&LeanTools::TryProofs));
  Add(PremiseTool(), of_lean(&LeanTools::SearchPremises));
  Add(StartTool(), of_jobs(&Jobs::Start));
  Add(StatusTool(), of_jobs(&Jobs::Status));
  Add(ResultTool(), of_jobs(&Jobs::Result));
  Add(CancelTool(), of_jobs(&Jobs::Cancel));
  Add(DisproveTool(), of_jobs(&Jobs::Disprove));
  Add(VerdictTool(), of_lean(&LeanTools::Verdict));
}

void ServerTools::Add(json definition, Answer answer) {
  list_.push_back(std::move(definition));
  answers_.push_back(std::move(answer));
}

std::string ServerTools::Instructions() const {
  return "Zermelo proves Lean 4 theorems. Every answer has a status: ok, partial (some of it), "
         "failed "
         "(reason says why) or timed_out (not known), and the version (sha256) of the text that it "
         "is "
         "about. Work in this order: check; goals at a sorry; premise_search; try_proofs with "
         "several "
         "ideas at once; prove_start for what is left; disprove what looks false; and verdict "
         "before "
         "you call anything proved. No tool changes files. Lines and columns count from 1.";
}

Task<ToolAnswer> ServerTools::Call(std::string name, json arguments, Cancellation& cancellation) {
  size_t index = 0;
  while (index < list_.size() && list_[index].at("name") != name) ++index;
  const std::string wrong = WhyNotOfSchema(arguments, list_.at(index).at("inputSchema"));
  if (!wrong.empty()) co_return Refused(wrong);
  if (running_ >= options_.calls) {
    co_return Refused(fmt::format("{} calls are under way already", running_),
                      "wait for one to end, and ask again");
  }
  ++running_;
  ToolAnswer answer;
  try {
    answer = co_await answers_[index](std::move(arguments), cancellation);
  } catch (const BadRequest& bad) {
    answer = Refused(bad.what());
  } catch (...) {
    --running_;
    throw;
  }
  --running_;
  co_return answer;
}

}  // namespace zermelo::serve::mcp
