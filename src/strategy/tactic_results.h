// What Lean said of tactics in the searches for one theorem's proof, so that none runs them again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/deadline.h"
#include "lean/probe.h"

namespace zermelo::strategy {

/// The results of tactics, each on the first goal after the tactics of a prefix. Nothing is
/// forgotten. Once the texts take kMostBytes, only what Lean died of, or was too slow for, is
/// added.
class TacticResults {
 public:
  static constexpr size_t kMostBytes = size_t{64} << 20U;

  /// What the tactic gives within a time limit; null if that is not known. Valid until the next
  /// call of Add.
  const lean::ProbeResult* Find(std::string_view prefix, std::string_view tactic,
                                core::Duration limit) const;
  /// A tactic that was not tried, or ran out of heartbeats, is not added. One that was too slow,
  /// and a search of the library that did not close the goal, may do more within a greater limit.
  void Add(std::string_view prefix, std::string_view tactic, core::Duration limit,
           const lean::ProbeResult& result);

 private:
  struct Known {
    lean::ProbeResult result;
    core::Duration limit{};  // the greatest for which this is the result
  };
  std::unordered_map<std::string, Known> known_;
  size_t bytes_ = 0;
};

}  // namespace zermelo::strategy
