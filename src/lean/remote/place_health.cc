#include "lean/remote/place_health.h"

#include <algorithm>

#include "lean/toolchain.h"

namespace zermelo::lean::remote {

using core::Clock;

std::string PlaceHealth::KeyOf(const Toolchain& toolchain) {
  return toolchain.lean.string() + " " + toolchain.project.string();
}

core::Duration PlaceHealth::Failed(const Failure& failure, const std::string& project,
                                   Clock::time_point now) {
  ++failures_;
  last_failed_ = now;
  trouble_ = last_failure_ = failure.why;
  Pause& pause = pauses_[failure.refused ? project : ""];
  // Workers of one node die together: that is one failure.
  if (now < pause.until) return pause.until - now;
  constexpr unsigned kDoublings = 10;
  const core::Duration length = std::min<core::Duration>(
      kLongestPause, kFirstPause * (1U << std::min(pause.failures, kDoublings)));
  ++pause.failures;
  pause.until = now + length;
  return length;
}

void PlaceHealth::Works(const std::string& project, Clock::time_point began) {
  if (began <= last_failed_) return;
  pauses_.erase("");
  pauses_.erase(project);
  trouble_.clear();
}

bool PlaceHealth::InTrouble(const std::string& project) const {
  return pauses_.contains("") || pauses_.contains(project);
}

bool PlaceHealth::Paused(const std::string& project, Clock::time_point now) const {
  const auto paused = [&](const std::string& key) {
    const auto found = pauses_.find(key);
    return found != pauses_.end() && now < found->second.until;
  };
  return paused("") || paused(project);
}

Clock::time_point PlaceHealth::NextTry(Clock::time_point now) const {
  auto next = Clock::time_point::max();
  for (const auto& [project, pause] : pauses_) {
    if (pause.until > now) next = std::min(next, pause.until);
  }
  return next;
}

}  // namespace zermelo::lean::remote
