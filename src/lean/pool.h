// A fixed number of workers behind one queue, of one Lean or several.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "lean/remote/place_health.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

/// Which Lean a worker runs. Workers with different setups share a pool and its limits; each worker
/// serves only its own setup.
struct WorkerSetup {
  std::shared_ptr<const Toolchain> toolchain;
  bool skip_kernel = false;  // as in WorkerOptions
  /// Identifies the state of the imports when the text was read: a worker keeps the imports that it
  /// has loaded.
  std::string imports;
  bool operator==(const WorkerSetup&) const = default;
};

struct PoolOptions {
  size_t workers = 2;
  WorkerOptions worker;
  /// After a check, a worker that exceeds any of these three limits is replaced.
  uint64_t max_resident_bytes = 8ULL << 30U;  // elsewhere the place's own limit, if it has one
  uint64_t max_checks = 20'000;
  core::Duration max_age = std::chrono::hours(4);
  /// A request that has waited longer than this takes precedence over better matches (but see
  /// `max_hold`).
  core::Duration fairness = std::chrono::seconds(2);
  /// Requests that continue a worker's document may keep the worker for this long although others
  /// wait beyond `fairness`. When all requests wait long, serving them by age alone would make the
  /// worker start over for each.
  core::Duration max_hold = std::chrono::seconds(10);
  /// Memory limit for all workers together, spare ones included. Above it, spare and idle workers
  /// are stopped, the least recently used first, and then the largest busy one, whose check is
  /// tried once more.
  uint64_t max_total_bytes = std::numeric_limits<uint64_t>::max();
  /// Maximum number of spare workers. A spare worker has loaded the imports of a recently checked
  /// text, and replaces a worker with these imports that was killed. One for each header.
  size_t spares = 0;
  /// Where more workers run, on other machines (docs/workers.md). They do not count against the
  /// memory limits above.
  std::vector<std::shared_ptr<const remote::Place>> places = {};
  /// Called when a place fails, and when it works again; may be null.
  std::function<void(const remote::PlaceEvent&)> on_place = {};
};

struct PoolStats {
  uint64_t checks = 0;  // answered, whatever the result
  uint64_t timeouts = 0;
  uint64_t crashes = 0;       // workers that died during a check
  uint64_t started = 0;       // workers started, including the first ones
  uint64_t text_bytes = 0;    // of the checked documents
  uint64_t reused_bytes = 0;  // of these, what a worker had already elaborated
  uint64_t spares_used = 0;   // workers that did not have to load their imports
  uint64_t evicted = 0;       // workers stopped because of the limit for all together
  uint64_t moved = 0;         // checks moved elsewhere because their worker's place had failed
};

/// Checks each document on the worker whose last document shares the longest prefix with it, which
/// Lean reuses; if no worker has the same setup and imports, on the one idle longest. A worker that
/// dies is replaced and its check retried once on a fresh one. A check whose worker elsewhere is
/// lost goes to another place, and in the end to a worker here. A place that has failed gets checks
/// again once it has answered. All calls on the executor's thread; the pool must outlive its
/// checks.
class Pool : public Checker {
  struct Slot;

 public:
  Pool(core::Executor executor, Toolchain toolchain, PoolOptions options);
  ~Pool() override;

  /// Returns at the deadline or on cancellation; the worker is free for other checks a moment
  /// later.
  core::Task<core::Result<CheckResult>> Check(CheckRequest request) override;
  /// Like Check, with another Lean than the pool's own.
  core::Task<core::Result<CheckResult>> CheckWith(WorkerSetup setup, CheckRequest request);
  /// Checks the text on a worker of this machine that has to be started for it, so that later
  /// checks find its imports loaded. Does nothing if every slot has a worker or is busy.
  core::Task<void> LoadAhead(CheckRequest request);

  /// Reserved worker slots whose processes have ended, so that their memory is available for Lean
  /// processes started outside the pool.
  class Reservation {
   public:
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

   private:
    friend class Pool;
    explicit Reservation(Pool& pool) : pool_(pool) {}
    Pool& pool_;
    std::vector<Slot*> slots_;
  };
  /// Waits until `places` slots of this machine are reserved, at most all of them. Destroying the
  /// Reservation, which the pool must outlive, gives them back. Errors: kTimeout, kCancelled
  /// (`cancellation` may be null).
  core::Task<core::Result<std::unique_ptr<Reservation>>> Reserve(size_t places,
                                                                 core::Deadline deadline,
                                                                 core::Cancellation* cancellation);

  /// Kills the workers. Running, waiting and later checks end with kCancelled.
  void Close();

  const Toolchain& toolchain() const { return *own_.toolchain; }
  const WorkerSetup& own_setup() const { return own_; }
  size_t size() const override { return slots_.size(); }
  size_t size_here() const { return slots_here_; }  // the workers of this machine
  uint64_t checks() const override { return stats_.checks; }
  const PoolStats& stats() const { return stats_; }
  size_t busy() const;  // workers that run a check or are becoming free after one
  size_t waiting() const { return waiters_.size(); }
  /// The places of the options, in their order.
  const std::vector<std::unique_ptr<remote::PlaceHealth>>& places() const { return places_; }
  /// The process ids of the running workers, without spare ones.
  std::vector<int> pids() const;
  /// Spare workers that have loaded their imports.
  size_t spares() const;
  /// Resident memory of the workers on this machine, spare ones included.
  uint64_t ResidentBytes() const;
  const PoolOptions& options() const { return options_; }

