// N workers behind one queue.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/toolchain.h"
#include "lean/worker.h"

namespace zermelo::lean {

struct PoolOptions {
  size_t workers = 2;
  WorkerOptions worker;
  uint64_t max_resident_bytes = 8ULL << 30U;  // a worker above this is replaced after its check
  uint64_t max_checks = 20'000;               // likewise
  core::Duration fairness = std::chrono::seconds(2);  // who waits longer goes first
};

struct PoolStats {
  uint64_t checks = 0;  // answered, with whatever answer
  uint64_t timeouts = 0;
  uint64_t crashes = 0;  // workers that died under a check
  uint64_t started = 0;  // workers started, the first ones included
};

/// Checks documents on the worker whose last document shares the longest prefix with them (Lean
/// reuses it). A worker that dies is replaced and its check retried once on a fresh one. All calls
/// on the executor's thread; the pool must outlive its checks.
class Pool {
 public:
  Pool(core::Executor executor, Toolchain toolchain, PoolOptions options);
  ~Pool();

  /// Waits for a worker and checks. kTimeout: the deadline passed, waiting or checking. kCrashed:
  /// Lean died on this document twice. kEnvironment: Lean cannot be started.
  core::Task<core::Result<CheckResult>> Check(CheckRequest request);

  /// Kills the workers. Checks that run or wait end with kCancelled, and so do later ones.
  void Close();

  const Toolchain& toolchain() const { return toolchain_; }
  size_t size() const { return slots_.size(); }
  const PoolStats& stats() const { return stats_; }
  /// The process ids of the running workers.
  std::vector<int> pids() const;

 private:
  struct Slot {
    std::unique_ptr<Worker> worker;  // empty until needed
    bool busy = false;
  };
  struct Waiter {
    const std::string* text;
    core::Clock::time_point since;
    std::shared_ptr<core::OneShot<Slot*>> turn;
  };
  class Lease;

  core::Task<Slot*> Acquire(const std::string& text, core::Deadline deadline, bool fresh);
  void Release(Slot& slot);
  core::Task<core::Result<CheckResult>> CheckOnce(const CheckRequest& request, bool fresh);

  const core::Executor executor_;
  const Toolchain toolchain_;
  const PoolOptions options_;
  std::vector<Slot> slots_;  // never resized: leases point into it
  std::deque<Waiter> waiters_;
  bool closed_ = false;
  PoolStats stats_;
};

}  // namespace zermelo::lean
