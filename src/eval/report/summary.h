// The figures of an evaluation.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/record.h"
#include "eval/report/statistics.h"
#include "eval/result_log.h"

namespace zermelo::eval {

struct CategoryFigures {
  size_t problems = 0;
  size_t invalid = 0;
  size_t solved = 0;     // in at least one run
  double pass_rate = 0;  // mean over the runs
};

/// Orders miniF2F's categories as in the papers' tables (IMO, AIME, AMC, MATH), then all others by
/// name.
struct CategoryOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};

struct RoleFigures {
  std::string model, role;
  ModelUse total;
};

/// Pass rate against the calls and the tokens (in and out) of all models of a role: figures 3, 6
/// and 7 of Hilbert (arXiv 2509.22819).
struct RoleCurves {
  std::string role;  // "all roles": their sum; "all but the prover": Hilbert's Reasoner
  std::vector<CurvePoint> by_calls, by_tokens;
};

struct Summary {
  std::string dataset;
  size_t problems = 0;       // selected
  size_t invalid = 0;        // problems that do not elaborate
  bool or_disprove = false;  // the negations were tried, too
  size_t disproved = 0;      // problems whose negation was proved in at least one run
  std::vector<std::string> contradictions;  // proved and disproved: counted as neither
  size_t unverified = 0;               // problems that Lean could not judge in at least one run
  size_t left = 0;                     // pairs of problem and run without a result
  std::vector<size_t> missing_shards;  // of a merged evaluation, from 1
  size_t runs = 1;
  size_t solved = 0;          // problems solved in at least one run
  std::vector<double> rates;  // by run: share solved of those that elaborate and have a result
  Spread pass_rate;           // of `rates`
  Interval interval;          // Wilson's 95 % interval of the mean rate over the problems
  double seconds = 0;         // wall time of all sessions
  Cost cost;                  // of the results
  Cost without_result;        // of attempts that were interrupted, which `cost` lacks
  bool has_models = false;
  std::map<size_t, double> pass_at;  // by k; empty unless Manifest::independent
  std::map<std::string, CategoryFigures, CategoryOrder> categories;
  std::vector<RoleFigures> roles;
  lean::UseByRole lean_by_role;              // of results that have it
  double tokens_per_sample = 0;              // of answers; DeepSeek-Prover-V1.5, table 10
  std::optional<double> dollars_per_solved;  // per solved problem and run; unset if none
  size_t judged = 0;                         // pairs of valid problem and run with a result
  std::vector<CurvePoint> by_samples, by_tokens, by_dollars, by_seconds;
  std::vector<CurvePoint> by_checks;    // of Lean
  std::vector<RoleCurves> role_curves;  // the sums last, of two roles or more
  std::vector<size_t> proof_lines;      // number of non-blank lines of each proof
  std::vector<std::string> unverified_problems;
  std::string first_line;  // the main result, after warnings: not verified, incomplete
};

/// `seconds`: wall time of all sessions.
Summary Summarise(const Manifest& manifest, const Results& results, double seconds);

/// The output of `zermelo eval --json`: dataset, problems, invalid, solved, pass_rate, runs,
/// seconds, samples, tokens, money, by_category; with --or-disprove also disproved, open and
/// contradictions (names).
nlohmann::json ShortJson(const Summary& summary);
/// The content of summary.json: ShortJson and everything else.
nlohmann::json LongJson(const Summary& summary);

/// The number of non-blank lines of a text.
size_t CountLines(const std::string& text);
/// A rate as a percentage: "53.3 %".
std::string Percent(double rate);
/// A short form of a number: 950, 1.2k, 3.4M.
std::string Compact(double value);

}  // namespace zermelo::eval
