// Step policies whose proposals are written down and played again, without models.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace zermelo::policy {

/// What was asked, as far as it decides the answer, and what was proposed.
struct RecordedProposal {
  std::string state;   // as Lean prints it
  std::string prefix;  // the tactics that led there
  size_t n = 0;
  std::vector<Candidate> candidates;
};

/// One line of JSON each; costs survive exactly. Reading: kInput with the line.
std::string ToJsonLine(const RecordedProposal& proposal);
core::Result<std::vector<RecordedProposal>> ReadProposals(std::string_view lines);

/// Asks `inner` and appends what it proposes; errors are passed on and not recorded. `inner` and
/// `log` must outlive the policy.
std::unique_ptr<Policy> MakeRecordingPolicy(Policy& inner, std::vector<RecordedProposal>& log);

/// Proposes what was proposed for the same state, prefix and n: at the k-th time the k-th. A
/// question that was not recorded is a kInput error that says what is missing.
std::unique_ptr<Policy> MakeReplayPolicy(std::vector<RecordedProposal> log);

}  // namespace zermelo::policy
