// Synthetic theorems to search (docs/search.md, "A synthetic space").
#pragma once

#include <algorithm>
#include <vector>

#include "core/random.h"
#include "search/tree.h"

namespace zermelo::search {

struct ProofSpaceParameters {
  uint32_t min_depth = 4;       // length of a proof in tactics, drawn for each theorem
  uint32_t max_depth = 12;      // inclusive
  uint32_t width = 200;         // states in a layer; one state of the last layer is the goal
  uint32_t max_successors = 6;  // each state has 1 to this many successors
  uint32_t tactics = 64;        // known to the model; the n-th is 1/n as likely as the first
  double failing = 0.3;         // share of tactics that fail
};

/// A theorem: a random layered graph of tactic states, with a model that writes tactics for it.
/// A pure function of its seed; the graph is not stored.
class ProofSpace {
 public:
  /// Uses the first seed at or after `seed` whose theorem has a proof.
  ProofSpace(const ProofSpaceParameters& parameters, uint64_t seed) : parameters_(parameters) {
    double weight = 0;
    for (uint32_t n = 1; n <= parameters.tactics; ++n) cumulated_.push_back(weight += 1.0 / n);
    for (double& sum : cumulated_) sum /= weight;
    cumulated_.back() = 1;
    do {
      seed_ = core::Mix(seed++);
      depth_ = parameters.min_depth +
               static_cast<uint32_t>(core::Below(core::Mix(seed_, kDepth),
                                                 parameters.max_depth - parameters.min_depth + 1));
    } while (ProofProbability() == 0);
  }

  StateKey root() const { return 0; }
  StateKey goal() const { return StateKey{depth_} * parameters_.width; }
  uint32_t depth() const { return depth_; }

  /// Generates tactics starting at `from` and returns the states after each one, up to the goal or
  /// the first error.
  std::vector<StateKey> Generate(StateKey from, core::Random& random) const {
    std::vector<StateKey> states;
    for (StateKey at = from; at != goal();) {
      const StateKey to = Apply(at, DrawTactic(random));
      if (to == kError) break;
      states.push_back(at = to);
    }
    return states;
  }

  /// Probability that one generation from the root is a proof.
  double ProofProbability() const {
    std::vector<double> layer(parameters_.width);
    layer[0] = 1;
    for (uint32_t depth = 0; depth < depth_; ++depth) {
      std::vector<double> next(parameters_.width);
      for (uint32_t i = 0; i < parameters_.width; ++i) {
        if (layer[i] == 0) continue;
        double before = 0;
        for (uint32_t tactic = 0; tactic < parameters_.tactics; ++tactic) {
          const StateKey to = Apply(StateKey{depth} * parameters_.width + i, tactic);
          const double probability = cumulated_[tactic] - before;
          before = cumulated_[tactic];
          if (to != kError) next[to % parameters_.width] += layer[i] * probability;
        }
      }
      layer = std::move(next);
    }
    return layer[0];
  }

 private:
  static constexpr StateKey kError = UINT64_MAX;
  enum Draw : uint64_t { kDepth, kSuccessors, kTactic, kState };

  uint32_t DrawTactic(core::Random& random) const {
    const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), random.Unit());
    return static_cast<uint32_t>(found - cumulated_.begin());
  }

  /// The state after a tactic: one of the successors of `at`, or kError.
  StateKey Apply(StateKey at, uint32_t tactic) const {
    const StateKey layer = at / parameters_.width;
    if (layer == depth_) return kError;  // not the goal, and every tactic fails here
    const uint64_t here = core::Mix(seed_, at);
    const uint64_t outcome = core::Mix(core::Mix(here, kTactic), tactic);
    if (core::Unit(outcome) < parameters_.failing) return kError;
    const uint64_t successors =
        1 + core::Below(core::Mix(here, kSuccessors), parameters_.max_successors);
    const uint64_t successor = core::Below(core::Mix(outcome), successors);
    return (layer + 1) * parameters_.width +
           core::Below(core::Mix(core::Mix(here, kState), successor), parameters_.width);
  }

  ProofSpaceParameters parameters_;
  uint64_t seed_ = 0;
  uint32_t depth_ = 0;
  std::vector<double> cumulated_;  // cumulative probabilities of the tactics
};

}  // namespace zermelo::search
