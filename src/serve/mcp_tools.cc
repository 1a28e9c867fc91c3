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
                fmt::format("Time limit for Lean, in seconds (default {:g})", otherwise));
}

/// Adds the properties of every tool about a text.
json WithSource(json properties) {
  properties["file"] =
      Property("string", "Path of a Lean file, absolute or relative to the server's folder");
  properties["text"] = Property("string", "Lean code including its imports, instead of a file");
  properties["project"] = Property(
      "string", "Folder of the text; it can import from the Lake project that contains the folder");
  return properties;
}

/// Adds the properties that select a sorry.
json WithHole(json properties) {
  properties["theorem"] = Property("string", "Name of the theorem with the sorry");
  properties["line"] = Number("integer", 1, 10'000'000, "Line of the sorry, counted from 1");
  return properties;
}

json WithBudget(json properties) {
  properties["seconds"] =
      Number("number", 0.1, kMaxJobSeconds, "Time for each sorry, in seconds (default 60)");
  properties["models"] =
      Strings(0, 16, "Language models to use, by their names in the server's zermelo.toml");
  properties["samples"] = Number("integer", 1, 1'000'000'000, "Maximum number of generations");
  properties["tokens"] = Number("integer", 1, 1'000'000'000'000, "Maximum number of tokens");
  properties["dollars"] = Number("number", 0, 1'000'000, "Maximum cost in dollars");
  properties["strategy"] =
      Property("string", "Proof strategy: auto, whole_proof, rmaxts, sg_mdp, …");
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

json JobProperties() {
  return {
      {"job", Property("string", "Job handle returned by prove_start")},
      {"wait_seconds", Number("number", 0, kMaxWait,
                              "Maximum time to wait for the job to end, in seconds (default 0)")}};
}

json CheckTool() {
  return Tool(
      "check", "Check Lean code",
      "Elaborates a Lean file or text and returns all messages, the sorries with their goals, and "
      "a verdict: accepted, sorry or rejected. Status partial: time ran out at the named theorem; "
      "the results before it are complete.",
      WithSource({{"timeout_seconds", Timeout(120)}}), {}, true);
}

json GoalsTool() {
  return Tool(
      "goals", "Goals at a position",
      "Returns the tactic state at a line and column or, without a column, before and after the "
      "line. An empty list means that no goals are left; a position outside a tactic proof has "
      "status failed.",
      WithSource(
          {{"line", Number("integer", 1, 10'000'000, "Line, counted from 1")},
           {"column", Number("integer", 1, 10'000'000, "Column, counted from 1 in characters")},
           {"timeout_seconds", Timeout(120)}}),
      {"line"}, true);
}

json TryTool() {
  return Tool(
      "try_proofs", "Try proofs",
      "Tries several proofs at once in place of a sorry (or of the proof of the named theorem) "
      "without changing the file. Each proof is a tactic block or `by …`. Each attempt is "
      "accepted, open (with the remaining goals), failed (with messages), timed_out or crashed. "
      "accepted means that Lean, including its kernel, accepts the proof; verdict is stricter.",
      WithSource(WithHole(
          {{"proofs", Strings(1, kMaxProofs, "Proofs to try")}, {"timeout_seconds", Timeout(30)}})),
      {"proofs"}, true);
}

json VerdictTool() {
  return Tool(
      "verdict", "Verify proofs",
      "Decides whether a text proves what it claims: fresh processes compile it, and the compiled "
      "result is judged. Returns the axioms that each theorem depends on. With an original (the "
      "text with the sorries), it also verifies that the statements are the same. Rely on this "
      "tool, not on check, before you call anything proved.",
      WithSource({{"original_file", Property("string", "File with the sorries")},
                  {"original_text", Property("string", "Text with the sorries, instead of a file")},
                  {"timeout_seconds", Timeout(300)}}),
      {}, true);
}

json PremiseTool() {
  return Tool(
      "premise_search", "Search premises",
      "Searches the project's library for theorems and definitions by words, an informal "
      "description, or a goal (formal: true). Best matches come first.",
      {{"query", Property("string", "Words, a sentence, or a goal or type in Lean")},
       {"formal", Property("boolean", "Whether the query is a goal or type in Lean")},
       {"limit", Number("integer", 1, kMaxPremises, "Maximum number of results (default 10)")},
       {"file", Property("string", "Lean file; only what its imports reach is returned")},
       {"project", Property("string", "Folder of the project whose library is searched")},
       {"timeout_seconds", Timeout(30)}},
      {"query"}, true);
}

json StartTool() {
  return Tool(
      "prove_start", "Start proving",
      "Starts a job that searches for proofs of the sorries in a file or text, or of one of them, "
      "within a budget, and returns its handle at once. The file is not changed. Pass the handle "
      "to prove_status, prove_result or prove_cancel.",
      WithSource(WithHole(WithBudget(json::object()))), {}, false);
}

json StatusTool() {
  return Tool("prove_status", "Status of a job",
              "Returns the state of a job: queued, running, finished, failed or cancelled.",
              JobProperties(), {"job"}, true);
}

json ResultTool() {
  return Tool(
      "prove_result", "Result of a job",
      "Returns the verified proofs of a job, sorry by sorry, and the text with them. Status "
      "ok: all sorries are proved; partial: some are, or the job is still running; failed "
      "or timed_out: none.",
      JobProperties(), {"job"}, true);
}

json CancelTool() {
  return Tool("prove_cancel", "Cancel a job", "Cancels a job.",
              {{"job", Property("string", "Job handle returned by prove_start")}}, {"job"}, false);
}

json DisproveTool() {
  return Tool("disprove", "Disprove a theorem",
              "Searches for a proof that a theorem is false as stated, that is, of its negation. "
              "Status ok: it is false, with a verified proof; failed or timed_out: it may be true "
              "or false.",
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
  return "Zermelo proves Lean 4 theorems. Every answer has a status: ok, partial (reason says what "
         "is missing), failed (reason says why) or timed_out (the result is unknown). Answers "
         "about a text have its version (sha256). Work in this order: check; goals at a sorry; "
         "premise_search; try_proofs with several ideas at once; prove_start for the remaining "
         "sorries; disprove for theorems that look false; and verdict before you call anything "
         "proved. No tool changes files. Lines and columns count from 1.";
}

Task<ToolAnswer> ServerTools::Call(std::string name, json arguments, Cancellation& cancellation) {
  size_t index = 0;
  while (index < list_.size() && list_[index].at("name") != name) ++index;
  const std::string wrong = WhyNotOfSchema(arguments, list_.at(index).at("inputSchema"));
  if (!wrong.empty()) co_return Refused(wrong);
  if (running_ >= options_.calls) {
    co_return Refused(fmt::format("{} calls are already running", running_),
                      "wait for one to end, then try again");
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
