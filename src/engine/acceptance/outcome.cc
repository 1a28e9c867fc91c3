#include "engine/acceptance/outcome.h"

#include <algorithm>
#include <iterator>

#include "engine/acceptance/acceptance.h"
#include "lean/worker.h"

namespace zermelo::engine {

namespace {

// In the order of the enumeration.
constexpr std::string_view kNames[] = {"accepted",  "rejected", "open",          "declined",
                                       "timed_out", "crashed",  "infrastructure"};
static_assert(std::size(kNames) == kOutcomeCount);

/// Whether there are reasons against a report, all of which have this code.
bool AllAre(const AcceptanceReport& report, trust::ReasonCode code) {
  const auto all = [&](const std::vector<trust::Reason>& reasons) {
    return std::ranges::all_of(reasons,
                               [&](const trust::Reason& reason) { return reason.code == code; });
  };
  const bool any = !report.reasons.empty() ||
                   std::ranges::any_of(report.targets, [](const JudgedTarget& target) {
                     return !target.reasons.empty();
                   });
  return any && all(report.reasons) &&
         std::ranges::all_of(report.targets,
                             [&](const JudgedTarget& target) { return all(target.reasons); });
}

}  // namespace

const char* Name(Outcome outcome) { return kNames[static_cast<size_t>(outcome)].data(); }

bool ParseOutcome(std::string_view name, Outcome* outcome) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return false;
  *outcome = static_cast<Outcome>(found - std::begin(kNames));
  return true;
}

bool WasJudged(Outcome outcome) {
  return outcome != Outcome::kCrashed && outcome != Outcome::kInfrastructure;
}

int ExitCode(Outcome outcome) {
  if (outcome == Outcome::kInfrastructure) return core::ExitCode(core::ErrorCode::kEnvironment);
  return outcome == Outcome::kAccepted ? 0 : 1;
}

Outcome OutcomeOf(const AcceptanceReport& report) {
  if (report.lost) return OutcomeOf(*report.lost);
  if (report.accepted) return Outcome::kAccepted;
  if (AllAre(report, trust::ReasonCode::kUsesSorry) ||
      AllAre(report, trust::ReasonCode::kSorryAdded)) {
    return Outcome::kOpen;
  }
  return AllAre(report, trust::ReasonCode::kKernelDeclined) ? Outcome::kDeclined
                                                            : Outcome::kRejected;
}

Outcome OutcomeOf(lean::CheckStatus status) {
  switch (status) {
    case lean::CheckStatus::kAccepted:
      return Outcome::kAccepted;
    case lean::CheckStatus::kSorry:
      return Outcome::kOpen;
    case lean::CheckStatus::kRejected:
      break;
    case lean::CheckStatus::kStalled:
      return Outcome::kTimedOut;
  }
  return Outcome::kRejected;
}

Outcome OutcomeOf(const core::Error& error) {
  switch (error.code) {
    case core::ErrorCode::kTimeout:
      return Outcome::kTimedOut;
    case core::ErrorCode::kCrashed:
      return Outcome::kCrashed;
    case core::ErrorCode::kUsage:
    case core::ErrorCode::kInput:
      return Outcome::kRejected;
    default:
      return Outcome::kInfrastructure;
  }
}

}  // namespace zermelo::engine
