#include "serve/mcp/lean.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/text.h"
#include "engine/acceptance/file_errors.h"
#include "engine/acceptance/outcome.h"
#include "lean/import_errors.h"
#include "serve/http/json_fields.h"
#include "serve/snippet_text.h"
#include "syntax/file.h"
#include "syntax/goal/goal_json.h"
#include "syntax/lexer.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::Task;
using lean::CheckResult;
using lean::CheckStatus;
using lean::Severity;
using nlohmann::json;

namespace {

constexpr size_t kMaxMessagesOfFile = 100;

/// Lines and columns count from 1, columns in code points, as in editors.
void PutPlace(json& into, const core::LineIndex& lines, size_t offset) {
  const auto place = lines.ToCodePoints(offset);
  into["line"] = place.line + 1;
  into["column"] = place.column + 1;
}

const char* SeverityOf(const lean::Diagnostic& d) {
  return engine::IsMissingLibraryCode(d) ? "note" : Name(d.severity);
}

/// Lean's messages and sorries about a text, as JSON.
class Reading {
 public:
  /// `file`: the source's text.
  Reading(const Source& source, const syntax::File& file, const CheckResult& result)
      : source_(source),
        result_(result),
        lines_(source.text),
        declarations_(file.declarations()),
        audit_(Audit(source.text)) {
    for (const auto& d : result.diagnostics) {
      if (engine::IsMissingLibraryCode(d)) continue;
      errors_ += d.severity == Severity::kError ? 1 : 0;
      warnings_ += d.severity == Severity::kWarning && !SaysSorry(d) ? 1 : 0;
      says_sorry_ |= SaysSorry(d);
    }
  }

  CheckStatus status() const {
    return errors_ > 0 ? CheckStatus::kRejected
           : open()    ? CheckStatus::kSorry
                       : CheckStatus::kAccepted;
  }
  /// The declaration that Lean was elaborating when time ran out.
  size_t stalled_line() const {
    return result_.stalled_part ? declarations_.at(*result_.stalled_part).line : 0;
  }
  std::string stalled_theorem() const {
    return result_.stalled_part ? declarations_.at(*result_.stalled_part).DisplayName() : "";
  }
  void PutInto(json& answer) const {
    json messages = json::array();
    std::vector<const lean::Diagnostic*> sorted;
    for (const auto& d : result_.diagnostics) sorted.push_back(&d);
    std::ranges::stable_sort(sorted, {}, [](const auto* d) { return d->begin; });
    // If not all fit, keep errors first.
    if (sorted.size() > kMaxMessagesOfFile) {
      std::ranges::stable_sort(sorted, {}, [](const auto* d) { return d->severity; });
      answer["messages_left_out"] = sorted.size() - kMaxMessagesOfFile;
      sorted.resize(kMaxMessagesOfFile);
    }
    for (const auto* d : sorted) messages.push_back(MessageOf(*d));
    answer["messages"] = std::move(messages);
    answer["sorries"] = Sorries();
    if (!audit_.findings.empty()) answer["findings"] = Findings();
    answer["summary"] = Summary();
  }

 private:
  bool open() const {
    return says_sorry_ || !result_.sorries.empty() || !audit_.unfinished.empty();
  }

  void PutTheorem(json& into, size_t offset) const {
    const auto* const theorem = syntax::DeclarationAt(declarations_, offset);
    if (theorem != nullptr) into["theorem"] = theorem->DisplayName();
  }

  json MessageOf(const lean::Diagnostic& d) const {
    const size_t begin = OffsetOf(lines_, d.begin);
    json message;
    message["severity"] = SeverityOf(d);
    PutPlace(message, lines_, begin);
    const auto end = lines_.ToCodePoints(OffsetOf(lines_, d.end));
    message["end_line"] = end.line + 1;
    message["end_column"] = end.column + 1;
    PutTheorem(message, begin);
    message["text"] = Cut(d.message);
    const std::string hint = lean::ImportHint(d, source_.toolchain());
    if (!hint.empty()) message["hint"] = hint;
    return message;
  }

