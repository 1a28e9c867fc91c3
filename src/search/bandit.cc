#include "search/bandit.h"

#include <array>
#include <cmath>
#include <limits>

namespace zermelo::search {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Lower bounds in the reference code.
constexpr double kLeastVisits = 0.01;
constexpr double kLeastTotal = 2;

double Mean(Statistic arm) { return arm.visits > 0 ? arm.reward / arm.visits : 0; }

double UcbFactor(double total_visits, double exploration) {
  return exploration * std::sqrt(2 * std::log(std::max(total_visits, 1.0)));
}
double UcbFrom(Statistic arm, double factor) {
  return arm.visits > 0 ? Mean(arm) + factor / std::sqrt(arm.visits) : kInfinity;
}

double PuctFactor(double total_visits, double exploration) {
  return exploration * std::sqrt(total_visits);
}
double PuctFrom(Statistic arm, double factor, double prior) {
  return Mean(arm) + factor * prior / (1 + arm.visits);
}

/// In double, the sum is exact for up to 256 rewards of 0 and from 2^-22 to 1: its order does not
/// matter.
double Sum(std::span<const float> rewards) {
  std::array<double, 4> sums{};
  size_t i = 0;
  for (; i + sums.size() <= rewards.size(); i += sums.size()) {
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += rewards[i + k];
  }
  for (; i < rewards.size(); ++i) sums[0] += rewards[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

core::Status Check(const BanditParameters& parameters) {
  const auto bad = [](const char* what) { return core::Fail(core::ErrorCode::kUsage, what); };
  if (static_cast<int>(parameters.bandit) < 0) {
    return bad("bandit must be ucb1, ducb, swucb, own_visits or puct");
  }
  if (static_cast<int>(parameters.convention) < 0) {
    return bad("convention must be paper or reference_code");
  }
  if (!(parameters.gamma > 0 && parameters.gamma < 1)) {
    return bad("gamma must be above 0 and below 1");
  }
  if (parameters.window == 0) return bad("window must be at least 1");
  if (!(parameters.exploration >= 0 && std::isfinite(parameters.exploration))) {
    return bad("exploration must be a number, 0 or more");
  }
  return {};
}

Statistic Windowed(std::span<const float> older, std::span<const float> newer, size_t zeros,
                   size_t window) {
  const size_t all = older.size() + newer.size() + zeros;
  Statistic arm{0, static_cast<double>(std::min(all, window))};
  size_t outside = all - std::min(all, window);
  for (const auto rewards : {older, newer}) {
    const size_t skipped = std::min(outside, rewards.size());
    outside -= skipped;
    arm.reward += Sum(rewards.subspan(skipped));
  }
  return arm;
}

double UcbScore(Statistic arm, double total_visits, double exploration) {
  return UcbFrom(arm, UcbFactor(total_visits, exploration));
}

double UcbScoreOfReferenceCode(Statistic arm, double total_visits, double exploration) {
  return UcbScore({arm.reward, std::max(arm.visits, kLeastVisits)},
                  std::max(total_visits, kLeastTotal), exploration);
}

double OwnVisitsScore(Statistic arm, double exploration) {
  if (arm.visits <= 0) return kInfinity;
  const double log_visits = std::log(std::max(arm.visits, 1.0));
  return Mean(arm) + exploration * std::sqrt(log_visits / arm.visits);
}

double PuctScore(Statistic arm, double total_visits, double prior, double exploration) {
  return PuctFrom(arm, PuctFactor(total_visits, exploration), prior);
}

Scorer::Scorer(const BanditParameters& parameters, double total_visits)
    : bandit_(parameters.bandit),
      factor_(parameters.exploration),
      least_visits_(0),
      bound_(kInfinity) {
  if (bandit_ == Bandit::kOwnVisits) return;
  if (bandit_ == Bandit::kPuct) {
    factor_ = PuctFactor(total_visits, parameters.exploration);
    return;
  }
  if (parameters.convention == Convention::kReferenceCode) {
    least_visits_ = kLeastVisits;
    total_visits = std::max(total_visits, kLeastTotal);
  }
  factor_ = UcbFactor(total_visits, parameters.exploration);
  bound_ = (1 + kMargin) * factor_ * factor_;
}

double Scorer::Score(Statistic arm, double prior) const {
  if (bandit_ == Bandit::kPuct) return PuctFrom(arm, factor_, prior);
  if (bandit_ == Bandit::kOwnVisits) return OwnVisitsScore(arm, factor_);
  return UcbFrom({arm.reward, std::max(arm.visits, least_visits_)}, factor_);
}

}  // namespace zermelo::search
