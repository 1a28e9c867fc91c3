// N workers behind one queue.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

struct PoolOptions {
  size_t workers = 2;
  WorkerOptions worker;
  uint64_t max_resident_bytes = 8ULL << 30U;  // a worker above this is replaced after its check
  uint64_t max_checks = 20'000;               // likewise
  core::Duration max_age = std::chrono::hours(4);     // likewise
  core::Duration fairness = std::chrono::seconds(2);  // who waits longer goes first,
  // but not before those who go on with what a worker has, for so long: where all wait long, by
  // age alone it would start anew for each.
  core::Duration turn = std::chrono::seconds(10);
};

struct PoolStats {
  uint64_t checks = 0;  // answered, with whatever answer
  uint64_t timeouts = 0;
  uint64_t crashes = 0;       // workers that died under a check
  uint64_t started = 0;       // workers started, the first ones included
  uint64_t text_bytes = 0;    // of the documents that were checked
  uint64_t reused_bytes = 0;  // of those, what a worker had elaborated before
};

/// Checks documents on the worker whose last document shares the longest prefix with them (Lean
/// reuses it); where none has the same imports, on the one that has been idle longest. A worker
/// that dies is replaced and its check retried once on a fresh one. All calls on the executor's
/// thread; the pool must outlive its checks.
class Pool : public Checker {
 public:
  Pool(core::Executor executor, Toolchain toolchain, PoolOptions options);
  ~Pool() override;

  /// A cancelled check leaves its worker free for others.
  core::Task<core::Result<CheckResult>> Check(CheckRequest request) override;

  /// Kills the workers. Checks that run or wait end with kCancelled, and so do later ones.
  void Close();

  const Toolchain& toolchain() const { return toolchain_; }
  size_t size() const override { return slots_.size(); }
  uint64_t checks() const override { return stats_.checks; }
  const PoolStats& stats() const { return stats_; }
  size_t busy() const;  // workers with a check
  size_t waiting() const { return waiters_.size(); }
  /// The process ids of the running workers.
  std::vector<int> pids() const;

 private:
  struct Slot {
    std::unique_ptr<Worker> worker;  // empty until needed
    bool busy = false;
    core::Clock::time_point freed;       // when it was last given back
    core::Clock::time_point turn_began;  // when it last took a document that did not go on
  };
  using Turn = core::OneShot<core::Result<Slot*>>;
  struct Waiter {
    const std::string* text;
    core::Clock::time_point since;
    std::shared_ptr<Turn> turn;
  };
  class Lease;

  static size_t Suitability(const Slot& slot, const std::string& text);
  static bool GoesOn(const Slot& slot, const std::string& text);
  static void Give(Slot& slot, const std::string& text);
  Slot* BestFree(const std::string& text, bool fresh);
  core::Task<core::Result<Slot*>> Acquire(const CheckRequest& request, bool fresh);
  void Release(Slot& slot);
  static core::Task<void> PassOn(std::shared_ptr<Pool*> alive, Slot& slot);
  void GiveToNext(Slot& slot);
  core::Task<core::Result<CheckResult>> CheckOnce(const CheckRequest& request, bool fresh);
  static core::Task<core::Result<CheckResult>> CheckWithin(Worker& worker, CheckRequest request);

  const core::Executor executor_;
  const Toolchain toolchain_;
  const PoolOptions options_;
  std::vector<Slot> slots_;  // never resized: leases point into it
  std::deque<Waiter> waiters_;
  bool closed_ = false;
  const std::shared_ptr<Pool*> alive_ = std::make_shared<Pool*>(this);  // null when we are gone
  PoolStats stats_;
};

}  // namespace zermelo::lean