  /// The sorries in the text; if there are none, places where Lean reports one (`admit`, macros).
  json Sorries() const {
    json sorries = json::array();
    const auto add = [&](size_t offset, const std::string& goal) {
      json sorry;
      PutPlace(sorry, lines_, offset);
      PutTheorem(sorry, offset);
      if (!goal.empty()) {
        sorry["goal"] = Cut(goal);
        sorry["structured"] = Structured(goal);
      }
      sorries.push_back(std::move(sorry));
    };
    for (const auto& sorry : result_.sorries) {
      if (sorries.size() == kMaxGoals) break;
      add(OffsetOf(lines_, sorry.at), sorry.goals.empty() ? "" : sorry.goals.front());
    }
    if (!sorries.empty()) return sorries;
    for (const auto& d : result_.diagnostics) {
      if (SaysSorry(d)) add(OffsetOf(lines_, d.begin), "");
    }
    if (!sorries.empty()) return sorries;
    for (const size_t line : audit_.unfinished) add(lines_.LineBegin(line), "");
    return sorries;
  }

  json Findings() const {
    json findings = json::array();
    for (const auto& found : audit_.findings) {
      json finding;
      finding["line"] = found.line;
      finding["code"] = trust::Name(found.reason.code);
      finding["text"] = found.reason.message;
      findings.push_back(std::move(finding));
    }
    return findings;
  }

  std::string Summary() const {
    std::string summary = errors_ == 0 ? "no errors" : core::Counted(errors_, "error");
    if (open()) summary += ", something is unproved (sorry)";
    if (warnings_ > 0) summary += ", " + core::Counted(warnings_, "warning");
    if (!audit_.findings.empty()) {
      summary += ", suspicious constructions (see findings)";
    }
    return summary;
  }

  const Source& source_;
  const CheckResult& result_;
  const core::LineIndex lines_;
  const std::vector<syntax::Declaration>& declarations_;
  const SnippetAudit audit_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
  bool says_sorry_ = false;
};

/// The text up to the next declaration, since later text does not affect the goals. A text with
/// `mutual` is returned whole.
std::string UpToNextDeclaration(const std::string& text, size_t offset) {
  const syntax::File file(text);
  for (const syntax::Token& token : file.tokens()) {
    if (syntax::TextOf(text, token) == "mutual") return text;
  }
  for (const auto& declaration : file.declarations()) {
    if (declaration.range.begin > offset) return text.substr(0, declaration.range.begin);
  }
  return text;
}

/// Adds the goals at the `i`-th position, as texts and as parts; null outside of a tactic proof.
void PutGoals(json& content, const std::string& suffix, const CheckResult& result, size_t i) {
  json goals, structured;
  if (result.in_proof[i]) {
    goals = structured = json::array();
    for (const auto& goal : result.goals[i]) {
      if (goals.size() == kMaxGoals) break;
      goals.push_back(Cut(goal));
      structured.push_back(Structured(goal));
    }
  }
  content["goals" + suffix] = std::move(goals);
  content["structured" + suffix] = std::move(structured);
}

/// The goals of a position that an answer has whole; nothing if it has not all of them.
std::optional<syntax::ProofState> WholeState(const CheckResult& result, size_t i) {
  if (!result.in_proof[i] || result.goals[i].size() > kMaxGoals) return std::nullopt;
  syntax::ProofState state;
  for (const auto& goal : result.goals[i]) {
    if (Structured(goal).is_null()) return std::nullopt;
    syntax::ProofState parsed = syntax::ParseProofState(goal);
    state.goals.push_back(std::move(parsed.goals.front()));
  }
  return state;
}

/// Adds what the line changed, if the states before and after it are known.
void PutChange(json& content, const CheckResult& result) {
  const auto before = WholeState(result, 0), after = WholeState(result, 1);
  if (before && after) {
    content["change"] = syntax::ChangeJson(syntax::Compare(*before, *after), *after);
  }
}

}  // namespace

