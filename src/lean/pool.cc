#include "lean/pool.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

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

core::Error Stopped() {
  return {.code = ErrorCode::kCancelled, .message = "the search was stopped"};
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

Pool::Pool(core::Executor executor, Toolchain toolchain, PoolOptions options)
    : executor_(std::move(executor)),
      options_(options),
      own_{.toolchain = std::make_shared<Toolchain>(std::move(toolchain)),
           .skip_kernel = options.worker.skip_kernel,
           .imports = {}},
      slots_(std::max<size_t>(1, options.workers)),
      room_made_(executor_) {}

Pool::~Pool() { *alive_ = nullptr; }

Task<Result<CheckResult>> Pool::Check(CheckRequest request) {
  return CheckWith(own_, std::move(request));
}

Task<Result<CheckResult>> Pool::CheckWith(WorkerSetup setup, CheckRequest request) {
  auto result = co_await CheckOnce(setup, request, /*fresh=*/false);
  if (!closed_ && !result && result.error().code == ErrorCode::kCrashed &&
      !request.deadline.Passed()) {
    result = co_await CheckOnce(setup, request, /*fresh=*/true);  // other workers may have died too
  }
  if (closed_) co_return Fail(Stopped());
  ++stats_.checks;
  if (!result && result.error().code == ErrorCode::kTimeout) ++stats_.timeouts;
  co_return result;
}

Task<Result<CheckResult>> Pool::CheckOnce(const WorkerSetup& setup, const CheckRequest& request,
                                          bool fresh) {
  Want want;
  want.setup = &setup;
  want.text = &request.text;
  want.fresh = fresh;
  const auto acquired = co_await Acquire(want, request.deadline, request.cancellation);
  if (!acquired) co_return Fail(acquired.error());
  Slot* const slot = *acquired;
  const Lease lease(*this, *slot);
  if (closed_) co_return Fail(Stopped());
  if (request.cancellation != nullptr && request.cancellation->requested()) {
    co_return Fail(Cancelled());
  }
  if (slot->worker && (fresh || Reusable(*slot, want) == 0)) slot->worker.reset();
  if (!slot->worker) {
    WorkerOptions options = options_.worker;
    options.skip_kernel = setup.skip_kernel;
    auto started = Worker::Start(executor_, *setup.toolchain, options);
    if (!started) co_return Fail(started.error());
    slot->worker = std::move(*started);
    slot->setup = setup;
    ++stats_.started;
  }
  auto result = co_await CheckWithin(*slot->worker, request);
  if (!result && result.error().code == ErrorCode::kCrashed) ++stats_.crashes;
  if (result) {
    stats_.text_bytes += request.text.size();
    stats_.reused_bytes += result->reused_bytes;
  }
  co_return result;
}

/// The limit applies to loading the imports and to the check separately.
Task<Result<CheckResult>> Pool::CheckWithin(Worker& worker, CheckRequest request) {
  const core::Deadline deadline = request.deadline;
  const auto deadline_from_now = [&] {
    return request.limit ? deadline.Earlier(core::Deadline::After(*request.limit)) : deadline;
  };
  if (!worker.loaded()) {
    request.deadline = deadline_from_now();
    if (auto loaded = co_await worker.Load(request); !loaded) co_return Fail(loaded.error());
  }
  request.deadline = deadline_from_now();
  co_return co_await worker.Check(std::move(request));
}

/// Number of bytes of the text that the slot's worker has already elaborated, plus one; 0 if it
/// would have to start over because the setup or the imports differ.
size_t Pool::Reusable(const Slot& slot, const Want& want) {
  if (want.text == nullptr || !slot.worker || !slot.worker->CanTake(*want.text)) return 0;
  if (slot.setup != *want.setup) return 0;
  const std::string& last = slot.worker->text();
  const auto same = std::ranges::mismatch(last, *want.text);
  return 1 + static_cast<size_t>(same.in1 - last.begin());
}

/// Higher is better. Where nothing can be reused, an empty slot is better than a worker with other
/// imports, which would have to be stopped although a later request may need them.
size_t Pool::Suitability(const Slot& slot, const Want& want) {
  if (!slot.worker) return 1;
  const size_t reusable = Reusable(slot, want);
  return reusable == 0 ? 0 : 1 + reusable;
}

/// Whether the worker already has most of the text.
bool Pool::GoesOn(const Slot& slot, const Want& want) {
  return want.text != nullptr && 2 * Reusable(slot, want) > want.text->size();
}

void Pool::Give(Slot& slot, const Want& want) {
  if (!GoesOn(slot, want)) slot.turn_began = core::Clock::now();
  slot.busy = true;
  slot.just_loaded = false;
}

Pool::Slot* Pool::BestFree(const Want& want) {
  Slot* best = nullptr;
  size_t best_suits = 0;
  for (Slot& slot : slots_) {
    if (slot.busy) continue;
    const size_t suits = want.fresh ? (slot.worker ? 0 : 1) : Suitability(slot, want);
    const bool better =
        best == nullptr || suits > best_suits || (suits == best_suits && slot.freed < best->freed);
    if (!better) continue;
    best = &slot;
    best_suits = suits;
  }
  return best;
}

Task<Result<Pool::Slot*>> Pool::Acquire(Want want, core::Deadline deadline,
                                        core::Cancellation* cancellation) {
  if (cancellation != nullptr && cancellation->requested()) co_return Fail(Cancelled());
  Slot* const best = BestFree(want);
  if (best != nullptr && (Reusable(*best, want) > 0 || !WillBeServed(want))) {
    Give(*best, want);
    co_return best;
  }
  const auto turn = std::make_shared<Turn>(executor_);
  waiters_.push_back({.want = want, .since = core::Clock::now(), .turn = turn});
  EndAnUnwantedLoad();
  const auto leave = [this, turn] {
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.turn == turn; });
    EndAnUnwantedLoad();
  };
  // Leave the queue at once, so that no slot is given to a cancelled request.
  const core::Cancellation::Subscription cancel(cancellation, [=] {
    leave();
    turn->Set(Fail(Cancelled()));
  });
  auto got = co_await turn->Wait(deadline);
  if (got) co_return std::move(*got);
  leave();
  co_return Fail(ErrorCode::kTimeout, "no Lean worker was free before the deadline");
}

