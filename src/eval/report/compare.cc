#include "eval/report/compare.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "core/hash/sha256.h"
#include "eval/report/statistics.h"

namespace zermelo::eval {

namespace {

/// Whether one of the first `runs` runs solved the problem; nullopt if there is no verdict.
std::optional<bool> ProvedIn(const Results& results, const std::string& problem, size_t runs) {
  bool judged = false;
  for (size_t run = 1; run <= runs; ++run) {
    const auto found = results.find(ResultKey(problem, run));
    if (found == results.end()) continue;
    if (found->second.outcome == ProblemStatus::kProved) return true;
    judged |= found->second.outcome == ProblemStatus::kUnproved ||
              found->second.outcome == ProblemStatus::kDisproved;
  }
  if (!judged) return std::nullopt;
  return false;
}

void Note(Comparison& comparison, size_t count, const std::string& what) {
  if (count == 0) return;
  comparison.notes.push_back(
      fmt::format("{} {} left out: {}", count, count == 1 ? "problem is" : "problems are", what));
}

}  // namespace

core::Result<Comparison> Compare(const Manifest& a, const Results& results_a, const Manifest& b,
                                 const Results& results_b) {
  Comparison comparison;
  comparison.runs = std::min(a.runs, b.runs);
  if (a.runs != b.runs) {
    comparison.notes.push_back(
        fmt::format("one evaluation has {} runs and the other {}: only the first {} count", a.runs,
                    b.runs, comparison.runs));
  }
  std::map<std::string, std::string> texts_b;
  for (const Problem& problem : b.problems) texts_b[problem.name] = problem.Text();
  size_t missing = 0, different = 0, unjudged = 0, common = 0;
  for (const Problem& problem : a.problems) {
    const auto other = texts_b.find(problem.name);
    if (other == texts_b.end()) {
      ++missing;
      continue;
    }
    ++common;
    if (core::Sha256Hex(other->second) != core::Sha256Hex(problem.Text())) {
      ++different;
      continue;
    }
    const auto by_a = ProvedIn(results_a, problem.name, comparison.runs);
    const auto by_b = ProvedIn(results_b, problem.name, comparison.runs);
    if (!by_a || !by_b) {
      ++unjudged;
      continue;
    }
    ++comparison.problems;
    if (*by_a && *by_b) ++comparison.both;
    if (!*by_a && !*by_b) ++comparison.neither;
    if (*by_a && !*by_b) comparison.only_a.push_back(problem.name);
    if (*by_b && !*by_a) comparison.only_b.push_back(problem.name);
  }
  if (common == 0) {
    return core::Fail(core::ErrorCode::kInput, "the two evaluations have no problem in common");
  }
  Note(comparison, missing, "the second evaluation does not have them");
  Note(comparison, b.problems.size() - common, "the first evaluation does not have them");
  Note(comparison, different, "their statements differ");
  Note(comparison, unjudged, "one evaluation has no verdict on them");
  comparison.p = McNemarExact(comparison.only_a.size(), comparison.only_b.size());
  return comparison;
}

nlohmann::json ToJson(const Comparison& comparison) {
  return {{"problems", comparison.problems}, {"both", comparison.both},
          {"neither", comparison.neither},   {"only_a", comparison.only_a},
          {"only_b", comparison.only_b},     {"mcnemar_p", comparison.p},
          {"runs", comparison.runs},         {"notes", comparison.notes}};
}

}  // namespace zermelo::eval
