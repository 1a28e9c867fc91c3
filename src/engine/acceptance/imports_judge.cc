#include "engine/acceptance/imports_judge.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace zermelo::engine {

namespace {

constexpr std::chrono::milliseconds kBetweenReports{100};

/// Sets a flag while it lives, and then wakes those who wait for its end.
class Working {
 public:
  Working(bool& flag, core::Signal& ended) : flag_(flag), ended_(ended) { flag_ = true; }
  ~Working() {
    flag_ = false;
    ended_.Notify();
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  bool& flag_;
  core::Signal& ended_;
};

}  // namespace

ImportsJudge::ImportsJudge(core::Executor executor, OnProgress on_progress)
    : executor_(std::move(executor)), on_progress_(std::move(on_progress)), ended_(executor_) {}

/// For the threads of a check, which call it one at a time.
ImportsJudge::OnProgress ImportsJudge::Posted() const {
  if (!on_progress_) return {};
  const auto last = std::make_shared<core::Clock::time_point>();
  return [last, executor = executor_, show = on_progress_](const char* stage, size_t done,
                                                           size_t count) {
    const auto now = core::Clock::now();
    if (done < count && now - *last < kBetweenReports) return;
    *last = now;
    boost::asio::post(executor, [show, stage, done, count] { show(stage, done, count); });
  };
}

core::Task<core::Result<trust::ImportsVerdict>> ImportsJudge::Judge(
    trust::ImportsRequest request, core::Cancellation* cancellation) {
  while (is_judging_) co_await ended_.Wait(core::Deadline());
  const auto found = judged_.find(request.fingerprint);
  if (found != judged_.end()) co_return found->second;
  const Working working(is_judging_, ended_);
  std::atomic<bool> stop = false;
  const core::Cancellation::Subscription stopping(cancellation, [&stop] { stop = true; });
  request.threads = std::max(1U, std::thread::hardware_concurrency());
  request.stop = &stop;
  request.on_progress = Posted();
  std::optional<core::Result<trust::ImportsVerdict>> ended;
  co_await core::OnThread(executor_, [&] { ended = trust::JudgeImports(request); });
  if (*ended) judged_.emplace(request.fingerprint, **ended);
  co_return *std::move(ended);
}

}  // namespace zermelo::engine
