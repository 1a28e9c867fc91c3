// The figures of an evaluation.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/record.h"
#include "eval/result_log.h"
#include "eval/statistics.h"

namespace zermelo::eval {

struct CategoryFigures {
  size_t problems = 0;
  size_t invalid = 0;
  size_t solved = 0;     // in at least one run
  double pass_rate = 0;  // mean over the runs
};

/// miniF2F's categories as the papers' tables have them (IMO, AIME, AMC, MATH, Custom), then by
/// name.
struct CategoryOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};

struct RoleFigures {
  std::string model, role;
  ModelUse total;
};

struct Summary {
  std::string dataset;
  size_t problems = 0;    // that were selected
  size_t invalid = 0;     // of them, that do not elaborate
  size_t unverified = 0;  // problems that Lean could not judge in some run, without a proof in it
  size_t left = 0;        // problems times runs without a result
  std::vector<size_t> missing_shards;  // of a merged evaluation, from 1
  size_t runs = 1;
  size_t solved = 0;          // problems, in at least one run
  std::vector<double> rates;  // by run: solved of those that elaborate (and have a result)
  Spread pass_rate;           // of `rates`
  Interval interval;          // Wilson's, 95 %, of the mean rate over the problems
  double seconds = 0;         // by the clock, of all sessions
  Cost cost;
  bool has_models = false;
  std::map<size_t, double> pass_at;  // by k; empty unless attempts are independent and all made
  std::map<std::string, CategoryFigures, CategoryOrder> categories;
  std::vector<RoleFigures> roles;
  double tokens_per_sample = 0;              // of answers; DeepSeek-Prover-V1.5, table 10
  std::optional<double> dollars_per_solved;  // solved problem and run; unless nothing was solved
  size_t judged = 0;                         // problems times runs that elaborate and have a result
  std::vector<CurvePoint> by_samples, by_tokens, by_dollars, by_seconds;
  std::vector<size_t> proof_lines;  // of each proof, lines that are not blank
  std::vector<std::string> unverified_problems;
  std::string first_line;  // what everyone must know first: not verified, incomplete, or the result
};

/// `seconds`: by the clock.
Summary Summarise(const Manifest& manifest, const Results& results, double seconds);

/// What `zermelo eval --json` prints: dataset, problems, invalid, solved, pass_rate, runs, seconds,
/// samples, tokens, money, by_category.
nlohmann::json ShortJson(const Summary& summary);
/// summary.json: ShortJson and everything else.
nlohmann::json LongJson(const Summary& summary);

/// The lines of a text that are not blank.
size_t CountLines(const std::string& text);
/// "53.3 %"
std::string Percent(double rate);

}  // namespace zermelo::eval
