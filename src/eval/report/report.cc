#include "eval/report/report.h"

#include <algorithm>

#include "core/html_page.h"
#include "eval/report/report.html.h"

namespace zermelo::eval {

using nlohmann::json;

namespace {

std::string Dumped(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

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

/// What the page draws.
json ReportJson(const Manifest& manifest, const Results& results, const Summary& summary) {
  json categories = json::array();  // in the order of the table
  for (const auto& [name, figures] : summary.categories) categories.push_back(name);
  json problems = json::array();
  for (const Problem& problem : manifest.problems) {
    problems.push_back(ProblemJson(manifest, results, problem));
  }
  return {{"summary", LongJson(summary)},
          {"categories", std::move(categories)},
          {"furthest", Furthest(results)},
          {"judged", std::max<size_t>(summary.judged, 1)},
          {"models", manifest.models},
          {"parameters", manifest.parameters},
          {"problems", std::move(problems)},
          {"setup", Dumped({{"parameters", manifest.parameters}, {"setup", manifest.setup}}, 1)}};
}

}  // namespace

std::string ReportHtml(const Manifest& manifest, const Results& results, const Summary& summary) {
  return core::FillPage(kReportHtml, ReportJson(manifest, results, summary));
}

}  // namespace zermelo::eval
