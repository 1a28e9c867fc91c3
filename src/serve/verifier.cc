#include "serve/verifier.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "serve/snippet_text.h"

namespace zermelo::serve {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::Task;

namespace {

constexpr size_t kPreparedStatements = 4;
constexpr auto kWarmUp = std::chrono::seconds(180);
constexpr int kLongestRetry = 60;

lean::PoolOptions Shared(const VerifierOptions& options) {
  lean::PoolOptions pool;
  pool.workers = options.workers;
  pool.max_total_bytes = options.max_total_bytes;
  pool.spares = options.spares;
  pool.places = options.places;
  pool.on_place = options.on_place;
  pool.worker.max_resident_bytes = options.MostForOneLean();
  return pool;
}

lean::PoolOptions OwnProcess(const VerifierOptions& options) {
  lean::PoolOptions pool;
  pool.workers = std::max<size_t>(1, options.workers / 4);
  pool.max_checks = 1;
  pool.worker.max_resident_bytes = options.MostForOneLean();
  return pool;
}

VerificationStatus StatusOf(const core::Error& error) {
  switch (error.code) {
    case ErrorCode::kTimeout:
      return VerificationStatus::kTimeout;
    case ErrorCode::kCancelled:
      return VerificationStatus::kCancelled;
    case ErrorCode::kEnvironment:
      return VerificationStatus::kNoLean;
    default:
      return VerificationStatus::kCrashed;
  }
}

std::string Trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

/// Converts Lean's result to a Verification.
class Reader {
 public:
  Reader(const std::string& text, const SnippetAudit& audit, bool rules)
      : lines_(text), audit_(audit), rules_(rules) {}

  void Read(const lean::CheckResult& result, Verification& into) const {
    for (const lean::Diagnostic& d : result.diagnostics) {
      into.messages.push_back({.severity = d.severity,
                               .begin = PlaceOf(d.begin),
                               .end = PlaceOf(d.end),
                               .text = Trimmed(d.message)});
    }
    for (const auto& sorry : result.sorries) {
      const Place begin = PlaceOf(sorry.at);
      Place end = begin;
      end.column += std::string_view("sorry").size();
      into.sorries.push_back({begin, end, sorry.goals.empty() ? "" : sorry.goals.front()});
    }
    AddHiddenSorries(result.diagnostics, into);
    for (const auto& finding : audit_.findings) into.messages.push_back(MessageOf(finding));
    std::ranges::stable_sort(into.messages, {}, [](const Message& m) {
      return std::pair(m.begin.line, m.begin.column);
    });
    const bool errors = std::ranges::any_of(
        into.messages, [](const Message& m) { return m.severity == lean::Severity::kError; });
    into.outcome = errors                 ? VerificationStatus::kRejected
                   : into.sorries.empty() ? VerificationStatus::kAccepted
                                          : VerificationStatus::kSorry;
  }

 private:
  Place PlaceOf(syntax::Position position) const {
    return lines_.ToCodePoints(OffsetOf(lines_, position));
  }

  /// Adds sorries for unfinished parts without the word `sorry` in the text (`admit`, macros).
  void AddHiddenSorries(const std::vector<lean::Diagnostic>& diagnostics,
                        Verification& into) const {
    if (!into.sorries.empty()) return;
    for (const auto& d : diagnostics) {
      if (SaysSorry(d)) into.sorries.push_back({PlaceOf(d.begin), PlaceOf(d.end), ""});
    }
    if (!into.sorries.empty()) return;
    for (const size_t line : audit_.unfinished) {
      const Place begin{.line = line, .column = 0};
      into.sorries.push_back({begin, lines_.ToCodePoints(lines_.LineEnd(line)), ""});
    }
  }

  Message MessageOf(const trust::SourceFinding& finding) const {
    Message message;
    message.severity = rules_ ? lean::Severity::kError : lean::Severity::kWarning;
    message.begin.line = finding.line - 1;
    message.end = lines_.ToCodePoints(lines_.LineEnd(finding.line - 1));
    message.text = fmt::format("{} ({})", finding.reason.message, trust::Name(finding.reason.code));
    return message;
  }

