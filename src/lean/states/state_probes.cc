#include "lean/states/state_probes.h"

#include <algorithm>

#include "lean/states/state_comparison.h"
#include "lean/states/state_probes.txt.h"
#include "syntax/declarations.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::lean {

using core::Result;
using core::Task;

namespace {

constexpr core::Duration kEach = std::chrono::seconds(20);  // for a candidate
constexpr core::Duration kState = std::chrono::minutes(5);  // for all candidates of a state
constexpr std::string_view kSubjectMark = "=== ", kStateMark = "---", kCandidateMark = "+ ";
constexpr std::string_view kMore = "  ";

syntax::ProofSite SiteOf(const StateProbe& probe) {
  const auto declarations = syntax::FindDeclarations(probe.text);
  return {probe.text, declarations.back(), declarations.back().holes.at(0)};
}

}  // namespace

std::vector<StateProbe> ParseStateProbes(std::string_view text) {
  std::vector<StateProbe> probes;
  std::string subject, file;
  std::string* part = nullptr;  // to which the next lines belong
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.starts_with(kSubjectMark)) {
      subject = line.substr(kSubjectMark.size());
      file.clear();
      part = &file;
    } else if (line == kStateMark) {
      probes.push_back({.subject = subject, .text = file, .tactics = {}, .candidates = {}});
      part = &probes.back().tactics;
    } else if (line.starts_with(kCandidateMark)) {
      part = &probes.back().candidates.emplace_back(line.substr(kCandidateMark.size()));
      *part += '\n';
    } else if (part != nullptr) {
      const bool of_candidate = part != &file && !probes.back().candidates.empty();
      const bool indented = of_candidate && line.starts_with(kMore);
      if (of_candidate && line.empty()) continue;
      part->append(indented ? line.substr(kMore.size()) : line).append("\n");
    }
  }
  return probes;
}

std::vector<StateProbe> StateProbes() { return ParseStateProbes(kStateProbes); }

size_t CandidatesOf(const std::vector<StateProbe>& probes) {
  size_t count = 0;
  for (const StateProbe& probe : probes) count += probe.candidates.size();
  return count;
}

bool Agree(const ProbeResult& worker, const ProbeResult& states) {
  using enum ProbeResult::Outcome;
  if (worker.outcome == kSlow || worker.outcome == kUnknown) return false;
  if (worker.outcome != states.outcome || worker.goals.size() != states.goals.size()) return false;
  for (size_t i = 0; i < worker.goals.size(); ++i) {
    if (Normalized(worker.goals[i]) != Normalized(states.goals[i])) return false;
  }
  return Normalized(worker.message) == Normalized(states.message) &&
         Normalized(worker.suggestion) == Normalized(states.suggestion);
}

Task<Result<std::vector<ProbeDifference>>> CompareOn(Checker& worker, TacticRunner& states,
                                                     std::vector<StateProbe> probes,
                                                     std::function<void(size_t)> done) {
  std::vector<ProbeDifference> differences;
  size_t tried = 0;
  for (const StateProbe& probe : probes) {
    const syntax::ProofSite site = SiteOf(probe);
    ProbeLimits limits;
    limits.per_candidate = kEach;
    limits.deadline = core::Deadline::After(kState);
    const auto theirs = co_await Probe(worker, site, probe.tactics, probe.candidates, limits);
    if (!theirs) co_return core::Fail(theirs.error());
    limits.deadline = core::Deadline::After(kState);
    const auto ours = co_await Probe(states, site, probe.tactics, probe.candidates, limits);
    if (!ours) co_return core::Fail(ours.error());
    if (!*ours) co_return core::Fail(core::ErrorCode::kTimeout, "the state server is busy");
    for (size_t i = 0; i < probe.candidates.size(); ++i) {
      if (Agree((*theirs)[i], (**ours)[i])) continue;
      ProbeDifference& difference = differences.emplace_back();
      difference.probe = probe;
      difference.probe.candidates.assign(1, probe.candidates[i]);
      difference.worker = (*theirs)[i];
      difference.states = (**ours)[i];
    }
    tried += probe.candidates.size();
    done(tried);
  }
  co_return differences;
}

}  // namespace zermelo::lean
