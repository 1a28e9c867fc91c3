#include "lean/pool.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cassert>

#include "lean/remote/far_side.h"
#include "syntax/declarations.h"

namespace zermelo::lean {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

// The last user of a slot has this long to come back before the next waiting request gets it.
constexpr auto kComeBack = std::chrono::milliseconds(1);
// After this, an idle worker's last user is not expected back.
constexpr auto kIdle = std::chrono::seconds(1);

core::Error Cancelled() {
  return {.code = ErrorCode::kCancelled, .message = "the check was cancelled"};
}

/// A check that has lost this many workers elsewhere is done here.
constexpr size_t kMostLost = 3;

size_t Slots(const PoolOptions& options) {
  size_t slots = std::max<size_t>(1, options.workers);
  for (const auto& place : options.places) slots += place->workers;
  return slots;
}

core::Error Stopped() {
  return {.code = ErrorCode::kCancelled, .message = "the search was stopped"};
}

bool HasCrashed(const Result<CheckResult>& result) {
  return result ? result->crashed : result.error().code == ErrorCode::kCrashed;
}

bool TimedOut(const Result<CheckResult>& result) {
  return !result && result.error().code == ErrorCode::kTimeout;
}

}  // namespace

/// Releases the slot however the check ends.
class Pool::Lease {
 public:
  Lease(Pool& pool, Slot& slot) : pool_(pool), slot_(slot) {}
  ~Lease() { pool_.Release(slot_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  Pool& pool_;
  Slot& slot_;
};

void Pool::Slot::MoveTo(SlotState next) {
  [[maybe_unused]] const bool forward =
      state == SlotState::kIdle      ? next == SlotState::kLeased || next == SlotState::kDraining
      : state == SlotState::kOffered ? next == SlotState::kLeased || next == SlotState::kIdle
      : state == SlotState::kLeased  ? next != SlotState::kLeased
                                     : next == SlotState::kOffered || next == SlotState::kIdle;
  assert(forward);
  state = next;
}

Pool::Pool(core::Executor executor, Toolchain toolchain, PoolOptions options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      own_{.toolchain = std::make_shared<Toolchain>(std::move(toolchain)),
           .skip_kernel = options_.worker.skip_kernel,
           .imports = {}},
      slots_(Slots(options_)),
      slots_here_(std::max<size_t>(1, options_.workers)),
      memory_watch_(executor_),
      next_try_(executor_),
      reservation_made_(executor_) {
  auto slot = slots_.begin() + static_cast<std::ptrdiff_t>(slots_here_);
  for (const auto& place : options_.places) {
    places_.push_back(std::make_unique<remote::PlaceHealth>(place));
    for (size_t i = 0; i < place->workers; ++i, ++slot) slot->place = places_.back().get();
  }
}

Pool::~Pool() { *alive_ = nullptr; }

Task<Result<CheckResult>> Pool::Check(CheckRequest request) {
  return CheckWith(own_, std::move(request));
}

Task<Result<CheckResult>> Pool::CheckWith(WorkerSetup setup, CheckRequest request) {
  auto result = co_await CheckPlaces(setup, request, Try::kAny);
  if (!closed_ && HasCrashed(result) && !request.deadline.Passed()) {
    result = co_await CheckPlaces(setup, request, Try::kFresh);  // other workers may have died too
  }
  if (closed_) co_return Fail(Stopped());
  ++stats_.checks;
  if (TimedOut(result)) ++stats_.timeouts;
  co_return result;
}

Task<void> Pool::LoadAhead(CheckRequest request) {
  const auto slot = std::ranges::find_if(slots_, [](const Slot& each) {
    return !each.busy() && each.place == nullptr && !each.worker;
  });
  if (closed_ || slot == slots_.end()) co_return;
  Give(*slot, Request());
  const Lease lease(*this, *slot);
  WatchMemory();
  if (StartWorker(*slot, own_, request.text)) {
    static_cast<void>(co_await CheckWithin(*slot->worker, std::move(request)));
  }
}

/// Goes on elsewhere while the worker's place fails: that says nothing about the text.
Task<Result<CheckResult>> Pool::CheckPlaces(const WorkerSetup& setup, const CheckRequest& request,
                                            Try where) {
  for (size_t lost = 0;; ++lost) {
    bool place_failed = false;
    auto result =
        co_await CheckOnce(setup, request, lost < kMostLost ? where : Try::kHere, place_failed);
    if (!place_failed || closed_ || request.deadline.Passed()) co_return result;
    ++stats_.moved;
  }
}

Task<Result<CheckResult>> Pool::CheckOnce(const WorkerSetup& setup, const CheckRequest& request,
                                          Try where, bool& place_failed) {
  const auto imports = syntax::ImportedModules(request.text);
  Request wanted;
  wanted.setup = &setup;
  wanted.text = &request.text;
  wanted.imports = &imports;
  wanted.where = where;
  const auto acquired = co_await Acquire(wanted, request.deadline, request.cancellation);
  if (!acquired) co_return Fail(acquired.error());
  Slot* const slot = *acquired;
  const Lease lease(*this, *slot);
  if (closed_) co_return Fail(Stopped());
  if (request.cancellation != nullptr && request.cancellation->requested()) {
    co_return Fail(Cancelled());
  }
  WatchMemory();
  if (slot->worker && !slot->worker->alive()) {
    place_failed = NoteHealth(*slot, /*answered=*/false);
    slot->worker.reset();
    if (place_failed) co_return Fail(ErrorCode::kCrashed, "the worker has died");
  }
  if (slot->worker && (where == Try::kFresh || Reusable(*slot, wanted) == 0)) slot->worker.reset();
  if (!slot->worker) {
    if (auto started = StartWorker(*slot, setup, request.text); !started) {
      co_return Fail(started.error());
    }
  }
  auto result = co_await CheckWithin(*slot->worker, request);
  // A check that ends at its deadline while nothing is heard would have been answered elsewhere.
  if (remote::FarSide* const far_side = slot->worker->far_side();
      far_side != nullptr && TimedOut(result) && far_side->Quiet()) {
    far_side->GiveUp("nothing was heard from it at the end of a check");
  }
  place_failed = NoteHealth(*slot, result.has_value());
  if (place_failed) co_return result;
  if (HasCrashed(result)) {
    ++stats_.crashes;
  } else if (result) {
    stats_.text_bytes += request.text.size();
    stats_.reused_bytes += result->reused_bytes;
    KeepSpare(*slot, request.text);
  }
  co_return result;
}

/// The limit applies to loading the imports and to the check separately; reaching another machine
/// has its own, and comparing the imports there with those here only the deadline.
Task<Result<CheckResult>> Pool::CheckWithin(Worker& worker, CheckRequest request) {
  const core::Deadline deadline = request.deadline;
  const auto deadline_from_now = [&] {
    return request.limit ? deadline.Earlier(core::Deadline::After(*request.limit)) : deadline;
  };
  if (auto there = co_await worker.Connect(deadline, request.cancellation); !there)
    co_return Fail(there.error());
  request.deadline = deadline_from_now();
  if (auto loaded = co_await worker.Load(request); !loaded) co_return Fail(loaded.error());
  if (auto same = co_await worker.Confirm(deadline, request.cancellation); !same)
    co_return Fail(same.error());
  request.deadline = deadline_from_now();
  co_return co_await worker.Check(std::move(request));
}

/// Number of bytes of the text that the slot's worker has already elaborated, plus one; 0 if it
/// would have to start over because the setup or the imports differ, or it has died.
size_t Pool::Reusable(const Slot& slot, const Request& request) {
  if (request.text == nullptr || !slot.worker || !slot.worker->alive()) return 0;
  if (slot.setup != *request.setup || !slot.worker->CanTake(*request.imports)) return 0;
  const std::string& last = slot.worker->text();
  const auto same = std::ranges::mismatch(last, *request.text);
  return 1 + static_cast<size_t>(same.in1 - last.begin());
}

/// Higher is better. Where nothing can be reused, an empty slot is better than a worker with other
/// imports, which would have to be stopped although a later request may need them.
size_t Pool::Suitability(const Slot& slot, const Request& request) {
  if (!slot.worker || !slot.worker->alive()) return 1;
  const size_t reusable = Reusable(slot, request);
  return reusable == 0 ? 0 : 1 + reusable;
}

/// Whether the worker already has most of the text.
bool Pool::Continues(const Slot& slot, const Request& request) {
  return request.text != nullptr && 2 * Reusable(slot, request) > request.text->size();
}

void Pool::Give(Slot& slot, const Request& request) {
  if (!Continues(slot, request)) slot.held_since = core::Clock::now();
  slot.MoveTo(SlotState::kLeased);
  slot.just_loaded = false;
}

/// Whether the slot is one for this request: a place that has failed gets no new workers for checks
/// before it has answered, and no place serves a Reservation, which is for memory of this machine.
bool Pool::MayTake(const Slot& slot, const Request& request) {
  if (slot.place == nullptr) return true;
  if (request.setup == nullptr || request.where == Try::kHere) return false;
  if (request.where != Try::kFresh && Reusable(slot, request) > 0) return true;
  return !slot.place->InTrouble(slot.place->KeyOf(*request.setup->toolchain));
}

Pool::Slot* Pool::BestFree(const Request& request) {
  Slot* best = nullptr;
  size_t best_suits = 0;
  for (Slot& slot : slots_) {
    if (slot.busy() || !MayTake(slot, request)) continue;
    const bool fresh = request.where == Try::kFresh;
    const size_t suits = fresh ? (slot.worker ? 0 : 1) : Suitability(slot, request);
    const bool better =
        best == nullptr || suits > best_suits || (suits == best_suits && slot.freed < best->freed);
    if (!better) continue;
    best = &slot;
    best_suits = suits;
  }
  return best;
}

Task<Result<Pool::Slot*>> Pool::Acquire(Request request, core::Deadline deadline,
                                        core::Cancellation* cancellation) {
  if (cancellation != nullptr && cancellation->requested()) co_return Fail(Cancelled());
  Slot* const best = BestFree(request);
  if (best != nullptr && (Reusable(*best, request) > 0 || !WillBeServed(request))) {
    Give(*best, request);
    co_return best;
  }
  const auto grant = std::make_shared<Grant>(executor_);
  waiters_.push_back({.request = request, .since = core::Clock::now(), .grant = grant});
  EndAnUnwantedLoad();
  TryPlaces();
  const auto leave = [this, grant] {
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.grant == grant; });
    EndAnUnwantedLoad();
  };
  // Leave the queue at once, so that no slot is given to a cancelled request.
  const core::Cancellation::Subscription cancel(cancellation, [=] {
    leave();
    grant->Set(Fail(Cancelled()));
  });
  auto got = co_await grant->Wait(deadline);
  if (got) co_return std::move(*got);
  leave();
  co_return Fail(ErrorCode::kTimeout, "no Lean worker was free before the deadline");
}

bool Pool::CouldUse(const Slot& slot, const Request& request) const {
  if (request.where == Try::kFresh) return false;
  if (request.where == Try::kHere && slot.place != nullptr) return false;
  return Reusable(slot, request) > 0;
}

/// Whether a suitable worker is about to become free. Waiting for it is better than starting
/// another or replacing one that a later request may need. Each such worker serves one waiting
/// request.
bool Pool::WillBeServed(const Request& request) const {
  const auto draining = [&](const Slot& slot) {
    return slot.busy() && slot.worker && slot.worker->cancelling() && CouldUse(slot, request);
  };
  const auto also_wants = [&](const Waiter& waiter) {
    return std::ranges::any_of(
        slots_, [&](const Slot& slot) { return draining(slot) && CouldUse(slot, waiter.request); });
  };
  return std::ranges::count_if(waiters_, also_wants) < std::ranges::count_if(slots_, draining);
}

/// Kills a worker that is loading imports for an abandoned check if requests wait and none of them
/// can use it.
bool Pool::EndUnwantedLoad(Slot& slot) {
  if (waiters_.empty() || !slot.worker || slot.worker->loaded() || !slot.worker->cancelling()) {
    return false;
  }
  const bool wanted = std::ranges::any_of(
      waiters_, [&](const Waiter& waiter) { return CouldUse(slot, waiter.request); });
  if (!wanted) slot.worker->Kill();
  return !wanted;
}

/// Kills at most one: each frees a slot for one waiting request.
void Pool::EndAnUnwantedLoad() {
  for (Slot& slot : slots_) {
    if (EndUnwantedLoad(slot)) return;
  }
}

Task<void> Pool::DrainAndRelease(std::shared_ptr<Pool*> alive, Slot& slot) {
  if (*alive == nullptr) co_return;
  const bool loads = !slot.worker->loaded();
  (*alive)->EndUnwantedLoad(slot);
  co_await slot.worker->CancelAndDrain();
  if (*alive == nullptr) co_return;
  slot.just_loaded = loads && slot.worker->alive();
  (*alive)->Release(slot);
}

void Pool::Release(Slot& slot) {
  if (slot.worker && (!slot.worker->alive() || slot.worker->checks() >= options_.max_checks ||
                      slot.worker->age() >= options_.max_age ||
                      slot.worker->ResidentBytes() > MostResident(slot))) {
    slot.worker.reset();
  }
  if (slot.worker && slot.worker->cancelling()) {
    // The caller, whose check is over, need not wait until Lean has dropped it.
    slot.MoveTo(SlotState::kDraining);
    return core::Launch(executor_, DrainAndRelease(alive_, slot));
  }
  slot.freed = core::Clock::now();
  if (waiters_.empty()) return BecomeIdle(slot);
  slot.MoveTo(SlotState::kOffered);
  core::Launch(executor_, PassOn(alive_, slot));
}

void Pool::BecomeIdle(Slot& slot) {
  slot.MoveTo(SlotState::kIdle);
  Trim();
  if (slot.worker && slot.worker->has_abandoned_work()) {
    core::Launch(executor_, DrainWhenIdle(alive_, slot, slot.freed));
  }
  TryPlaces();
}

/// A request that comes soon replaces the text that Lean is still working on and reuses the shared
/// prefix; only a worker that stays idle is drained.
Task<void> Pool::DrainWhenIdle(std::shared_ptr<Pool*> alive, Slot& slot,
                               core::Clock::time_point freed) {
  boost::asio::steady_timer soon(co_await boost::asio::this_coro::executor, kIdle);
  co_await soon.async_wait(boost::asio::use_awaitable);
  if (*alive == nullptr || slot.busy() || slot.freed != freed) co_return;
  if (!slot.worker || !slot.worker->has_abandoned_work()) co_return;
  slot.MoveTo(SlotState::kDraining);
  co_await DrainAndRelease(alive, slot);
}

Pool::Reservation::~Reservation() {
  for (Slot* slot : slots_) pool_.Release(*slot);
}

Task<Result<std::unique_ptr<Pool::Reservation>>> Pool::Reserve(size_t places,
                                                               core::Deadline deadline,
                                                               core::Cancellation* cancellation) {
  const core::Cancellation::Subscription wake(cancellation, [this] { reservation_made_.Notify(); });
  while (reserving_) {
    if (cancellation != nullptr && cancellation->requested()) co_return Fail(Cancelled());
    if (deadline.Passed())
      co_return Fail(ErrorCode::kTimeout, "no Lean worker became free before the deadline");
    co_await reservation_made_.Wait(deadline);
  }
  reserving_ = true;
  std::unique_ptr<Reservation> reservation(new Reservation(*this));
  std::optional<core::Error> failure;
  while (!failure && reservation->slots_.size() < std::min(places, slots_here_)) {
    const auto slot = co_await Acquire(Request(), deadline, cancellation);
    if (!slot) failure = slot.error();
    if (slot) reservation->slots_.push_back(*slot);
    if (slot) (*slot)->worker.reset();
  }
  reserving_ = false;
  reservation_made_.Notify();
  if (closed_) failure = Stopped();
  if (failure) co_return Fail(std::move(*failure));
  co_return reservation;
}

/// The last user of the slot often comes back at once with the longest shared prefix, so it gets a
/// moment to do so.
Task<void> Pool::PassOn(std::shared_ptr<Pool*> alive, Slot& slot) {
  boost::asio::steady_timer soon(co_await boost::asio::this_coro::executor, kComeBack);
  co_await soon.async_wait(boost::asio::use_awaitable);
  if (*alive != nullptr) (*alive)->GiveToNext(slot);
}

void Pool::GiveToNext(Slot& slot) {
  const auto may_take = [&](const Waiter& w) { return MayTake(slot, w.request); };
  const auto oldest = std::ranges::find_if(waiters_, may_take);
  if (oldest == waiters_.end()) return BecomeIdle(slot);
  const auto suits = [&](const Waiter& w) {
    return may_take(w) ? Suitability(slot, w.request) + 1 : 0;
  };
  auto next =
      std::max_element(waiters_.begin(), waiters_.end(),
                       [&](const Waiter& a, const Waiter& b) { return suits(a) < suits(b); });
  const auto now = core::Clock::now();
  const bool may_hold = slot.just_loaded ? CouldUse(slot, next->request)
                                         : now - slot.held_since < options_.max_hold &&
                                               Continues(slot, next->request);
  if (now - oldest->since > options_.fairness && !may_hold) {
    next = oldest;
    slot.held_since = now;
  }
  Give(slot, next->request);
  const auto grant = next->grant;
  waiters_.erase(next);
  grant->Set(&slot);
  EndAnUnwantedLoad();
}

void Pool::Close() {
  closed_ = true;
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    slot.worker->Kill();
    if (!slot.busy()) slot.worker.reset();  // a busy one is released when its check ends
  }
  spares_.clear();
  next_try_.cancel();
}

size_t Pool::busy() const {
  return static_cast<size_t>(std::ranges::count_if(slots_, &Slot::busy));
}

std::vector<int> Pool::pids() const {
  std::vector<int> pids;
  for (const Slot& slot : slots_) {
    if (slot.worker && slot.worker->alive()) pids.push_back(slot.worker->pid());
  }
  return pids;
}

}  // namespace zermelo::lean