 private:
  /// The life of a slot, forward within one lease:
  ///
  ///     idle ──► leased ──► (draining ──►) offered ──► leased ──► …
  ///
  /// leased: to a check or a Reservation. draining: Lean drops the last check's work; an idle slot
  /// also drains if its Lean is still busy with abandoned work after a while. offered: to the
  /// waiting requests, the last user's first. If there are none, or none takes it,
  /// it is idle.
  enum class SlotState { kIdle, kLeased, kDraining, kOffered };
  struct Slot {
    void MoveTo(SlotState next);
    bool busy() const { return state != SlotState::kIdle; }

    std::unique_ptr<Worker> worker;        // null until needed
    WorkerSetup setup;                     // of the worker
    remote::PlaceHealth* place = nullptr;  // null: this machine
    SlotState state = SlotState::kIdle;
    bool on_trial = false;               // its worker shows whether the place works again
    bool just_loaded = false;            // its imports, without a check since
    core::Clock::time_point freed;       // when it last became free
    core::Clock::time_point held_since;  // when it last took a new document
  };
  enum class Try { kAny, kFresh, kHere };  // on which worker; kHere: of this machine
  /// What a slot is requested for; all null: not for a worker of the pool.
  struct Request {
    const WorkerSetup* setup = nullptr;
    const std::string* text = nullptr;
    const std::vector<std::string>* imports = nullptr;  // of the text, which is compared often
    Try where = Try::kAny;
  };
  using Grant = core::OneShot<core::Result<Slot*>>;
  struct Waiter {
    Request request;
    core::Clock::time_point since;
    std::shared_ptr<Grant> grant;
  };
  struct Spare {
    WorkerSetup setup;
    std::vector<std::string> imports;
    std::unique_ptr<Worker> worker;
    core::Clock::time_point used;  // when a check last had this header
    uint64_t expected = 0;         // bytes of memory that it will have once it is loaded
  };
  class Lease;

  static size_t Reusable(const Slot& slot, const Request& request);
  static size_t Suitability(const Slot& slot, const Request& request);
  static bool Continues(const Slot& slot, const Request& request);
  static bool MayTake(const Slot& slot, const Request& request);
  static void Give(Slot& slot, const Request& request);
  Slot* BestFree(const Request& request);
  core::Task<core::Result<Slot*>> Acquire(Request request, core::Deadline deadline,
                                          core::Cancellation* cancellation);
  bool CouldUse(const Slot& slot, const Request& request) const;
  bool WillBeServed(const Request& request) const;
  bool EndUnwantedLoad(Slot& slot);
  void EndAnUnwantedLoad();
  static core::Task<void> DrainAndRelease(std::shared_ptr<Pool*> alive, Slot& slot);
  void Release(Slot& slot);
  void BecomeIdle(Slot& slot);
  static core::Task<void> DrainWhenIdle(std::shared_ptr<Pool*> alive, Slot& slot,
                                        core::Clock::time_point freed);
  bool Trim();
  static core::Task<void> PassOn(std::shared_ptr<Pool*> alive, Slot& slot);
  void GiveToNext(Slot& slot);
  core::Task<core::Result<CheckResult>> CheckOnce(const WorkerSetup& setup,
                                                  const CheckRequest& request, Try where,
                                                  bool& place_failed);
  core::Task<core::Result<CheckResult>> CheckPlaces(const WorkerSetup& setup,
                                                    const CheckRequest& request, Try where);
  core::Status StartWorker(Slot& slot, const WorkerSetup& setup, const std::string& text);
  uint64_t MostResident(const Slot& slot) const;
  WorkerOptions OptionsFor(const Slot& slot, const WorkerSetup& setup) const;
  bool NoteHealth(Slot& slot, bool answered);
  std::unique_ptr<Worker> TakeSpare(const WorkerSetup& setup, const std::string& text);
  void KeepSpare(const Slot& slot, const std::string& text);
  static core::Task<void> LoadSpare(std::shared_ptr<Pool*> alive, std::shared_ptr<Spare> spare,
                                    std::string header);
  void WatchMemory();
  void EvictLargest();
  void NoteFailure(const Slot& slot, const remote::Failure& failure);
  void Report(const remote::PlaceHealth& place, const std::string& why, core::Duration pause);
  void WaitForNextTry();
  void TryPlaces();
  Slot* SlotToTry(const remote::PlaceHealth& place, const std::string& project);
  static core::Task<void> TryPlace(std::shared_ptr<Pool*> alive, Slot& slot, WorkerSetup setup,
                                   std::string header);
  void EndTrial(Slot& slot, const core::Status& answers);
  void OfferIdleSlots();
  static core::Task<core::Result<CheckResult>> CheckWithin(Worker& worker, CheckRequest request);

  const core::Executor executor_;
  const PoolOptions options_;
  const WorkerSetup own_;
  std::vector<std::unique_ptr<remote::PlaceHealth>> places_;
  std::vector<Slot> slots_;  // never resized: leases point into it
  size_t slots_here_ = 0;    // the first ones
  std::list<std::shared_ptr<Spare>> spares_;
  boost::asio::steady_timer memory_watch_;
  bool watching_memory_ = false;
  boost::asio::steady_timer next_try_;  // of a place that has failed
  std::deque<Waiter> waiters_;
  bool closed_ = false;
  bool reserving_ = false;  // one at a time: two could wait for each other's slots forever
  core::Signal reservation_made_;
  const std::shared_ptr<Pool*> alive_ = std::make_shared<Pool*>(this);  // null after destruction
  PoolStats stats_;
};

}  // namespace zermelo::lean
