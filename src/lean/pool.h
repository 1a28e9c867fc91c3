// N workers behind one queue, of one Lean or of several.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

/// Which Lean a worker runs. Workers of several share a pool and its limits; none is used for
/// another setup than its own.
struct WorkerSetup {
  std::shared_ptr<const Toolchain> toolchain;
  bool skip_kernel = false;  // as WorkerOptions has it
  // What the imports were like when the text was read: a worker keeps those that it has loaded.
  std::string imports;
  bool operator==(const WorkerSetup&) const = default;
};

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
  // Of all workers together: above it, idle ones are ended after a check, last used first kept.
  uint64_t max_total_bytes = std::numeric_limits<uint64_t>::max();
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
/// reuses it); where none has the same setup and imports, on the one idle longest. A worker
/// that dies is replaced and its check retried once on a fresh one. All calls on the executor's
/// thread; the pool must outlive its checks.
class Pool : public Checker {
  struct Slot;

 public:
  Pool(core::Executor executor, Toolchain toolchain, PoolOptions options);
  ~Pool() override;

  /// Ends at its deadline or when it is cancelled; its worker is free for others a moment later.
  core::Task<core::Result<CheckResult>> Check(CheckRequest request) override;
  /// The same with another Lean than the pool's own.
  core::Task<core::Result<CheckResult>> CheckWith(WorkerSetup setup, CheckRequest request);

  /// Places of workers, whose processes have ended: room for Leans that somebody else starts.
  class Room {
   public:
    ~Room();
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

   private:
    friend class Pool;
    explicit Room(Pool& pool) : pool_(pool) {}
    Pool& pool_;
    std::vector<Slot*> slots_;
  };
  /// Waits for so many places, at most all of them; they are back at the end of the room, which
  /// the pool must outlive. kTimeout, kCancelled (`cancellation` may be null).
  core::Task<core::Result<std::unique_ptr<Room>>> MakeRoom(size_t places, core::Deadline deadline,
                                                           core::Cancellation* cancellation);

  /// Kills the workers. Checks that run or wait end with kCancelled, and so do later ones.
  void Close();

  const Toolchain& toolchain() const { return *own_.toolchain; }
  const WorkerSetup& own_setup() const { return own_; }
  size_t size() const override { return slots_.size(); }
  uint64_t checks() const override { return stats_.checks; }
  const PoolStats& stats() const { return stats_; }
  size_t busy() const;  // workers with a check, or about to be free after one
  size_t waiting() const { return waiters_.size(); }
  /// The process ids of the running workers.
  std::vector<int> pids() const;

 private:
  struct Slot {
    std::unique_ptr<Worker> worker;  // empty until needed
    WorkerSetup setup;               // of the worker
    bool busy = false;
    bool just_loaded = false;            // its imports, and has had no check since
    core::Clock::time_point freed;       // when it was last given back
    core::Clock::time_point turn_began;  // when it last took a document that did not go on
  };
  /// What somebody wants a place for; both null: for no worker of ours.
  struct Want {
    const WorkerSetup* setup = nullptr;
    const std::string* text = nullptr;
    bool fresh = false;
  };
  using Turn = core::OneShot<core::Result<Slot*>>;
  struct Waiter {
    Want want;
    core::Clock::time_point since;
    std::shared_ptr<Turn> turn;
  };
  class Lease;

  static size_t Reusable(const Slot& slot, const Want& want);
  static size_t Suitability(const Slot& slot, const Want& want);
  static bool GoesOn(const Slot& slot, const Want& want);
  static void Give(Slot& slot, const Want& want);
  Slot* BestFree(const Want& want);
  core::Task<core::Result<Slot*>> Acquire(Want want, core::Deadline deadline,
                                          core::Cancellation* cancellation);
  bool CouldUse(const Slot& slot, const Want& want) const;
  bool WillBeServed(const Want& want) const;
  bool EndUnwantedLoad(Slot& slot);
  void EndAnUnwantedLoad();
  static core::Task<void> SettleAndRelease(std::shared_ptr<Pool*> alive, Slot& slot);
  void Release(Slot& slot);
  void BecomeIdle(Slot& slot);
  static core::Task<void> SettleWhenIdle(std::shared_ptr<Pool*> alive, Slot& slot,
                                         core::Clock::time_point freed);
  void Trim();
  static core::Task<void> PassOn(std::shared_ptr<Pool*> alive, Slot& slot);
  void GiveToNext(Slot& slot);
  core::Task<core::Result<CheckResult>> CheckOnce(const WorkerSetup& setup,
                                                  const CheckRequest& request, bool fresh);
  static core::Task<core::Result<CheckResult>> CheckWithin(Worker& worker, CheckRequest request);

  const core::Executor executor_;
  const PoolOptions options_;
  const WorkerSetup own_;
  std::vector<Slot> slots_;  // never resized: leases point into it
  std::deque<Waiter> waiters_;
  bool closed_ = false;
  bool making_room_ = false;  // one at a time: two could wait for each other's places
  core::Signal room_made_;
  const std::shared_ptr<Pool*> alive_ = std::make_shared<Pool*>(this);  // null when we are gone
  PoolStats stats_;
};

}  // namespace zermelo::lean
