#include "lean/pool.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lean/declarations.h"

namespace zermelo::lean {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

constexpr auto kComeBack = std::chrono::milliseconds(1);

/// How much of a text a worker has elaborated already, in bytes; 0 when it would have to start
/// anew because the imports differ.
size_t Reusable(const Worker& worker, const std::string& text) {
  if (!worker.CanTake(text)) return 0;
  const std::string& last = worker.text();
  const auto [end, ignored] = std::mismatch(last.begin(), last.end(), text.begin(), text.end());
  return 1 + static_cast<size_t>(end - last.begin());
}

}  // namespace

/// Gives the slot back however the check ends.
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
      toolchain_(std::move(toolchain)),
      options_(options),
      slots_(std::max<size_t>(1, options.workers)) {}

Pool::~Pool() { *alive_ = nullptr; }

Task<Result<CheckResult>> Pool::Check(CheckRequest request) {
  auto result = co_await CheckOnce(request, /*fresh=*/false);
  if (!closed_ && !result && result.error().code == ErrorCode::kCrashed &&
      !request.deadline.Passed()) {
    result = co_await CheckOnce(request, /*fresh=*/true);  // others may have died with it
  }
  if (closed_) co_return Fail(ErrorCode::kCancelled, "the search was stopped");
  ++stats_.checks;
  if (!result && result.error().code == ErrorCode::kTimeout) ++stats_.timeouts;
  co_return result;
}

Task<Result<CheckResult>> Pool::CheckOnce(const CheckRequest& request, bool fresh) {
  const auto acquired = co_await Acquire(request, fresh);
  if (!acquired) co_return Fail(acquired.error());
  Slot* const slot = *acquired;
  const Lease lease(*this, *slot);
  if (closed_) co_return Fail(ErrorCode::kCancelled, "the search was stopped");
  if (slot->worker && (fresh || !slot->worker->CanTake(request.text))) slot->worker.reset();
  if (!slot->worker) {
    auto started = Worker::Start(executor_, toolchain_, options_.worker);
    if (!started) co_return Fail(started.error());
    slot->worker = std::move(*started);
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

Task<Result<CheckResult>> Pool::CheckWithin(Worker& worker, CheckRequest request) {
  if (!request.limit) co_return co_await worker.Check(std::move(request));
  if (worker.checks() == 0) {
    CheckRequest header;
    header.text = request.text.substr(0, HeaderEnd(request.text));
    header.deadline = request.deadline.Earlier(core::Deadline::After(*request.limit));
    header.cancellation = request.cancellation;
    auto up = co_await worker.Check(std::move(header));
    if (!up) co_return up;
  }
  request.deadline = request.deadline.Earlier(core::Deadline::After(*request.limit));
  co_return co_await worker.Check(std::move(request));
}

/// The more, the better. Where nothing can be reused, an empty slot is better than a worker with
/// other imports, which would have to go: somebody may come back for those.
size_t Pool::Suitability(const Slot& slot, const std::string& text) {
  if (!slot.worker) return 1;
  const size_t reusable = Reusable(*slot.worker, text);
  return reusable == 0 ? 0 : 1 + reusable;
}

/// Most of the text is what the worker has.
bool Pool::GoesOn(const Slot& slot, const std::string& text) {
  return slot.worker && 2 * Reusable(*slot.worker, text) > text.size();
}

void Pool::Give(Slot& slot, const std::string& text) {
  if (!GoesOn(slot, text)) slot.turn_began = core::Clock::now();
  slot.busy = true;
}

Pool::Slot* Pool::BestFree(const std::string& text, bool fresh) {
  Slot* best = nullptr;
  size_t best_suits = 0;
  for (Slot& slot : slots_) {
    if (slot.busy) continue;
    const size_t suits = fresh ? (slot.worker ? 0 : 1) : Suitability(slot, text);
    const bool better =
        best == nullptr || suits > best_suits || (suits == best_suits && slot.freed < best->freed);
    if (!better) continue;
    best = &slot;
    best_suits = suits;
  }
  return best;
}

Task<Result<Pool::Slot*>> Pool::Acquire(const CheckRequest& request, bool fresh) {
  const auto cancelled = [] {
    return core::Error{.code = ErrorCode::kCancelled, .message = "the check was cancelled"};
  };
  if (request.cancellation != nullptr && request.cancellation->requested()) {
    co_return Fail(cancelled());
  }
  if (Slot* const best = BestFree(request.text, fresh); best != nullptr) {
    Give(*best, request.text);
    co_return best;
  }
  const auto turn = std::make_shared<Turn>(executor_);
  waiters_.push_back({.text = &request.text, .since = core::Clock::now(), .turn = turn});
  const auto leave = [this, turn] {
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.turn == turn; });
  };
  std::optional<core::Cancellation::Subscription> cancel;
  if (request.cancellation != nullptr) {
    // Out of the queue at once: nobody gives a slot to one who no longer wants it.
    cancel.emplace(*request.cancellation, [=] {
      leave();
      turn->Set(Fail(cancelled()));
    });
  }
  auto got = co_await turn->Wait(request.deadline);
  if (got) co_return std::move(*got);
  leave();
  co_return Fail(ErrorCode::kTimeout, "no Lean worker was free before the deadline");
}

void Pool::Release(Slot& slot) {
  if (slot.worker && (!slot.worker->alive() || slot.worker->checks() >= options_.max_checks ||
                      slot.worker->age() >= options_.max_age ||
                      slot.worker->ResidentBytes() > options_.max_resident_bytes)) {
    slot.worker.reset();
  }
  slot.freed = core::Clock::now();
  if (waiters_.empty()) {
    slot.busy = false;
    return;
  }
  core::Launch(executor_, PassOn(alive_, slot));
}

/// Who has just had the slot often comes back at once, and shares most: it gets the time to.
Task<void> Pool::PassOn(std::shared_ptr<Pool*> alive, Slot& slot) {
  boost::asio::steady_timer soon(co_await boost::asio::this_coro::executor, kComeBack);
  co_await soon.async_wait(boost::asio::use_awaitable);
  if (*alive != nullptr) (*alive)->GiveToNext(slot);
}

void Pool::GiveToNext(Slot& slot) {
  if (waiters_.empty()) {
    slot.busy = false;
    return;
  }
  const auto prefix = [&](const Waiter& w) { return Suitability(slot, *w.text); };
  auto next =
      std::max_element(waiters_.begin(), waiters_.end(),
                       [&](const Waiter& a, const Waiter& b) { return prefix(a) < prefix(b); });
  const auto now = core::Clock::now();
  const auto oldest = waiters_.begin();
  const bool in_turn = now - slot.turn_began < options_.turn && GoesOn(slot, *next->text);
  if (now - oldest->since > options_.fairness && !in_turn) {
    next = oldest;
    slot.turn_began = now;
  }
  Give(slot, *next->text);
  const auto turn = next->turn;
  waiters_.erase(next);
  turn->Set(&slot);
}

void Pool::Close() {
  closed_ = true;
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    slot.worker->Kill();
    if (!slot.busy) slot.worker.reset();  // the others go when their check ends
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
