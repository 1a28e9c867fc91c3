// The two symbol rankings of Lean's LibrarySuggestions: MePo (Meng and Paulson, "Lightweight
// relevance filtering for machine-generated resolution problems", 2009) and SInE (Hoder and
// Voronkov, "Sine Qua Non for large theory reasoning", 2011), with the constants that Lean uses.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace zermelo::retrieve {

/// Premises by id, best first; larger scores are better.
using Ranking = std::vector<std::pair<int64_t, double>>;

/// The symbols of theorems' types. A symbol is a number below 2^31; relevant symbols (rel, see
/// SymbolUse) have the kRelevant bit set.
struct Theorems {
  static constexpr uint32_t kRelevant = 1U << 31U;

  std::vector<int64_t> ids;
  std::vector<uint32_t> begin = {0};  // symbols of theorem i are at begin[i] to begin[i + 1] - 1
  std::vector<uint32_t> symbols;

  size_t size() const { return ids.size(); }
  void Append(int64_t id, const std::vector<uint32_t>& of);
};

struct MepoParameters {
  double pass = 0.6;         // p: the minimum score of an accepted premise
  double convergence = 2.4;  // c: p grows by (1 - p) / c per round
  bool rarity = true;        // rare symbols weigh more
};

struct SineParameters {
  double tolerance = 3;       // a theorem is indexed under symbols that are at most this many times
                              // as frequent as its rarest one
  double depth_factor = 1.5;  // cost factor of each step away from the goal
};

/// Not thread-safe. Construction is linear in the symbols: some 10 ms for 250,000 theorems.
class SymbolRankings {
 public:
  /// All symbols must be below `symbol_count`; `denied` symbols trigger nothing in SInE.
  SymbolRankings(Theorems theorems, uint32_t symbol_count, const std::vector<uint32_t>& denied);

  /// The `limit` best theorems for a goal with these symbols. C(t) has only the relevant symbols of
  /// a theorem: a goal's symbols are read from its text, which does not show the instances that
  /// Lean counts on both sides.
  Ranking Mepo(const std::vector<uint32_t>& goal, size_t limit,
               const MepoParameters& parameters = {});
  Ranking Sine(const std::vector<uint32_t>& goal, size_t limit) const;

  /// All theorems that have every one of these symbols, those with the fewest symbols first.
  std::vector<int64_t> Containing(const std::vector<uint32_t>& symbols) const;

  /// The number of theorems in which a symbol is relevant.
  uint32_t Frequency(uint32_t symbol) const { return frequency_[symbol]; }

  size_t size() const { return theorems_.size(); }

 private:
  struct Trigger {
    uint32_t theorem = 0;
    float tolerance = 1;
  };
  void BuildOccurrences();
  void BuildTriggers(const SineParameters& parameters);
  double Weight(uint32_t symbol, bool rarity) const;

  Theorems theorems_;
  std::vector<uint32_t> frequency_;         // by symbol
  std::vector<bool> denied_;                // by symbol
  std::vector<uint32_t> occurrence_begin_;  // by symbol, into occurrences_: the theorems with it,
  std::vector<uint32_t> occurrences_;       // the frequency_ relevant occurrences first
  std::vector<uint32_t> relevant_size_;     // by theorem: the number of its relevant symbols
  std::vector<uint32_t> trigger_begin_;     // by symbol, into triggers_
  std::vector<Trigger> triggers_;
  SineParameters sine_;

  struct Standing {
    float met = 0;      // M, the weight of its symbols that are in R; -∞ once accepted
    float missing = 0;  // the number of its other relevant symbols
  };
  std::vector<Standing> standings_;  // by theorem; scratch of Mepo, kept to reuse its memory
};

}  // namespace zermelo::retrieve
