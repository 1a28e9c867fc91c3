#include "eval/report/summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "strategy/roles.h"

namespace zermelo::eval {

using nlohmann::json;

namespace {

constexpr const char* kAllRoles = "all roles";
constexpr const char* kAllButTheProver = "all but the prover";

/// The results of one problem in all runs.
struct ProblemFigures {
  const Problem* problem = nullptr;
  std::vector<const ProblemResult*> runs;  // those with a result
  bool invalid = false, solved = false, unverified = false;
  bool disproved = false, contradiction = false;
};

std::vector<ProblemFigures> Gather(const Manifest& manifest, const Results& results) {
  std::vector<ProblemFigures> all;
  for (const Problem& problem : manifest.problems) {
    ProblemFigures figures{.problem = &problem, .runs = {}};
    for (size_t run = 1; run <= manifest.runs; ++run) {
      const auto found = results.find(ResultKey(problem.name, run));
      if (found == results.end()) continue;
      figures.runs.push_back(&found->second);
      figures.invalid |= found->second.outcome == ProblemStatus::kInvalid;
      figures.solved |= found->second.outcome == ProblemStatus::kProved;
      figures.unverified |= found->second.outcome == ProblemStatus::kUnverified;
      figures.disproved |= found->second.outcome == ProblemStatus::kDisproved;
      figures.contradiction |= found->second.outcome == ProblemStatus::kContradiction;
    }
    figures.contradiction |= figures.solved && figures.disproved;  // in different runs
    if (figures.contradiction) figures.solved = figures.disproved = false;
    all.push_back(std::move(figures));
  }
  return all;
}

/// The share solved, by run, of the problems that elaborate and have a result.
std::vector<double> RatesByRun(const std::vector<ProblemFigures>& problems, size_t runs) {
  std::vector<size_t> judged(runs), solved(runs);
  for (const ProblemFigures& figures : problems) {
    for (const ProblemResult* result : figures.runs) {
      if (result->outcome == ProblemStatus::kInvalid) continue;
      ++judged[result->run - 1];
      if (result->outcome == ProblemStatus::kProved && figures.solved) ++solved[result->run - 1];
    }
  }
  std::vector<double> rates;
  for (size_t run = 0; run < runs; ++run) {
    if (judged[run] == 0) continue;
    rates.push_back(static_cast<double>(solved[run]) / static_cast<double>(judged[run]));
  }
  return rates;
}

void CountCategories(const std::vector<ProblemFigures>& problems, size_t runs, Summary& summary) {
  std::map<std::string, std::vector<ProblemFigures>> groups;
  for (const ProblemFigures& figures : problems) {
    const std::string& category = figures.problem->category;
    groups[category.empty() ? "(none)" : category].push_back(figures);
  }
  for (const auto& [name, group] : groups) {
    CategoryFigures figures;
    figures.problems = group.size();
    for (const ProblemFigures& problem : group) {
      if (problem.invalid) ++figures.invalid;
      if (problem.solved) ++figures.solved;
    }
    figures.pass_rate = MeanAndSigma(RatesByRun(group, runs)).mean;
    summary.categories[name] = figures;
  }
}

/// Estimates pass@k for k up to the smallest number of attempts of any problem.
void EstimatePassAt(const std::vector<ProblemFigures>& problems, Summary& summary) {
  struct Count {
    size_t attempts = 0, proved = 0;
  };
  std::vector<Count> counts;
  size_t n = SIZE_MAX;
  for (const ProblemFigures& figures : problems) {
    if (figures.invalid || figures.runs.empty()) continue;
    Count count;
    for (const ProblemResult* result : figures.runs) {
      count.attempts += result->attempts;
      if (!figures.contradiction) count.proved += result->proved;
    }
    n = std::min(n, count.attempts);
    counts.push_back(count);
  }
  if (counts.empty() || n == 0) return;
  const auto estimate = [&](size_t k) {
    double sum = 0;
    for (const Count& count : counts) sum += PassAtK(count.attempts, count.proved, k);
    summary.pass_at[k] = sum / static_cast<double>(counts.size());
  };
  for (size_t k = 1; k < n; k *= 2) estimate(k);
  estimate(n);
}

void DrawCurves(const std::vector<ProblemFigures>& problems, Summary& summary) {
  std::vector<double> samples, tokens, dollars, seconds;
  for (const ProblemFigures& figures : problems) {
    for (const ProblemResult* result : figures.runs) {
      if (result->outcome == ProblemStatus::kInvalid) continue;
      ++summary.judged;
      if (!result->to_proof || figures.contradiction) continue;
      samples.push_back(static_cast<double>(result->to_proof->samples));
      tokens.push_back(static_cast<double>(result->to_proof->tokens));
      dollars.push_back(result->to_proof->dollars);
      seconds.push_back(result->to_proof->seconds);
    }
  }
  const auto any = [](const std::vector<double>& costs) {
    return std::any_of(costs.begin(), costs.end(), [](double cost) { return cost > 0; });
  };
  summary.by_samples = PassCurve(samples, summary.judged);
  if (any(tokens)) summary.by_tokens = PassCurve(tokens, summary.judged);
  if (any(dollars)) summary.by_dollars = PassCurve(dollars, summary.judged);
  summary.by_seconds = PassCurve(seconds, summary.judged);
}

/// Empty for results that were written before this was recorded.
bool HasUseToProof(const ProblemResult& result) {
  return result.checks_to_proof && result.models_to_proof;
}

void DrawRoleCurves(const std::vector<ProblemFigures>& problems, Summary& summary) {
  struct Use {
    double calls = 0, tokens = 0;
  };
  std::set<std::string> roles;
  std::vector<std::map<std::string, Use>> proofs;  // by role
  std::vector<double> checks;
  for (const ProblemFigures& figures : problems) {
    for (const ProblemResult* result : figures.runs) {
      for (const auto& [model, use] : result->models) roles.insert(use.role);
      if (!result->to_proof || figures.contradiction) continue;
      if (!HasUseToProof(*result)) return;
      checks.push_back(static_cast<double>(*result->checks_to_proof));
      auto& proof = proofs.emplace_back();
      for (const auto& [model, use] : *result->models_to_proof) {
        std::vector<std::string> sums{use.role, kAllRoles};
        if (use.role != strategy::role::kProver) sums.emplace_back(kAllButTheProver);
        for (const std::string& role : sums) {
          proof[role].calls += static_cast<double>(use.spent.calls);
          proof[role].tokens += static_cast<double>(use.spent.tokens());
        }
      }
    }
  }
  summary.by_checks = PassCurve(checks, summary.judged);
  std::vector<std::string> names(roles.begin(), roles.end());
  // The paper's "Reasoner" has all roles but the prover's.
  if (roles.size() > 2 && roles.contains(std::string(strategy::role::kProver)))
    names.emplace_back(kAllButTheProver);
  if (roles.size() > 1) names.emplace_back(kAllRoles);
  for (const std::string& role : names) {
    std::vector<double> calls, tokens;
    for (auto& proof : proofs) {
      calls.push_back(proof[role].calls);
      tokens.push_back(proof[role].tokens);
    }
    summary.role_curves.push_back({.role = role,
                                   .by_calls = PassCurve(calls, summary.judged),
                                   .by_tokens = PassCurve(tokens, summary.judged)});
  }
}

void AddCosts(const std::vector<ProblemFigures>& problems, Summary& summary) {
  std::map<std::string, RoleFigures> roles;
  size_t solved = 0;
  for (const ProblemFigures& figures : problems) {
    for (const ProblemResult* result : figures.runs) {
      summary.cost += result->cost;
      for (const auto& [model, use] : result->models) {
        roles[model].model = model;
        roles[model].role = use.role;
        roles[model].total += use;
      }
      if (result->lean_by_role) lean::Add(*result->lean_by_role, summary.lean_by_role);
      if (result->outcome != ProblemStatus::kProved || figures.contradiction) continue;
      ++solved;
      summary.proof_lines.push_back(CountLines(result->proof));
    }
  }
  int64_t answers = 0, samples = 0;
  for (auto& [model, figures] : roles) {
    answers += figures.total.spent.completion_tokens;
    samples += figures.total.spent.samples;
    summary.roles.push_back(std::move(figures));
  }
  if (samples > 0) {
    summary.tokens_per_sample = static_cast<double>(answers) / static_cast<double>(samples);
  }
  if (solved > 0) summary.dollars_per_solved = summary.cost.dollars / static_cast<double>(solved);
}

size_t OpenProblems(const Summary& s) {
  return s.problems - s.invalid - s.solved - s.disproved - s.contradictions.size();
}

std::string FirstLine(const Summary& s) {
  std::string line;
  if (!s.contradictions.empty()) {
    line += fmt::format(
        "CONTRADICTION: {} and the negation were both accepted; they count as neither proved nor "
        "disproved, and nothing that this Lean accepted can be relied on. ",
        fmt::join(s.contradictions, ", "));
  }
  if (s.unverified > 0) {
    line += fmt::format(
        "NOT VERIFIED: Lean could not judge {} of {} problems; they count as unsolved. ",
        s.unverified, s.problems);
  }
  if (s.left > 0) {
    line += fmt::format("INCOMPLETE: {} of {} results are missing. ", s.left, s.problems * s.runs);
  }
  if (!s.missing_shards.empty()) {
    line +=
        fmt::format("INCOMPLETE: shard{} {} {} missing. ", s.missing_shards.size() == 1 ? "" : "s",
                    fmt::join(s.missing_shards, ", "), s.missing_shards.size() == 1 ? "is" : "are");
  }
  const size_t valid = s.problems - s.invalid;
  if (s.runs == 1) {
    line +=
        fmt::format("{} of {} solved ({}, 95 % interval {} to {})", s.solved, valid,
                    Percent(s.pass_rate.mean), Percent(s.interval.low), Percent(s.interval.high));
  } else {
    line +=
        fmt::format("{} ± {} of {} solved over {} runs; {} in at least one",
                    Percent(s.pass_rate.mean), Percent(s.pass_rate.sigma), valid, s.runs, s.solved);
  }
  if (s.or_disprove) {
    line += fmt::format("; {} disproved, {} open", s.disproved, OpenProblems(s));
  }
  if (s.invalid > 0) {
    line += fmt::format("; {} more {} not elaborate", s.invalid, s.invalid == 1 ? "does" : "do");
  }
  return line;
}

json ToJson(const std::vector<CurvePoint>& curve) {
  json points = json::array();
  for (const CurvePoint& point : curve) points.push_back({point.cost, point.rate});
  return points;
}

}  // namespace

bool CategoryOrder::operator()(const std::string& a, const std::string& b) const {
  static const std::vector<std::string> first = {"IMO", "AIME", "AMC", "MATH Algebra",
                                                 "MATH Number Theory"};
  const auto place = [](const std::string& name) {
    return std::find(first.begin(), first.end(), name) - first.begin();
  };
  return std::pair(place(a), a) < std::pair(place(b), b);
}

size_t CountLines(const std::string& text) {
  size_t lines = 0;
  bool blank = true;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') blank = false;
    if (c != '\n') continue;
    if (!blank) ++lines;
    blank = true;
  }
  return blank ? lines : lines + 1;
}

