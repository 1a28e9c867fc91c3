// The part of the pool that starts workers, here and elsewhere.
#include <algorithm>

#include "lean/pool.h"
#include "lean/remote/far_side.h"
#include "syntax/declarations.h"

namespace zermelo::lean {

using core::ErrorCode;
using core::Fail;
using core::Result;

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

/// Whether the place of a check's worker has failed, and not the check.
bool Pool::NoteHealth(Slot& slot, const Result<CheckResult>& result) {
  if (slot.place == nullptr || !slot.worker) return false;
  remote::FarSide& far_side = *slot.worker->far_side();
  // A check that ends at its deadline while nothing is heard would have been answered elsewhere.
  if (!result && result.error().code == ErrorCode::kTimeout && far_side.Quiet()) {
    far_side.GiveUp();
  }
  const std::string project = slot.place->KeyOf(*slot.setup.toolchain);
  const auto failure = far_side.failure();
  remote::PlaceEvent event{.place = slot.place->place()->name,
                           .why = failure ? failure->why : "",
                           .pause = 0,
                           .failures = slot.place->failures()};
  if (!failure) {
    if (!result || slot.place->trouble().empty()) return false;
    slot.place->Works(project, far_side.began());
    if (!slot.place->trouble().empty()) return false;
  } else {
    const auto pause = slot.place->Failed(*failure, project, core::Clock::now());
    event.pause = core::Seconds(pause);
    event.failures = slot.place->failures();
    TryPlacesAgain();
  }
  if (options_.on_place) options_.on_place(event);
  return failure.has_value();
}

/// Gives slots of places to requests that wait as soon as these may be tried again.
void Pool::TryPlacesAgain() {
  auto next = core::Clock::time_point::max();
  for (const auto& place : places_) next = std::min(next, place->NextTry(core::Clock::now()));
  if (next == core::Clock::time_point::max()) return;
  next_try_.expires_at(next);
  next_try_.async_wait([alive = alive_](const boost::system::error_code& error) {
    if (error || *alive == nullptr) return;
    (*alive)->OfferIdleSlots();
    (*alive)->TryPlacesAgain();
  });
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
