#include "strategy/whole_proof/whole_proof.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <set>

#include "core/text.h"
#include "lean/lexer.h"
#include "llm/correction.h"

namespace zermelo::strategy {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::Task;

namespace {

/// The same for proofs that differ in blanks and comments only.
std::string Fingerprint(std::string_view tactics) {
  std::string fingerprint;
  for (const lean::Token& token : lean::LexCode(tactics)) {
    fingerprint += lean::TextOf(tactics, token);
    fingerprint += token.first_on_line ? '\n' : ' ';
  }
  return fingerprint;
}

/// The declaration as Lean saw it and what it found wrong there, as a correction turn tells it.
std::string ErrorsOf(const lean::SiteDocument& document,
                     const std::vector<lean::Diagnostic>& diagnostics) {
  const core::LineIndex lines(document.text);
  const size_t begin = lines.LineBegin(document.declaration_first_line);
  const size_t end = lines.LineEnd(document.declaration_last_line);
  const std::string_view code = std::string_view(document.text).substr(begin, end - begin);
  const core::LineIndex code_lines(code);
  const auto place = [&](lean::Position position) {
    const size_t at = std::clamp(OffsetOf(lines, position), begin, end);
    return code_lines.ToCodePoints(at - begin);
  };
  std::vector<llm::CodeError> errors;
  for (const auto& d : diagnostics) {
    if (d.severity != lean::Severity::kError || !document.InDeclaration(d)) continue;
    errors.push_back({.begin = place(d.begin), .end = place(d.end), .message = d.message});
  }
  return llm::MarkErrors(code, errors);
}

class Sampling {
 public:
  Sampling(lean::Checker& checker, policy::CompletionPolicy& policy, const Problem& problem,
           const WholeProofParameters& parameters, Limits limits, core::Executor executor)
      : checker_(checker),
        policy_(policy),
        problem_(problem),
        parameters_(parameters),
        limits_(std::move(limits)),
        executor_(std::move(executor)) {}

  Task<Result<WholeProofOutcome>> Run() {
    const uint64_t checks_before = checker_.checks();
    std::optional<core::Cancellation::Subscription> subscription;
    if (limits_.cancellation != nullptr) {
      subscription.emplace(*limits_.cancellation, [this] { no_more_.Request(); });
    }
    core::TaskGroup lanes(executor_);
    const size_t count = std::min(parameters_.calls, parameters_.samples);
    for (size_t i = 0; i < count; ++i) lanes.Spawn(Lane());
    co_await lanes.Join();
    if (error_ && !outcome_.proof) co_return core::Fail(*error_);
    outcome_.checks = checker_.checks() - checks_before;
    if (!outcome_.proof) {
      outcome_.reason = limits_.stop()    ? "stopped"
                        : limits_.Ended() ? "time"
                        : spent_          ? "budget"
                                          : "exhausted";
    }
    co_return outcome_;
  }

 private:
  bool Done() const { return (outcome_.proof && !parameters_.all) || limits_.Ended(); }

  /// An error or a spent budget ends the asking; what has been answered is still judged.
  bool MayAsk() const { return !Done() && !error_ && !spent_; }

  /// How many more may be asked for, at most `wanted`; they are then counted.
  size_t Take(size_t wanted) {
    const size_t taken = std::min(wanted, parameters_.samples - asked_);
    asked_ += taken;
    return taken;
  }

  Task<void> Lane() {
    while (MayAsk()) {
      const size_t n = Take(parameters_.per_call);
      if (n == 0) co_return;
      co_await Ask(problem_.context.theorem, n);
    }
  }

  Task<void> Ask(llm::PromptInput input, size_t n) {
    llm::CallContext call;
    call.deadline = limits_.deadline;
    call.cancellation = &no_more_;
    auto samples = co_await policy_.Complete(input, n, std::move(call));
    if (!samples) co_return Failed(samples.error());
    outcome_.spending += samples->spending;
    for (policy::Sample& sample : samples->samples) {
      if (Done()) co_return;
      co_await Judge(input, std::move(sample));
    }
  }

  void Failed(const core::Error& error) {
    if (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kTimeout) {
      spent_ = spent_ || (!no_more_.requested() && !limits_.Ended());
    } else if (!error_) {
      error_ = error;
    }
  }

  Task<void> Judge(llm::PromptInput input, policy::Sample sample) {
    ++outcome_.samples;
    if (!sample.proof || sample.proof->has_sorry || !sample.proof->auxiliary.empty()) {
      ++outcome_.unusable;
      co_return;
    }
    const std::string& tactics = sample.proof->tactics;
    limits_.trying(tactics);
    if (!tried_.insert(Fingerprint(tactics)).second) co_return;
    const lean::SiteDocument document = problem_.site.ForConfirmation(tactics);
    lean::CheckRequest request;
    request.text = document.text;
    request.deadline =
        limits_.deadline.Earlier(Deadline::After(core::FromSeconds(parameters_.check_seconds)));
    request.cancellation = &no_more_;
    const auto checked = co_await checker_.Check(std::move(request));
    if (!checked) {
      if (checked.error().code == ErrorCode::kEnvironment) Failed(checked.error());
      co_return;  // too slow, or it kills Lean: not a proof
    }
    const bool refused = std::ranges::any_of(checked->diagnostics, [&](const auto& d) {
      return d.severity == lean::Severity::kError && document.InDeclaration(d);
    });
    if (!refused) co_return Proved(sample);
    if (input.failed.size() >= parameters_.corrections || !MayAsk()) co_return;
    if (Take(1) == 0) co_return;
    llm::FailedAttempt attempt;
    attempt.reply = std::move(sample.reply);
    attempt.errors = ErrorsOf(document, checked->diagnostics);
    input.failed.push_back(std::move(attempt));
    co_await Ask(std::move(input), 1);
  }

  void Proved(const policy::Sample& sample) {
    policy_.Succeeded(sample.origin);
    outcome_.proofs.push_back(sample.proof->tactics);
    if (outcome_.proof) return;
    outcome_.proof = sample.proof->tactics;
    if (!parameters_.all) no_more_.Request();
  }

  lean::Checker& checker_;
  policy::CompletionPolicy& policy_;
  const Problem& problem_;
  const WholeProofParameters parameters_;
  const Limits limits_;
  const core::Executor executor_;

  size_t asked_ = 0;
  bool spent_ = false;           // the budget of the models
  std::set<std::string> tried_;  // fingerprints
  core::Cancellation no_more_;   // of what is in flight
  WholeProofOutcome outcome_;
  std::optional<core::Error> error_;
};

}  // namespace

Task<Result<WholeProofOutcome>> WholeProof(lean::Checker& checker, policy::CompletionPolicy& policy,
                                           const Problem& problem,
                                           const WholeProofParameters& parameters, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Sampling sampling(checker, policy, problem, parameters, std::move(limits), executor);
  co_return co_await sampling.Run();
}

}  // namespace zermelo::strategy
