#include "core/process/limited_run.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace zermelo::core {

namespace {

constexpr auto kMemoryPeriod = std::chrono::milliseconds(50);
constexpr auto kLastOutput = std::chrono::seconds(5);  // after the end

class LimitedProcess {
 public:
  LimitedProcess(Executor executor, std::unique_ptr<Subprocess> process, const RunLimits& limits)
      : executor_(std::move(executor)),
        process_(std::move(process)),
        limits_(limits),
        over_(executor_) {}

  Task<LimitedRun> Run(std::string_view input, Cancellation* cancellation) {
    const Cancellation::Subscription stop(cancellation, [this] { process_->Kill(); });
    const DeadlineGuard guard(executor_, Deadline::After(limits_.time), [this] {
      End(fmt::format("it needs more than {:.0f} s", Seconds(limits_.time)));
    });
    std::optional<StandstillGuard> watched;
    if (limits_.standstill) {
      watched.emplace(executor_, *process_, *limits_.standstill, [this] {
        run_.hung = run_.limit.empty() && !is_over_;
        End("it hung (almost no processor time used)");
      });
    }
    TaskGroup tasks(executor_);
    tasks.Spawn(process_->ReadAll(Subprocess::Stream::kOut, run_.out, limits_.output));
    tasks.Spawn(process_->ReadAll(Subprocess::Stream::kErr, run_.err, limits_.output));
    tasks.Spawn(WatchMemory());
    // A program that does not read its input is judged by how it ends.
    if (!input.empty()) co_await process_->Write(input, Deadline::After(limits_.time));
    process_->CloseInput();
    const auto status = co_await process_->Wait(Deadline());
    run_.status = *status;
    is_over_ = true;
    over_.Notify();
    // A process that it started may hold its pipes open.
    const DeadlineGuard late(executor_, Deadline::After(kLastOutput), [this] { process_->Kill(); });
    co_await tasks.Join();
    co_return std::move(run_);
  }

 private:
  void End(std::string why) {
    if (is_over_) return;
    if (run_.limit.empty()) run_.limit = std::move(why);
    process_->Kill();
  }

  Task<void> WatchMemory() {
    while (!is_over_) {
      if (process_->ResidentBytes() > limits_.bytes)
        End(fmt::format("it needs more than {} MB of memory", limits_.bytes >> 20U));
      co_await over_.Wait(Deadline::After(kMemoryPeriod));
    }
  }

  const Executor executor_;
  const std::unique_ptr<Subprocess> process_;
  const RunLimits& limits_;
  Signal over_;
  bool is_over_ = false;
  LimitedRun run_;
};

}  // namespace

Task<Result<LimitedRun>> RunLimited(SubprocessOptions options, std::string_view input,
                                    RunLimits limits, Cancellation* cancellation) {
  const auto executor = co_await boost::asio::this_coro::executor;
  auto started = Subprocess::Start(executor, options);
  if (!started) co_return Fail(started.error());
  LimitedProcess process(executor, std::move(*started), limits);
  co_return co_await process.Run(input, cancellation);
}

}  // namespace zermelo::core
