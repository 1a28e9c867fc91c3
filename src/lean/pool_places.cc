// The part of the pool that starts workers, here and elsewhere.
#include <algorithm>

#include "lean/pool.h"
#include "lean/remote/far_side.h"
#include "syntax/declarations.h"

namespace zermelo::lean {

using core::Fail;
using core::Result;
using core::Task;

namespace {

// For hashing the compiled imports on both sides.
constexpr auto kConfirm = std::chrono::minutes(5);

}  // namespace

WorkerOptions Pool::OptionsFor(const Slot& slot, const WorkerSetup& setup) const {
  WorkerOptions options = options_.worker;
  options.skip_kernel = setup.skip_kernel;
  if (slot.place != nullptr && slot.place->place()->max_resident_bytes > 0) {
    options.max_resident_bytes = slot.place->place()->max_resident_bytes;
  }
  return options;
}

core::Status Pool::StartWorker(Slot& slot, const WorkerSetup& setup, const std::string& text) {
  const WorkerOptions options = OptionsFor(slot, setup);
  Result<std::unique_ptr<Worker>> started;
  if (slot.place == nullptr) {
    slot.setup = setup;
    slot.worker = TakeSpare(setup, text);
    if (slot.worker) return {};
    started = Worker::Start(executor_, *setup.toolchain, options);
  } else {
    const auto& place = slot.place->place();
    const bool own_project = setup.toolchain == own_.toolchain;
    auto order = remote::OrderFor(*place, *setup.toolchain, own_project, options,
                                  syntax::ImportedModules(text));
    started = Worker::StartElsewhere(
        executor_,
        std::make_shared<remote::FarSide>(executor_, place, setup.toolchain, std::move(order)),
        options);
  }
  if (!started) return Fail(started.error());
  slot.worker = std::move(*started);
  slot.setup = setup;
  ++stats_.started;
  return {};
}

/// Whether the place of a worker has failed, and not its check. `answered`: it has done what it was
/// asked to.
bool Pool::NoteHealth(Slot& slot, bool answered) {
  if (slot.place == nullptr || !slot.worker) return false;
  const remote::FarSide& far_side = *slot.worker->far_side();
  const auto failure = far_side.failure();
  if (failure) NoteFailure(slot, *failure);
  if (failure || !answered || slot.place->trouble().empty()) return failure.has_value();
  slot.place->Works(slot.place->KeyOf(*slot.setup.toolchain), far_side.began());
  if (!slot.place->trouble().empty()) return false;
  Report(*slot.place, /*why=*/"", /*pause=*/{});
  OfferIdleSlots();
  return false;
}

void Pool::NoteFailure(const Slot& slot, const remote::Failure& failure) {
  const std::string project = slot.place->KeyOf(*slot.setup.toolchain);
  const auto pause = slot.place->Failed(failure, project, core::Clock::now());
  WaitForNextTry();
  Report(*slot.place, failure.why, pause);
}

void Pool::Report(const remote::PlaceHealth& place, const std::string& why, core::Duration pause) {
  if (!options_.on_place) return;
  options_.on_place(remote::PlaceEvent{.place = place.place()->name,
                                       .why = why,
                                       .pause = core::Seconds(pause),
                                       .failures = place.failures()});
}

void Pool::WaitForNextTry() {
  auto next = core::Clock::time_point::max();
  for (const auto& place : places_) next = std::min(next, place->NextTry(core::Clock::now()));
  if (next == core::Clock::time_point::max()) return;
  next_try_.expires_at(next);
  next_try_.async_wait([alive = alive_](const boost::system::error_code& error) {
    if (error || *alive == nullptr) return;
    (*alive)->TryPlaces();
    (*alive)->WaitForNextTry();
  });
}

/// Whether a worker may be started there to see whether the place works again; one at a time.
bool Pool::MayTry(const Slot& slot, const std::string& project) const {
  if (slot.place == nullptr || slot.busy() || !slot.place->InTrouble(project)) return false;
  if (slot.place->Paused(project, core::Clock::now())) return false;
  return std::ranges::none_of(
      slots_, [&](const Slot& other) { return other.place == slot.place && other.on_trial; });
}

/// Tries places that have failed for the requests that wait. These go on waiting: a node that hangs
/// can take a minute to fail again, and meanwhile a worker elsewhere may be free.
void Pool::TryPlaces() {
  if (closed_) return;
  for (const Waiter& waiter : waiters_) {
    if (waiter.request.setup == nullptr || waiter.request.where == Try::kHere) continue;
    const std::string project = remote::PlaceHealth::KeyOf(*waiter.request.setup->toolchain);
    for (Slot& slot : slots_) {
      if (!MayTry(slot, project)) continue;
      Give(slot, Request());
      slot.on_trial = true;
      core::Launch(executor_, TryPlace(alive_, slot, *waiter.request.setup, *waiter.request.text));
    }
  }
}

Task<void> Pool::TryPlace(std::shared_ptr<Pool*> alive, Slot& slot, WorkerSetup setup,
                          std::string text) {
  if (*alive == nullptr) co_return;
  slot.worker.reset();
  slot.setup = setup;
  const auto deadline = core::Deadline::After(slot.place->place()->connect + kConfirm);
  core::Status answers = (*alive)->StartWorker(slot, setup, text);
  if (answers) answers = co_await slot.worker->Connect(deadline, /*cancellation=*/nullptr);
  if (*alive == nullptr) co_return;
  if (answers) answers = co_await slot.worker->Confirm(deadline, /*cancellation=*/nullptr);
  if (*alive == nullptr) co_return;
  (*alive)->EndTrial(slot, answers);
}

void Pool::EndTrial(Slot& slot, const core::Status& answers) {
  slot.on_trial = false;
  if (!NoteHealth(slot, answers.has_value()) && !answers) {
    slot.worker.reset();
    const std::string why = slot.place->place()->name + ": " + answers.error().message;
    if (!closed_) NoteFailure(slot, remote::Failure{.refused = false, .why = why});
  }
  Release(slot);
}

void Pool::OfferIdleSlots() {
  for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
    Slot* const slot = BestFree(waiter->request);
    if (slot == nullptr) {
      ++waiter;
      continue;
    }
    Give(*slot, waiter->request);
    const auto grant = waiter->grant;
    waiter = waiters_.erase(waiter);
    grant->Set(slot);
  }
}

}  // namespace zermelo::lean