bool Pool::CouldUse(const Slot& slot, const Want& want) const {
  return !want.fresh && Reusable(slot, want) > 0;
}

/// Whether a suitable worker is about to become free. Waiting for it is better than starting
/// another or replacing one that a later request may need. Each such worker serves one waiting
/// request.
bool Pool::WillBeServed(const Want& want) const {
  const auto settling = [&](const Slot& slot) {
    return slot.busy && slot.worker && slot.worker->unsettled() && CouldUse(slot, want);
  };
  const auto also_wants = [&](const Waiter& waiter) {
    return std::ranges::any_of(
        slots_, [&](const Slot& slot) { return settling(slot) && CouldUse(slot, waiter.want); });
  };
  return std::ranges::count_if(waiters_, also_wants) < std::ranges::count_if(slots_, settling);
}

/// Kills a worker that is loading imports for an abandoned check if requests wait and none of them
/// can use it.
bool Pool::EndUnwantedLoad(Slot& slot) {
  if (waiters_.empty() || !slot.worker || slot.worker->loaded() || !slot.worker->unsettled()) {
    return false;
  }
  const bool wanted = std::ranges::any_of(
      waiters_, [&](const Waiter& waiter) { return CouldUse(slot, waiter.want); });
  if (!wanted) slot.worker->Kill();
  return !wanted;
}

/// Kills at most one: each frees a slot for one waiting request.
void Pool::EndAnUnwantedLoad() {
  for (Slot& slot : slots_) {
    if (EndUnwantedLoad(slot)) return;
  }
}

Task<void> Pool::SettleAndRelease(std::shared_ptr<Pool*> alive, Slot& slot) {
  if (*alive == nullptr) co_return;
  const bool loads = !slot.worker->loaded();
  (*alive)->EndUnwantedLoad(slot);
  co_await slot.worker->Settle();
  if (*alive == nullptr) co_return;
  slot.just_loaded = loads && slot.worker->alive();
  (*alive)->Release(slot);
}

void Pool::Release(Slot& slot) {
  if (slot.worker && (!slot.worker->alive() || slot.worker->checks() >= options_.max_checks ||
                      slot.worker->age() >= options_.max_age ||
                      slot.worker->ResidentBytes() > options_.max_resident_bytes)) {
    slot.worker.reset();
  }
  if (slot.worker && slot.worker->unsettled()) {
    // The caller, whose check is over, need not wait until Lean has dropped it.
    return core::Launch(executor_, SettleAndRelease(alive_, slot));
  }
  slot.freed = core::Clock::now();
  if (!waiters_.empty()) return core::Launch(executor_, PassOn(alive_, slot));
  BecomeIdle(slot);
}

void Pool::BecomeIdle(Slot& slot) {
  slot.busy = false;
  Trim();
  if (slot.worker && slot.worker->has_rest()) {
    core::Launch(executor_, SettleWhenIdle(alive_, slot, slot.freed));
  }
}

