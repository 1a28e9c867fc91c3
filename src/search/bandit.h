// Bandit formulas: the score of an arm, and how a reward updates its statistic.
//
// Sources: DeepSeek-Prover-V1.5 (arXiv 2408.08152), eq. 3-12 and Algorithm 1; its reference code
// (prover/algorithms/rmax_tree_search.py); Bourbaki (arXiv 2507.02726), section 3.2; AlphaGo Zero
// (Silver et al. 2017) for PUCT. docs/search.md lists where they differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "core/error.h"

namespace zermelo::search {

enum class Bandit {
  kUcb1,       // eq. 4-6
  kDucb,       // eq. 7-9: older rewards weigh less
  kSwucb,      // eq. 10-12: only the most recent rewards of an arm count
  kOwnVisits,  // Bourbaki's UCB as printed: log of the arm's own visit count
  kPuct,       // bonus proportional to a prior
};
NLOHMANN_JSON_SERIALIZE_ENUM(Bandit, {{static_cast<Bandit>(-1), nullptr},
                                      {Bandit::kUcb1, "ucb1"},
                                      {Bandit::kDucb, "ducb"},
                                      {Bandit::kSwucb, "swucb"},
                                      {Bandit::kOwnVisits, "own_visits"},
                                      {Bandit::kPuct, "puct"}})

/// How the cases that the formulas leave open are handled: unvisited arms and ties.
enum class Convention {
  /// In eq. 4, 7 and 10 an unvisited arm scores infinity; ties are broken at random.
  kPaper,
  /// In eq. 4, 7 and 10 N is at least 0.01 and the sum of N at least 2; ties go to the first arm:
  /// ∅ before the children, children in the order in which they were added.
  kReferenceCode,
};
NLOHMANN_JSON_SERIALIZE_ENUM(Convention, {{static_cast<Convention>(-1), nullptr},
                                          {Convention::kPaper, "paper"},
                                          {Convention::kReferenceCode, "reference_code"}})

struct BanditParameters {
  Bandit bandit = Bandit::kDucb;
  Convention convention = Convention::kPaper;
  double gamma = 0.99;   // kDucb: discount, 0 < gamma < 1
  uint32_t window = 64;  // kSwucb: number of rewards kept per arm, > 0
  // Factor of the exploration bonus, >= 0: 1 as printed in eq. 4, 7 and 10; C of Bourbaki; c of
  // PUCT.
  double exploration = 1;
  bool operator==(const BanditParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BanditParameters, bandit, convention, gamma, window, exploration)

/// Fails with kUsage if a parameter is out of range or an enum had an unknown name in JSON.
core::Status Check(const BanditParameters& parameters);

/// W (`reward`) and N (`visits`) of one arm (eq. 5-6, 8-9, 11-12).
struct Statistic {
  double reward = 0;
  double visits = 0;
  bool operator==(const Statistic&) const = default;
};

/// Eq. 3: RMax's intrinsic reward for an expansion.
constexpr double IntrinsicReward(bool added_a_node) { return added_a_node ? 1 : 0; }

/// Section 4.2: 1 for a complete proof. UCT without intrinsic reward is kUcb1 with this.
constexpr double ExtrinsicReward(bool proved) { return proved ? 1 : 0; }

/// Eq. 5-6: plain sums.
constexpr Statistic Summed(Statistic arm, double reward) {
  return {arm.reward + reward, arm.visits + 1};
}

/// Eq. 8-9 in the recursive form of Algorithm 1, lines 38-39. The exponent in the paper's sum
/// counts the arm's own rewards, so a reward changes only the arms on its path.
constexpr Statistic Discounted(Statistic arm, double reward, double gamma) {
  return {gamma * arm.reward + reward, gamma * arm.visits + 1};
}

/// Eq. 11-12 for an arm whose rewards, oldest first, are `older`, `newer` and then `zeros` zeros.
Statistic Windowed(std::span<const float> older, std::span<const float> newer, size_t zeros,
                   size_t window);

/// Eq. 4, 7, 10: W/N + exploration * sqrt(2 ln(total visits) / N). Infinite if N = 0.
double UcbScore(Statistic arm, double total_visits, double exploration);

/// UcbScore with the reference code's lower bounds: N at least 0.01, total visits at least 2.
double UcbScoreOfReferenceCode(Statistic arm, double total_visits, double exploration);

/// Bourbaki, section 3.2: W/N + C * sqrt(ln N / N), both N being the arm's own. Infinite if N = 0.
double OwnVisitsScore(Statistic arm, double exploration);

/// AlphaGo Zero: W/N + c * prior * sqrt(total visits) / (1 + N), with W/N = 0 if N = 0.
double PuctScore(Statistic arm, double total_visits, double prior, double exploration);

/// One bandit's formula at one node; terms common to all arms are computed once.
class Scorer {
 public:
  /// `total_visits`: sum of N over the node's arms.
  Scorer(const BanditParameters& parameters, double total_visits);

  double Score(Statistic arm, double prior) const;

  /// A cheap test without square root or division: true only if Score(arm, …) < score, but may be
  /// false when the two are close. Valid for means below a million.
  bool IsBelow(Statistic arm, double score) const {
    const double visits = std::max(arm.visits, least_visits_);
    const double lack = score * visits - arm.reward;  // N * (score - W/N)
    return lack > kMargin * visits && lack * lack > bound_ * visits;
  }

 private:
  static constexpr double kMargin = 1e-9;  // far above any rounding error

  Bandit bandit_;
  double factor_;        // of the exploration bonus
  double least_visits_;  // lower bound for N
  double bound_;  // (1 + kMargin) * factor^2 for eq. 4, 7, 10; else infinite, so IsBelow is false
};

}  // namespace zermelo::search
