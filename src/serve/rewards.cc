#include "serve/rewards.h"

#include <algorithm>
#include <fmt/format.h>

#include "lean/toolchain.h"
#include "serve/http/json_fields.h"
#include "serve/snippet_text.h"
#include "syntax/declarations.h"

namespace zermelo::serve {

using nlohmann::json;

namespace {

bool HasHole(const std::string& text) {
  return std::ranges::any_of(syntax::FindDeclarations(text),
                             [](const auto& declaration) { return !declaration.holes.empty(); });
}

}  // namespace

namespace openrlhf {

namespace {

constexpr double kSeconds = 60;

std::string StatementOf(const std::string& label, const std::string& prompt, size_t index) {
  if (!label.empty()) return label;
  std::string code = ExtractLean(prompt);
  if (HasHole(code)) return code;
  throw BadRequest(kInvalid,
                   fmt::format("labels[{}]: no statement; send Lean code with a `sorry` as the "
                               "label or in a code block of the prompt",
                               index));
}

}  // namespace

Batch Parse(const json& body) {
  ArrayField(body, "query");
  const auto queries = StringsField(body, "query");
  auto prompts = StringsField(body, "prompts");
  auto labels = StringsField(body, "labels");
  for (auto* list : {&prompts, &labels}) {
    if (list->empty()) list->resize(queries.size());
    if (list->size() != queries.size()) {
      throw BadRequest(kInvalid, "query, prompts and labels must have the same length");
    }
  }
  Batch batch;
  batch.limit = SecondsField(body, "timeout", kSeconds);
  for (size_t i = 0; i < queries.size(); ++i) {
    Sample sample;
    sample.statement = StatementOf(labels[i], prompts[i], i);
    sample.candidate = Assemble(sample.statement, CodeOfAnswer(queries[i], prompts[i]));
    batch.samples.push_back(std::move(sample));
  }
  return batch;
}

json Answer(const std::vector<Judgement>& judgements, const std::string& lean_version,
            bool allow_programs) {
  json answer;
  answer["lean"] = {{"version", lean_version}, {"warnings", lean::KnownProblems(lean_version)}};
  json& logs = answer["extra_logs"];
  for (const Judgement& judgement : judgements) {
    const engine::Outcome outcome = OutcomeOf(judgement.outcome);
    json reward;  // null: not judged
    if (WasJudged(outcome)) reward = outcome == engine::Outcome::kAccepted ? 1.0 : 0.0;
    answer["rewards"].push_back(reward);
    answer["scores"].push_back(reward);
    answer["outcomes"].push_back(Name(outcome));
    answer["verdicts"].push_back(Name(judgement.outcome));
    answer["reasons"].push_back(judgement.reasons);
    answer["kernels"].push_back(engine::KernelsJson(judgement.kernels));
    if (allow_programs) answer["runs_programs"].push_back(judgement.runs_programs);
    logs["lean_seconds"].push_back(judgement.seconds);
    logs["timeout"].push_back(judgement.outcome == VerificationStatus::kTimeout ? 1.0 : 0.0);
  }
  return answer;
}

}  // namespace openrlhf

namespace nemo_gym {

namespace {

constexpr double kSeconds = 30;
constexpr uint64_t kOutputCharacters = 1000;
// The file name in NeMo Gym's own sandbox; its client looks for this path in messages.
constexpr const char* kFile = "/lean4/my_project/proof.lean";

/// At most `max` characters, counted in code points.
std::string Cut(const std::string& text, size_t max) {
  size_t at = 0;
  for (size_t n = 0; n < max && at < text.size(); ++n) at += core::DecodeUtf8(text, at).length;
  return text.substr(0, at);
}

/// Messages as `lean` prints them, with sorries and errors first since the end may be cut off.
std::string Printed(const Verification& verification) {
  std::string first;
  std::string rest;
  for (const OpenSorry& sorry : verification.sorries) {
    first += fmt::format("{}:{}:{}: warning: declaration uses 'sorry'\n", kFile,
                         sorry.begin.line + 1, sorry.begin.column);
  }
  for (const Message& m : verification.messages) {
    const bool error = m.severity == lean::Severity::kError;
    const char* kind = error                                    ? " error:"
                       : m.severity == lean::Severity::kWarning ? " warning:"
                                                                : "";
    (error ? first : rest) +=
        fmt::format("{}:{}:{}:{} {}\n", kFile, m.begin.line + 1, m.begin.column, kind, m.text);
  }
  return first + rest;
}

}  // namespace

Execution Parse(const json& body) {
  Execution execution;
  execution.snippet.text = StringField(body, "generated_code", "");
  const std::string language = StringField(body, "language", "", "lean4");
  if (language != "lean4") {
    throw BadRequest(kInvalid, "language: must be lean4, not " + language);
  }
  execution.snippet.limit = SecondsField(body, "timeout", kSeconds);
  execution.max_output_characters = CountField(body, "max_output_characters", kOutputCharacters);
  return execution;
}

json Answer(const Execution& execution, const Verification& verification) {
  json answer;
  answer["stdout"] = Cut(Printed(verification), execution.max_output_characters);
  answer["stderr"] = verification.error;
  switch (verification.outcome) {
    case VerificationStatus::kAccepted:
      answer["process_status"] = "completed";
      break;
    case VerificationStatus::kSorry: {
      // Lean succeeds on a `sorry`, so only the output shows it.
      const bool shown =
          answer["stdout"].get_ref<const std::string&>().find("'sorry'") != std::string::npos;
      answer["process_status"] = shown ? "completed" : "failed";
      break;
    }
    case VerificationStatus::kRejected:
      answer["process_status"] = "failed";
      break;
    case VerificationStatus::kTimeout:
      answer["process_status"] = "timeout";
      answer["stderr"] = fmt::format("Execution timed out after {} seconds\n",
                                     core::Seconds(execution.snippet.limit));
      break;
    default:
      answer["process_status"] = "error";
  }
  return answer;
}

}  // namespace nemo_gym

}  // namespace zermelo::serve
