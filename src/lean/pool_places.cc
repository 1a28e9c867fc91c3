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

// For loading the imports on trial, and hashing them on both sides.
constexpr auto kLoad = std::chrono::minutes(5);

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
  if (failure || !answered) return failure.has_value();
  const std::string project = slot.place->KeyOf(*slot.setup.toolchain);
  const bool was_up = slot.place->trouble().empty();
  if (was_up && !slot.place->InTrouble(project)) return false;
  slot.place->Works(project, far_side.began());
  if (!was_up && slot.place->trouble().empty()) Report(*slot.place, /*why=*/"", /*pause=*/{});
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

/// The slot in which to start a worker that shows whether a place works again; null: not now. One
/// at a time; a worker with other imports is stopped only if there is no empty slot.
Pool::Slot* Pool::SlotToTry(const remote::PlaceHealth& place, const std::string& project) {
  if (!place.InTrouble(project) || place.Paused(project, core::Clock::now())) return nullptr;
  const auto is_empty = [](const Slot& slot) { return !slot.worker || !slot.worker->alive(); };
  Slot* best = nullptr;
  for (Slot& slot : slots_) {
    if (slot.place != &place) continue;
    if (slot.on_trial) return nullptr;
    if (slot.busy() || (best != nullptr && (is_empty(*best) || !is_empty(slot)))) continue;
    best = &slot;
  }
  return best;
}

/// Tries places that have failed for the requests that wait. These go on waiting: a node that hangs
/// can take a minute to fail again, and meanwhile a worker elsewhere may be free.
void Pool::TryPlaces() {
  if (closed_) return;
  for (const Waiter& waiter : waiters_) {
    if (waiter.request.setup == nullptr || waiter.request.where == Try::kHere) continue;
    const std::string project = remote::PlaceHealth::KeyOf(*waiter.request.setup->toolchain);
    const std::string& text = *waiter.request.text;
    for (const auto& place : places_) {
      Slot* const slot = SlotToTry(*place, project);
      if (slot == nullptr) continue;
      Give(*slot, Request());
      slot->on_trial = true;
      core::Launch(executor_, TryPlace(alive_, *slot, *waiter.request.setup,
                                       text.substr(0, syntax::HeaderEnd(text))));
    }
  }
}

Task<void> Pool::TryPlace(std::shared_ptr<Pool*> alive, Slot& slot, WorkerSetup setup,
                          std::string header) {
  if (*alive == nullptr) co_return;
  slot.worker.reset();
  slot.setup = setup;
  CheckRequest load;
  load.text = header;
  load.deadline = core::Deadline::After(slot.place->place()->connect + kLoad);
  const auto deadline = load.deadline;
  core::Status answers = (*alive)->StartWorker(slot, setup, header);
  if (answers) answers = co_await slot.worker->Connect(deadline, /*cancellation=*/nullptr);
  if (*alive == nullptr) co_return;
  if (answers) answers = co_await slot.worker->Load(std::move(load));
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