  const core::LineIndex lines_;
  const SnippetAudit& audit_;
  const bool rules_;
};

/// Why a check did not accept the text: its error, or the first error message.
std::string RejectionReason(const Verification& verification) {
  if (!verification.error.empty()) return verification.error;
  for (const Message& m : verification.messages) {
    if (m.severity != lean::Severity::kError) continue;
    return fmt::format("line {}: {}", m.begin.line + 1, m.text);
  }
  return "it contains `sorry`";
}

Judgement Refused(VerificationStatus outcome, std::string reason) {
  Judgement judgement;
  judgement.outcome = outcome;
  judgement.reasons.push_back(std::move(reason));
  return judgement;
}

std::vector<std::string> ReasonsOf(const engine::AcceptanceReport& report) {
  std::vector<std::string> reasons;
  const auto add = [&](const std::string& about, const std::vector<trust::Reason>& found) {
    for (const auto& reason : found) {
      reasons.push_back(fmt::format("{}{} ({})", about, reason.message, trust::Name(reason.code)));
    }
  };
  add("", report.reasons);
  for (const auto& target : report.targets) add(target.name + ": ", target.reasons);
  if (reasons.empty()) reasons.emplace_back("a theorem is not proved");
  return reasons;
}

Judgement JudgementOf(const engine::AcceptanceReport& report) {
  Judgement judgement;
  if (report.targets.empty()) {
    return Refused(VerificationStatus::kInvalidStatement,
                   "the statement has no theorem with a `sorry`");
  }
  judgement.kernels = report.kernels;
  if (report.lost) return Refused(StatusOf(*report.lost), report.lost->message);
  if (!report.accepted) {
    judgement.reasons = ReasonsOf(report);
    return judgement;
  }
  judgement.outcome = VerificationStatus::kAccepted;
  for (const auto& target : report.targets) {
    judgement.axioms.insert(judgement.axioms.end(), target.axioms.begin(), target.axioms.end());
  }
  std::ranges::sort(judgement.axioms);
  const auto repeated = std::ranges::unique(judgement.axioms);
  judgement.axioms.erase(repeated.begin(), repeated.end());
  return judgement;
}

}  // namespace

const char* Name(VerificationStatus outcome) {
  static constexpr std::array<const char*, kOutcomes> kNames = {
      "accepted",  "sorry",     "rejected", "invalid_statement", "timeout", "crashed",
      "cancelled", "no_worker", "no_lean"};
  return kNames[static_cast<size_t>(outcome)];
}

engine::Outcome OutcomeOf(VerificationStatus status) {
  using engine::Outcome;
  static constexpr std::array<Outcome, kOutcomes> kMeaning = {
      Outcome::kAccepted,       Outcome::kOpen,           Outcome::kRejected,
      Outcome::kRejected,       Outcome::kTimedOut,       Outcome::kCrashed,
      Outcome::kInfrastructure, Outcome::kInfrastructure, Outcome::kInfrastructure};
  return kMeaning[static_cast<size_t>(status)];
}

Verifier::Verifier(core::Executor executor, lean::Toolchain toolchain,
                   const VerifierOptions& options)
    : executor_(std::move(executor)),
      options_(options),
      shared_(executor_, toolchain, Shared(options)),
      own_process_(executor_, std::move(toolchain), OwnProcess(options)),
      judging_(executor_, std::max<size_t>(1, options.workers / 2)) {}

std::unique_ptr<Verifier::Ticket> Verifier::Admit(size_t checks) {
  if (accepted_ + checks > options_.queue) return nullptr;
  return std::make_unique<Ticket>(*this, checks);
}

int Verifier::RetryAfter() const {
  const uint64_t done = check_seconds_.count();
  const double each = done == 0 ? 1 : check_seconds_.sum() / static_cast<double>(done);
  const double all = each * static_cast<double>(accepted_) / static_cast<double>(options_.workers);
  return std::clamp(static_cast<int>(std::ceil(std::min(all / 2, 1e6))), 1, kLongestRetry);
}

Task<core::Status> Verifier::WarmUp() {
  std::vector<lean::CheckRequest> requests(options_.workers);
  for (auto& request : requests) {
    request.text = "example : True := trivial\n";
    request.deadline = Deadline::After(kWarmUp);
  }
  core::Status status;
  co_await shared_.CheckBatch(std::move(requests), [&](size_t, Result<lean::CheckResult> result) {
    if (!result) status = core::Fail(result.error());
  });
  co_return status;
}

Task<Verification> Verifier::Elaborate(Snippet snippet, core::Cancellation& cancellation) {
  const SnippetAudit audit = Audit(snippet.text);
  lean::CheckRequest request;
  request.text = snippet.text;
  request.limit = snippet.limit;
  request.deadline = Deadline::After(options_.max_wait + snippet.limit);
  request.cancellation = &cancellation;
  request.goals_at_sorries = true;
  const Deadline patience = request.deadline;
  // Code that runs inside Lean may leave changes behind in its process.
  lean::Pool& pool = snippet.own_process || !audit.findings.empty() ? own_process_ : shared_;
  auto result = co_await pool.Check(std::move(request));

  Verification verification;
  if (result) {
    verification.seconds = result->seconds;
    Reader(snippet.text, audit, snippet.rules).Read(*result, verification);
    if (verification.outcome == VerificationStatus::kAccepted && snippet.rules &&
        audit.defines_syntax) {
      co_await JudgeItself(snippet, cancellation, verification);
    }
    co_return verification;
  }
  verification.outcome = StatusOf(result.error());
  verification.error = result.error().message;
  if (verification.outcome == VerificationStatus::kTimeout && patience.Passed()) {
    verification.outcome = VerificationStatus::kNoWorker;
    verification.error = "no Lean worker was free in time";
  }
  if (verification.outcome == VerificationStatus::kTimeout) {
    verification.seconds = core::Seconds(snippet.limit);
  }
  co_return verification;
}

/// Syntax that a text defines can hide what its theorems depend on; their .olean cannot.
Task<void> Verifier::JudgeItself(const Snippet& snippet, core::Cancellation& cancellation,
                                 Verification& verification) {
  std::string claims = WithoutProofs(snippet.text);
  if (claims == snippet.text) co_return;  // it claims nothing
  const auto judged =
      co_await JudgeOlean(std::move(claims), snippet.text, snippet.limit, false, cancellation);
  verification.seconds += judged.seconds;
  if (judged.outcome == VerificationStatus::kAccepted) co_return;
  if (judged.outcome == VerificationStatus::kRejected ||
      judged.outcome == VerificationStatus::kInvalidStatement) {
    Message message;
    message.text =
        "This text defines syntax, so its compiled theorems were judged: " + judged.reasons.front();
    verification.messages.insert(verification.messages.begin(), std::move(message));
    verification.outcome = VerificationStatus::kRejected;
    co_return;
  }
  verification.outcome = judged.outcome;
  verification.error = judged.reasons.front();
}

Task<Verification> Verifier::Check(Snippet snippet, core::Cancellation& cancellation) {
  auto verification = co_await Elaborate(std::move(snippet), cancellation);
  Count(verification.outcome, verification.seconds);
  co_return verification;
}

std::unique_ptr<engine::Acceptance> Verifier::TakePrepared(const std::string& statement) {
  const auto found = std::ranges::find(prepared_, statement, &Prepared::statement);
  if (found != prepared_.end()) {
    auto acceptance = std::move(found->acceptance);
    prepared_.erase(found);
    return acceptance;
  }
  return std::make_unique<engine::Acceptance>(executor_, shared_.toolchain(), statement);
}

Task<Judgement> Verifier::JudgeOlean(std::string statement, std::string candidate,
                                     core::Duration limit, bool allow_programs,
                                     core::Cancellation& cancellation) {
  const auto pass = co_await judging_.Enter(Deadline::After(options_.max_wait), &cancellation);
  if (!pass) {
    const bool left = cancellation.requested();
    co_return Refused(left ? VerificationStatus::kCancelled : VerificationStatus::kNoWorker,
                      left ? "the check was cancelled" : "no Lean worker was free in time");
  }
  auto acceptance = TakePrepared(statement);
  engine::AcceptanceOptions limits;
  limits.kernel = options_.kernel;
  limits.only_judges = allow_programs;
  limits.allow_programs = allow_programs;
  limits.deadline = Deadline::After(limit);
  limits.cancellation = &cancellation;
  limits.max_resident_bytes = options_.MostForOneLean();
  const auto began = core::Clock::now();
  const auto report =
      co_await acceptance->Judge(std::move(candidate), std::nullopt, std::move(limits));
  const double seconds = core::Seconds(core::Clock::now() - began);
  Judgement judgement;
  if (report) {
    judgement = JudgementOf(*report);
    judgement.runs_programs = report->runs_programs;
    Prepared kept;
    kept.statement = std::move(statement);
    kept.acceptance = std::move(acceptance);
    prepared_.push_front(std::move(kept));
    if (prepared_.size() > kPreparedStatements) prepared_.pop_back();
  } else {
    const bool bad_statement = report.error().code == ErrorCode::kInput;
    judgement =
        Refused(bad_statement ? VerificationStatus::kInvalidStatement : StatusOf(report.error()),
                report.error().message);
  }
  judgement.seconds = seconds;
  co_return judgement;
}

Task<Judgement> Verifier::Judge(std::string statement, std::string candidate, core::Duration limit,
                                core::Cancellation& cancellation) {
  // Most candidates are wrong, and a worker rejects them faster than two fresh processes.
  Snippet snippet;
  snippet.text = candidate;
  snippet.limit = limit;
  snippet.rules = false;  // the statement may contain what the rules forbid
  const auto quick = co_await Elaborate(std::move(snippet), cancellation);
  Judgement judgement;
  if (quick.outcome == VerificationStatus::kAccepted) {
    judgement = co_await JudgeOlean(std::move(statement), std::move(candidate), limit,
                                    options_.allow_programs, cancellation);
  } else {
    judgement = Refused(quick.outcome, RejectionReason(quick));
  }
  judgement.seconds += quick.seconds;
  Count(judgement.outcome, judgement.seconds);
  co_return judgement;
}

void Verifier::Count(VerificationStatus outcome, double seconds) {
  ++checks_[static_cast<size_t>(outcome)];
  if (seconds > 0) check_seconds_.Add(seconds);
}

void Verifier::Close() {
  shared_.Close();
  own_process_.Close();
}

}  // namespace zermelo::serve
