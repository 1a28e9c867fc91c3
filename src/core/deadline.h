// Deadlines: every wait has one.
#pragma once

#include <algorithm>
#include <chrono>

namespace zermelo::core {

using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;

/// The point in time at which a wait ends. A plain value; the default is "never".
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(Clock::time_point at) : at_(at) {}
  /// "never" if `d` is too long to represent.
  static Deadline After(Duration d) {
    const auto now = Clock::now();
    return d >= Clock::time_point::max() - now ? Deadline() : Deadline(now + d);
  }

  Clock::time_point at() const { return at_; }
  bool Passed() const { return Clock::now() >= at_; }
  /// Remaining time; zero when passed.
  Duration Left() const { return std::max(Duration::zero(), at_ - Clock::now()); }
  Deadline Earlier(Deadline other) const { return Deadline(std::min(at_, other.at_)); }

 private:
  Clock::time_point at_ = Clock::time_point::max();
};

inline double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
inline Duration FromSeconds(double s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}

}  // namespace zermelo::core
