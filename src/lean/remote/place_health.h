// Whether a place for workers works and, if not, when to try it again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/async.h"
#include "lean/remote/remote.h"

namespace zermelo::lean::remote {

/// After a failure a place gets no worker for a second, after the next one without a success in
/// between for two, and so on up to five minutes. A refusal concerns only the project that it was
/// for.
class PlaceHealth {
 public:
  static constexpr core::Duration kFirstPause = std::chrono::seconds(1);
  static constexpr core::Duration kLongestPause = std::chrono::minutes(5);

  explicit PlaceHealth(std::shared_ptr<const Place> place) : place_(std::move(place)) {}

  /// The project for which a refusal is remembered.
  static std::string KeyOf(const Toolchain& toolchain);

  /// Returns the length of the pause that begins.
  core::Duration Failed(const Failure& failure, const std::string& project,
                        core::Clock::time_point now);
  /// A worker that began at this time has answered. That ends the pauses if it began after the last
  /// failure: connections from before say nothing about new ones.
  void Works(const std::string& project, core::Clock::time_point began);
  /// Whether it has failed, as a whole or for this project, and has not worked since.
  bool InTrouble(const std::string& project) const;
  bool Paused(const std::string& project, core::Clock::time_point now) const;
  /// The end of the pause that ends first; the maximum if there is none.
  core::Clock::time_point NextTry(core::Clock::time_point now) const;

  const std::shared_ptr<const Place>& place() const { return place_; }
  uint64_t failures() const { return failures_; }
  /// Why it last failed; empty if it never has.
  const std::string& last_failure() const { return last_failure_; }
  /// The same; empty once the place has worked again.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Pause {
    unsigned failures = 0;  // since it last worked
    core::Clock::time_point until = {};
  };
  const std::shared_ptr<const Place> place_;
  std::map<std::string, Pause> pauses_;  // by project; of the whole place: ""
  core::Clock::time_point last_failed_ = core::Clock::time_point::min();
  uint64_t failures_ = 0;
  std::string last_failure_;
  std::string trouble_;
};

/// What happens at a place, for logs.
struct PlaceEvent {
  std::string place;
  std::string why;        // empty: it works again
  double pause = 0;       // seconds until it is tried again
  uint64_t failures = 0;  // of the place so far
};

}  // namespace zermelo::lean::remote
