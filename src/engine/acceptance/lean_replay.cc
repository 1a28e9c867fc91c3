#include "engine/acceptance/lean_replay.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "lean/replay/replay.h"

namespace zermelo::engine {

using core::Fail;
using core::Result;
using core::Task;
using trust::Decision;
using trust::KernelVerdict;

namespace {

constexpr const char* kLeanReplay = "lean-replay";

Decision DecisionOf(lean::ReplayOutcome outcome) {
  switch (outcome) {
    case lean::ReplayOutcome::kAccepted:
      return Decision::kAccepted;
    case lean::ReplayOutcome::kRejected:
      return Decision::kRejected;
    case lean::ReplayOutcome::kDeclined:
      break;
  }
  return Decision::kDeclined;
}

}  // namespace

Task<Result<KernelVerdict>> ReplayInLean(const lean::Toolchain& toolchain,
                                         std::unique_ptr<trust::CandidateExport> candidate,
                                         const OtherKernels& limits,
                                         core::Cancellation* cancellation) {
  if (limits.on_start) limits.on_start(kLeanReplay);
  KernelVerdict verdict;
  verdict.kernel = kLeanReplay;
  verdict.version = toolchain.version;
  std::string exported;
  const auto executor = co_await boost::asio::this_coro::executor;
  co_await core::OnThread(
      executor, [&] { candidate->Write([&](std::string_view line) { exported += line; }); });
  if (exported.empty()) {
    verdict.outcome = Decision::kDeclined;
    verdict.reason = "its constants are not those of any Lean";
    co_return verdict;
  }
  lean::ReplayLimits replay_limits;
  replay_limits.time = limits.time;
  replay_limits.bytes = limits.bytes;
  auto answer = co_await lean::Replay(toolchain, exported, replay_limits, cancellation);
  if (!answer) co_return Fail(answer.error());
  verdict.outcome = DecisionOf(answer->outcome);
  verdict.declaration = std::move(answer->declaration);
  verdict.reason = std::move(answer->reason);
  if (verdict.outcome == Decision::kAccepted && answer->constants != candidate->safe_constants()) {
    verdict.outcome = Decision::kDeclined;
    verdict.reason = fmt::format("it has added {} constants, of {}", answer->constants,
                                 candidate->safe_constants());
  }
  co_return verdict;
}

Task<Result<bool>> ReplayWorks(const lean::Toolchain& toolchain, const OtherKernels& limits,
                               core::Cancellation* cancellation) {
  lean::ReplayLimits replay_limits;
  replay_limits.time = limits.time;
  replay_limits.bytes = limits.bytes;
  const auto answer =
      co_await lean::Replay(toolchain, "{\"imports\":[[\"Init\"]]}\n", replay_limits, cancellation);
  if (!answer) co_return Fail(answer.error());
  co_return answer->outcome == lean::ReplayOutcome::kAccepted;
}

}  // namespace zermelo::engine