std::string Percent(double rate) { return fmt::format("{:.1f} %", 100 * rate); }

std::string Compact(double value) {
  for (const auto& [size, unit] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (value >= size) return fmt::format("{:.3g}{}", value / size, unit);
  }
  return fmt::format("{:.4g}", value);
}

Summary Summarise(const Manifest& manifest, const Results& results, double seconds) {
  Summary summary;
  if (const auto set = manifest.setup.find("dataset"); set != manifest.setup.end()) {
    summary.dataset = set->value("name", "");
  }
  if (const auto gone = manifest.setup.find("missing_shards");
      gone != manifest.setup.end() && gone->is_array()) {
    for (const json& shard : *gone) {
      if (shard.is_number_unsigned()) summary.missing_shards.push_back(shard.get<size_t>());
    }
  }
  summary.problems = manifest.problems.size();
  summary.runs = manifest.runs;
  summary.seconds = seconds;
  summary.or_disprove =
      manifest.parameters.is_object() && manifest.parameters.value("or_disprove", false);
  summary.has_models = !manifest.models.empty();
  const auto problems = Gather(manifest, results);
  for (const ProblemFigures& figures : problems) {
    if (figures.invalid) ++summary.invalid;
    if (figures.solved) ++summary.solved;
    if (figures.disproved) ++summary.disproved;
    if (figures.contradiction) summary.contradictions.push_back(figures.problem->name);
    if (figures.unverified) {
      ++summary.unverified;
      summary.unverified_problems.push_back(figures.problem->name);
    }
    summary.left += manifest.runs - figures.runs.size();
  }
  summary.rates = RatesByRun(problems, manifest.runs);
  summary.pass_rate = MeanAndSigma(summary.rates);
  const auto judged = static_cast<double>(std::ranges::count_if(
      problems, [](const auto& figures) { return !figures.invalid && !figures.runs.empty(); }));
  summary.interval = Wilson(summary.pass_rate.mean * judged, judged);
  CountCategories(problems, manifest.runs, summary);
  if (manifest.independent) EstimatePassAt(problems, summary);
  DrawCurves(problems, summary);
  DrawRoleCurves(problems, summary);
  AddCosts(problems, summary);
  summary.first_line = FirstLine(summary);
  return summary;
}

