#include "eval/report/report.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"

namespace zermelo::eval {

using nlohmann::json;

namespace {

/// A problem with the result to show: the last with a disproof, else the first with a proof, if
/// there is one.
json ProblemJson(const Manifest& manifest, const Results& results, const Problem& problem) {
  const ProblemResult* best = nullptr;
  size_t proved = 0, runs = 0;
  for (size_t run = 1; run <= manifest.runs; ++run) {
    const auto found = results.find(ResultKey(problem.name, run));
    if (found == results.end()) continue;
    ++runs;
    const bool is_proved = found->second.outcome == ProblemStatus::kProved;
    const bool is_refuted = found->second.outcome == ProblemStatus::kDisproved ||
                            found->second.outcome == ProblemStatus::kContradiction;
    if (best == nullptr || is_refuted || (is_proved && proved == 0)) best = &found->second;
    if (is_proved) ++proved;
  }
  json whole{{"problem", problem}, {"runs", runs}, {"proved", proved}};
  if (best != nullptr) whole["result"] = *best;
  for (const char* not_shown : {"header", "trailer", "lean"}) whole["problem"].erase(not_shown);
  return whole;
}

/// The largest costs of a problem in a run, where the axes of the charts end.
Cost Furthest(const Results& results) {
  Cost furthest;
  for (const auto& [key, result] : results) {
    furthest.samples = std::max(furthest.samples, result.cost.samples);
    furthest.tokens = std::max(furthest.tokens, result.cost.tokens);
    furthest.dollars = std::max(furthest.dollars, result.cost.dollars);
    furthest.seconds = std::max(furthest.seconds, result.cost.seconds);
  }
  return furthest;
}

/// When results came, from the first to the last, and when each solved problem had its first proof.
json TimesJson(const Results& results) {
  std::map<std::string, std::string> proofs;  // by problem
  std::string first, last;
  for (const auto& [key, result] : results) {
    if (first.empty() || result.ended < first) first = result.ended;
    last = std::max(last, result.ended);
    if (result.outcome != ProblemStatus::kProved) continue;
    const auto [found, is_new] = proofs.try_emplace(result.problem, result.ended);
    if (!is_new) found->second = std::min(found->second, result.ended);
  }
  std::vector<std::string> solved;
  for (const auto& [problem, ended] : proofs) solved.push_back(ended);
  std::ranges::sort(solved);
  return {{"first", first}, {"last", last}, {"solved", solved}};
}

}  // namespace

json ReportJson(const Manifest& manifest, const Results& results, const Summary& summary) {
  json categories = json::array();  // in the order of the table
  for (const auto& [name, figures] : summary.categories) categories.push_back(name);
  json problems = json::array();
  for (const Problem& problem : manifest.problems) {
    problems.push_back(ProblemJson(manifest, results, problem));
  }
  return {
      {"summary", LongJson(summary)},
      {"categories", std::move(categories)},
      {"furthest", Furthest(results)},
      {"judged", std::max<size_t>(summary.judged, 1)},
      {"models", manifest.models},
      {"parameters", manifest.parameters},
      {"problems", std::move(problems)},
      {"times", TimesJson(results)},
      {"setup", core::Dump({{"parameters", manifest.parameters}, {"setup", manifest.setup}}, 1)}};
}

}  // namespace zermelo::eval
