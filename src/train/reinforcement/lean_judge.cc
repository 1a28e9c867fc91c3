#include "train/reinforcement/lean_judge.h"

#include "train/reinforcement/run_until_done.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using serve::VerificationStatus;

namespace {

serve::VerifierOptions Options(size_t workers) {
  serve::VerifierOptions options;
  options.workers = workers;
  options.queue = SIZE_MAX / 2;
  options.max_wait = std::chrono::hours(24);  // a step's answers wait for each other
  return options;
}

std::optional<bool> VerdictOf(VerificationStatus status) {
  switch (status) {
    case VerificationStatus::kAccepted:
      return true;
    case VerificationStatus::kSorry:
    case VerificationStatus::kRejected:
    case VerificationStatus::kTimeout:
      return false;
    default:
      return std::nullopt;
  }
}

}  // namespace

LeanJudge::LeanJudge(boost::asio::io_context& io, lean::Toolchain toolchain, size_t workers,
                     double check_seconds)
    : io_(io),
      limit_(std::chrono::milliseconds(static_cast<int64_t>(check_seconds * 1000))),
      verifier_(std::make_unique<serve::Verifier>(io.get_executor(), std::move(toolchain),
                                                  Options(workers))) {}

LeanJudge::~LeanJudge() {
  verifier_->Close();
  io_.restart();
  io_.run_for(std::chrono::seconds(10));  // until the Leans have ended
}

core::Status LeanJudge::Start() { return RunUntilDone(io_, verifier_->WarmUp()); }

Result<std::vector<std::optional<bool>>> LeanJudge::operator()(const std::vector<Answer>& answers) {
  std::vector<serve::Judgement> judgements(answers.size());
  core::Cancellation never;
  const auto judge = [&](size_t i) -> Task<void> {
    judgements[i] = co_await verifier_->Judge(answers[i].problem->statement,
                                              CandidateOf(answers[i]), limit_, never);
  };
  const auto all = [&]() -> Task<bool> {
    core::TaskGroup group(io_.get_executor());
    for (size_t i = 0; i < answers.size(); ++i) group.Spawn(judge(i));
    co_await group.Join();
    co_return true;
  };
  RunUntilDone(io_, all());
  std::vector<std::optional<bool>> verdicts;
  for (size_t i = 0; i < answers.size(); ++i) {
    const serve::Judgement& judgement = judgements[i];
    const std::string reason = judgement.reasons.empty() ? "" : judgement.reasons.front();
    if (judgement.outcome == VerificationStatus::kNoLean)
      return Fail(ErrorCode::kEnvironment, reason);
    if (judgement.outcome == VerificationStatus::kInvalidStatement) {
      return Fail(ErrorCode::kInput, "a problem cannot be judged: " + reason,
                  "its statement is:\n" + answers[i].problem->statement);
    }
    verdicts.push_back(VerdictOf(judgement.outcome));
  }
  return verdicts;
}

}  // namespace zermelo::train