json ShortJson(const Summary& summary) {
  json categories = json::object();
  for (const auto& [name, figures] : summary.categories) {
    categories[name] = {{"problems", figures.problems},
                        {"invalid", figures.invalid},
                        {"solved", figures.solved},
                        {"pass_rate", figures.pass_rate}};
  }
  json figures = {{"dataset", summary.dataset},          {"problems", summary.problems},
                  {"invalid", summary.invalid},          {"solved", summary.solved},
                  {"pass_rate", summary.pass_rate.mean}, {"runs", summary.runs},
                  {"seconds", summary.seconds},          {"samples", summary.cost.samples},
                  {"tokens", summary.cost.tokens},       {"money", summary.cost.dollars},
                  {"by_category", std::move(categories)}};
  if (summary.or_disprove) {
    figures["disproved"] = summary.disproved;
    figures["open"] = OpenProblems(summary);
    figures["contradictions"] = summary.contradictions;
  }
  return figures;
}

json LongJson(const Summary& summary) {
  json all = ShortJson(summary);
  all["first_line"] = summary.first_line;
  all["left"] = summary.left;
  all["missing_shards"] = summary.missing_shards;
  all["unverified"] = summary.unverified_problems;
  all["pass_rate_by_run"] = summary.rates;
  all["pass_rate_sigma"] = summary.pass_rate.sigma;
  all["pass_rate_wilson_95"] = {summary.interval.low, summary.interval.high};
  json pass_at = json::object();
  for (const auto& [k, rate] : summary.pass_at) pass_at[std::to_string(k)] = rate;
  all["pass_at_k"] = std::move(pass_at);
  all["search_seconds"] = summary.cost.seconds;
  all["without_result"] = summary.without_result;
  all["tokens_per_sample"] = summary.tokens_per_sample;
  all["money_per_solved"] = summary.dollars_per_solved ? json(*summary.dollars_per_solved) : json();
  json roles = json::array();
  for (const RoleFigures& figures : summary.roles) {
    json row = figures.total;
    row["model"] = figures.model;
    row["role"] = figures.role;
    roles.push_back(std::move(row));
  }
  all["by_role"] = std::move(roles);
  all["lean_by_role"] = summary.lean_by_role;
  json role_curves = json::array();
  for (const RoleCurves& curves : summary.role_curves) {
    role_curves.push_back({{"role", curves.role},
                           {"calls", ToJson(curves.by_calls)},
                           {"tokens", ToJson(curves.by_tokens)}});
  }
  all["curves"] = {{"samples", ToJson(summary.by_samples)}, {"tokens", ToJson(summary.by_tokens)},
                   {"money", ToJson(summary.by_dollars)},   {"seconds", ToJson(summary.by_seconds)},
                   {"checks", ToJson(summary.by_checks)},   {"roles", std::move(role_curves)}};
  all["proof_lines"] = summary.proof_lines;
  return all;
}

}  // namespace zermelo::eval
