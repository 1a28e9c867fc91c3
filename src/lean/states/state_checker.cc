#include "lean/states/state_checker.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "lean/probe.h"
#include "lean/states/state_protocol.h"

namespace zermelo::lean {

using core::Result;
using core::Task;

namespace {

constexpr std::string_view kBy = "by";
constexpr std::string_view kBlanks = " \t\r\n";

/// A request as a run from the state of its hole, and the run's result as an answer to it.
class ProofRun {
 public:
  /// `request` must name tactics and outlive this object.
  explicit ProofRun(const CheckRequest& request)
      : request_(request),
        text_(request.text),
        tactics_(*request.tactics),
        lines_(text_),
        begin_(syntax::PositionAt(lines_, tactics_.begin)) {}

  /// Whether a run can answer the request: the tactics are what is left of the text, and all that
  /// is asked about them is errors and goals.
  bool possible() const {
    if (request_.goals_at_sorries || request_.references) return false;
    if (std::holds_alternative<InParts>(request_.extent)) return false;
    if (tactics_.begin >= tactics_.end || tactics_.end > text_.size()) return false;
    if (text_.find_first_not_of(kBlanks, tactics_.end) != std::string_view::npos) return false;
    return core::ReplaceInvalidUtf8(request_.text) == request_.text &&
           std::ranges::all_of(request_.goals_at, [this](syntax::Position at) {
             const size_t byte = OffsetOf(lines_, at);
             return byte >= tactics_.begin && byte < tactics_.end;
           });
  }

  StateQuery Query() const {
    StateQuery query;
    query.hole.text = std::string(text_.substr(0, tactics_.begin)) + "sorry\n";
    query.hole.byte = tactics_.begin;
    query.tactics = std::string(Indent(), ' ');
    query.tactics += text_.substr(tactics_.begin, tactics_.end - tactics_.begin);
    query.tactics += '\n';
    for (const syntax::Position at : request_.goals_at) {
      query.goals_at.push_back(OffsetOf(lines_, at) - tactics_.begin + Indent());
    }
    if (request_.limit) query.limit = *request_.limit;
    query.deadline = request_.deadline;
    query.cancellation = request_.cancellation;
    query.stop_at_error = std::holds_alternative<UpToFirstError>(request_.extent);
    return query;
  }

  /// nullopt if a worker has to decide.
  std::optional<CheckResult> Answer(const StateRun& run) const {
    if (run.steps.empty() || run.cut() || run.steps.back().aborted || !run.syntax_errors.empty()) {
      return std::nullopt;
    }
    CheckResult result;
    for (const TacticStep& step : run.steps) {
      for (const Diagnostic& message : step.messages) {
        result.diagnostics.push_back(InDocument(message));
      }
    }
    const bool is_refused = HasErrors(result.diagnostics);
    const bool is_left = run.steps.back().state && !run.goals.empty();
    if (!is_refused && !is_left) return std::nullopt;
    if (is_refused && std::holds_alternative<UpToFirstError>(request_.extent)) {
      result.stopped_at_error = true;
      return result;
    }
    if (is_left) {
      auto error = UnsolvedError(run.goals);
      if (!error) return std::nullopt;
      result.diagnostics.insert(result.diagnostics.begin(), *std::move(error));
    }
    for (const auto& goals : run.goals_at) {
      if (!goals && !is_refused) return std::nullopt;
      result.goals.push_back(goals.value_or(std::vector<std::string>()));
      result.in_proof.push_back(goals.has_value());
    }
    result.goals.resize(request_.goals_at.size());
    result.in_proof.resize(request_.goals_at.size());
    return result;
  }

 private:
  /// The column of the first tactic: the run is laid out as the document.
  size_t Indent() const { return begin_.character; }

  Diagnostic InDocument(Diagnostic message) const {
    message.begin.line += begin_.line;
    message.end.line += begin_.line;
    return message;
  }

  /// Lean reports goals that are left at the `by` of a block; nullopt if the tactics do not begin
  /// one.
  std::optional<Diagnostic> UnsolvedError(const std::vector<std::string>& goals) const {
    const size_t last = text_.find_last_not_of(kBlanks, tactics_.begin - 1);
    if (tactics_.begin == 0 || last == std::string_view::npos || last < kBy.size()) {
      return std::nullopt;
    }
    const size_t by = last + 1 - kBy.size();
    const bool is_word = kBlanks.find(text_[by - 1]) != std::string_view::npos;
    if (!is_word || text_.substr(by, kBy.size()) != kBy) return std::nullopt;
    return Diagnostic{.severity = Severity::kError,
                      .begin = syntax::PositionAt(lines_, by),
                      .end = syntax::PositionAt(lines_, tactics_.end),
                      .message = UnsolvedMessage(goals)};
  }

  const CheckRequest& request_;
  const std::string_view text_;
  const syntax::TextRange tactics_;
  const core::LineIndex lines_;
  const syntax::Position begin_;
};

}  // namespace

Task<Result<CheckResult>> StateChecker::Check(CheckRequest request) {
  if (request.tactics) {
    const ProofRun proof(request);
    if (proof.possible()) {
      const auto began = core::Clock::now();
      // Errors: of the states; the worker has its own.
      const auto run = co_await states_.RunNow(proof.Query());
      if (run && *run && (*run)->cut() && request.limit) {
        co_return core::Fail(core::ErrorCode::kTimeout, "Lean did not finish in time");
      }
      auto answer = run && *run ? proof.Answer(**run) : std::nullopt;
      if (answer) {
        ++refused_;
        answer->seconds = core::Seconds(core::Clock::now() - began);
        co_return *std::move(answer);
      }
    }
  }
  co_return co_await workers_.Check(std::move(request));
}

}  // namespace zermelo::lean