/// A request that comes soon replaces the text that Lean is still working on and reuses the shared
/// prefix; only a worker that stays idle is settled.
Task<void> Pool::SettleWhenIdle(std::shared_ptr<Pool*> alive, Slot& slot,
                                core::Clock::time_point freed) {
  boost::asio::steady_timer soon(co_await boost::asio::this_coro::executor, kIdle);
  co_await soon.async_wait(boost::asio::use_awaitable);
  if (*alive == nullptr || slot.busy || slot.freed != freed) co_return;
  if (!slot.worker || !slot.worker->has_rest()) co_return;
  slot.busy = true;
  co_await SettleAndRelease(alive, slot);
}

/// Stops idle workers, the one idle longest first, while all workers together exceed the memory
/// limit.
void Pool::Trim() {
  if (options_.max_total_bytes == std::numeric_limits<uint64_t>::max()) return;
  uint64_t total = 0;
  std::vector<Slot*> idle;
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    total += slot.worker->ResidentBytes();
    if (!slot.busy) idle.push_back(&slot);
  }
  std::ranges::sort(idle, {}, &Slot::freed);
  for (Slot* slot : idle) {
    if (total <= options_.max_total_bytes) return;
    total -= slot->worker->ResidentBytes();
    slot->worker.reset();
  }
}

Pool::Room::~Room() {
  for (Slot* slot : slots_) pool_.Release(*slot);
}

Task<Result<std::unique_ptr<Pool::Room>>> Pool::MakeRoom(size_t places, core::Deadline deadline,
                                                         core::Cancellation* cancellation) {
  const core::Cancellation::Subscription wake(cancellation, [this] { room_made_.Notify(); });
  while (making_room_) {
    if (cancellation != nullptr && cancellation->requested()) co_return Fail(Cancelled());
    if (deadline.Passed())
      co_return Fail(ErrorCode::kTimeout, "no Lean worker became free before the deadline");
    co_await room_made_.Wait(deadline);
  }
  making_room_ = true;
  std::unique_ptr<Room> room(new Room(*this));
  std::optional<core::Error> failure;
  while (!failure && room->slots_.size() < std::min(places, slots_.size())) {
    const auto slot = co_await Acquire(Want(), deadline, cancellation);
    if (!slot) failure = slot.error();
    if (slot) room->slots_.push_back(*slot);
    if (slot) (*slot)->worker.reset();
  }
  making_room_ = false;
  room_made_.Notify();
  if (closed_) failure = Stopped();
  if (failure) co_return Fail(std::move(*failure));
  co_return room;
}

/// The last user of the slot often comes back at once with the longest shared prefix, so it gets a
/// moment to do so.
Task<void> Pool::PassOn(std::shared_ptr<Pool*> alive, Slot& slot) {
  boost::asio::steady_timer soon(co_await boost::asio::this_coro::executor, kComeBack);
  co_await soon.async_wait(boost::asio::use_awaitable);
  if (*alive != nullptr) (*alive)->GiveToNext(slot);
}

void Pool::GiveToNext(Slot& slot) {
  if (waiters_.empty()) return BecomeIdle(slot);
  const auto prefix = [&](const Waiter& w) { return Suitability(slot, w.want); };
  auto next =
      std::max_element(waiters_.begin(), waiters_.end(),
                       [&](const Waiter& a, const Waiter& b) { return prefix(a) < prefix(b); });
  const auto now = core::Clock::now();
  const auto oldest = waiters_.begin();
  const bool in_turn = slot.just_loaded
                           ? CouldUse(slot, next->want)
                           : now - slot.turn_began < options_.turn && GoesOn(slot, next->want);
  if (now - oldest->since > options_.fairness && !in_turn) {
    next = oldest;
    slot.turn_began = now;
  }
  Give(slot, next->want);
  const auto turn = next->turn;
  waiters_.erase(next);
  turn->Set(&slot);
  EndAnUnwantedLoad();
}

void Pool::Close() {
  closed_ = true;
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    slot.worker->Kill();
    if (!slot.busy) slot.worker.reset();  // a busy one is released when its check ends
  }
}

size_t Pool::busy() const {
  return static_cast<size_t>(std::ranges::count(slots_, true, &Slot::busy));
}

std::vector<int> Pool::pids() const {
  std::vector<int> pids;
  for (const Slot& slot : slots_) {
    if (slot.worker && slot.worker->alive()) pids.push_back(slot.worker->pid());
  }
  return pids;
}

}  // namespace zermelo::lean