Task<Result<CheckResult>> LeanTools::Ask(const Source& source, lean::CheckRequest request,
                                         core::Duration limit, Cancellation& cancellation,
                                         WorkerUse use) {
  request.limit = limit;
  // Twice the limit, since starting Lean and loading imports may take as long again.
  request.deadline = Deadline::After(options_.max_wait + 2 * limit);
  request.cancellation = &cancellation;
  const Deadline patience = request.deadline;
  auto result = co_await pool_.CheckWith(source.SetupFor(use), std::move(request));
  if (!result && result.error().code == ErrorCode::kTimeout && patience.Passed()) {
    co_return core::Fail(ErrorCode::kTimeout, "no Lean worker was free in time", "try again");
  }
  if (!result && result.error().code == ErrorCode::kTimeout) {
    co_return core::Fail(TooSlow(limit));
  }
  co_return result;
}

Task<ToolAnswer> LeanTools::Check(json arguments, Cancellation& cancellation) {
  const auto source = co_await SourceOf(projects_, arguments);
  if (!source) co_return NoAnswer(source.error());
  lean::CheckRequest request;
  request.text = source->text;
  request.goals_at_sorries = true;
  lean::UntilDeadline parts;
  const core::LineIndex lines(source->text);
  const syntax::File file(source->text);
  for (const auto& declaration : file.declarations()) {
    const auto line = static_cast<uint32_t>(lines.LineOf(declaration.range.begin));
    parts.first_lines.push_back(line);
  }
  request.extent = std::move(parts);
  const core::Duration limit = TimeLimit(arguments, 120);
  const WorkerUse use = WorkerFor(request.text);
  const auto result = co_await Ask(*source, std::move(request), limit, cancellation, use);
  ToolAnswer answer;
  if (!result) {
    answer = NoAnswer(result.error());
    Stamp(answer.content, *source);
    co_return answer;
  }
  const Reading reading(*source, file, *result);
  json& content = answer.content;
  const bool rejected = reading.status() == CheckStatus::kRejected;
  content["status"] = rejected ? status::kFailed : status::kOk;
  content["verdict"] = Name(reading.status());
  content["outcome"] = Name(engine::OutcomeOf(reading.status()));
  reading.PutInto(content);
  if (rejected) content["reason"] = content["summary"];
  if (result->stalled_part) {
    content["status"] = status::kPartial;
    content["verdict"] = "unknown";
    content["outcome"] = Name(engine::Outcome::kTimedOut);
    content["reason"] = fmt::format(
        "time ran out after {:g} s at {} (line {}); the results before it are complete, the rest "
        "was not checked",
        core::Seconds(limit), reading.stalled_theorem(), reading.stalled_line());
  }
  content["seconds"] = result->seconds;
  Stamp(content, *source);
  co_return answer;
}

namespace {

/// Where the goals before a line are: at its first code, or, where a declaration begins there, at
/// the first tactic after its `by`.
size_t FirstTactic(const std::string& text, size_t first, size_t line_end) {
  const auto declarations = syntax::FindDeclarations(text);
  const syntax::Declaration* declaration = syntax::DeclarationAt(declarations, first);
  if (declaration == nullptr || first >= declaration->value.begin) return first;
  const size_t begin = declaration->value.begin;
  const auto line = std::string_view(text).substr(0, std::max(begin, line_end)).substr(begin);
  const auto tokens = syntax::LexCode(line);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (syntax::TextOf(line, tokens[i]) == "by") return begin + tokens[i + 1].begin;
  }
  return first;
}

}  // namespace

Task<ToolAnswer> LeanTools::Goals(json arguments, Cancellation& cancellation) {
  const auto source = co_await SourceOf(projects_, arguments);
  if (!source) co_return NoAnswer(source.error());
  const core::LineIndex lines(source->text);
  const auto line = arguments.at("line").get<size_t>() - 1;
  if (line >= lines.line_count()) {
    co_return Refused(fmt::format("the text has {}", core::Counted(lines.line_count(), "line")));
  }
  std::vector<size_t> offsets;
  const bool exact = arguments.contains("column") && arguments.at("column").is_number();
  if (exact) {
    core::CodePointPosition place;
    place.line = line;
    place.column = arguments.at("column").get<size_t>() - 1;
    offsets.push_back(lines.FromCodePoints(place));
  } else {
    const size_t begin = lines.LineBegin(line);
    const size_t end = lines.LineEnd(line);
    const size_t first = std::min(source->text.find_first_not_of(" \t", begin), end);
    offsets.push_back(FirstTactic(source->text, first, end));
    offsets.push_back(end);
  }
  lean::CheckRequest request;
  request.text = UpToNextDeclaration(source->text, offsets.front());
  for (const size_t offset : offsets) {
    request.goals_at.push_back(syntax::PositionAt(lines, std::min(offset, request.text.size())));
  }
  const core::Duration limit = TimeLimit(arguments, 120);
  const WorkerUse use = WorkerFor(request.text);
  const auto result = co_await Ask(*source, std::move(request), limit, cancellation, use);
  ToolAnswer answer;
  if (!result) {
    answer = NoAnswer(result.error());
    Stamp(answer.content, *source);
    co_return answer;
  }
  json& content = answer.content;
  const syntax::File file(source->text);
  const Reading reading(*source, file, *result);
  json all;
  reading.PutInto(all);
  json errors = json::array();
  for (json& message : all["messages"]) {
    if (message.at("severity") == "error") errors.push_back(std::move(message));
  }
  const bool here = std::ranges::find(result->in_proof, true) != result->in_proof.end();
  content["status"] = here ? status::kOk : status::kFailed;
  if (exact && here) {
    PutGoals(content, "", *result, 0);
  } else if (here) {
    PutGoals(content, "_before", *result, 0);
    PutGoals(content, "_after", *result, 1);
    PutChange(content, *result);
  }
  if (here) {
    const bool done = result->in_proof.back() && result->goals.back().empty();
    content["summary"] = done ? "no goals are left there" : "there is a tactic state";
    if (done && !errors.empty()) {  // Lean abandons a proof at its first error
      content["status"] = status::kPartial;
      content["reason"] = "Lean shows no goals there, but possibly because of the errors";
    }
  } else {
    content["reason"] = errors.empty()
                            ? "Lean has no tactic state there: it is not in a tactic proof"
                            : "Lean has no tactic state there, possibly because of the errors";
  }
  if (!errors.empty()) content["errors"] = std::move(errors);
  content["seconds"] = result->seconds;
  Stamp(content, *source);
  co_return answer;
}

Task<ToolAnswer> LeanTools::SearchPremises(json arguments, Cancellation& /*cancellation*/) {
  retrieve::PremiseQuery query;
  query.text = arguments.at("query").get<std::string>();
  query.formal = BoolField(arguments, "formal", false);
  query.limit = static_cast<size_t>(CountField(arguments, "limit", 10));
  json about;
  about["project"] = arguments.value("project", json());
  about["file"] = arguments.value("file", json());
  about["text"] = about["file"].is_null() ? json("") : json();
  const auto source = co_await SourceOf(projects_, about);
  if (!source) co_return NoAnswer(source.error());
  if (!options_.premises) co_return Refused("this server has no premise search");
  const auto retriever = options_.premises(*source->project);
  if (!retriever) co_return NoAnswer(retriever.error());
  if (!source->file.empty()) {
    query.imports = syntax::ModulesToSearch(source->text);
  }
  const auto found =
      co_await (*retriever)->Search(std::move(query), Deadline::After(TimeLimit(arguments, 30)));
  if (!found) co_return NoAnswer(found.error());
  ToolAnswer answer;
  json premises = json::array();
  for (const auto& premise : *found) {
    json entry = premise;
    entry["signature"] = Cut(premise.signature);
    entry["docstring"] = Cut(premise.docstring);
    if (premise.docstring.empty()) entry.erase("docstring");
    premises.push_back(std::move(entry));
  }
  answer.content["status"] = premises.empty() ? status::kFailed : status::kOk;
  if (premises.empty()) answer.content["reason"] = "nothing in the index matches the query";
  answer.content["premises"] = std::move(premises);
  if (!source->file.empty()) answer.content["version"] = source->Version();
  co_return answer;
}

}  // namespace zermelo::serve::mcp
