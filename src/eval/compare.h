// Two evaluations of the same problems, problem by problem.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/record.h"
#include "eval/result_log.h"

namespace zermelo::eval {

struct Comparison {
  size_t problems = 0;  // that both have a verdict on
  size_t both = 0, neither = 0;
  std::vector<std::string> only_a, only_b;  // solved by one of them only
  double p = 1;                             // McNemar's exact test, two-sided
  size_t runs = 1;  // a problem is solved when one of the first so many runs solved it
  std::vector<std::string> notes;
};

/// Problems are the same when their names and the hashes of their texts are. Left out, with a note:
/// what only one has, what does not elaborate or was not judged in either, what differs.
/// kInput: they have no problem in common.
core::Result<Comparison> Compare(const Manifest& a, const Results& results_a, const Manifest& b,
                                 const Results& results_b);

nlohmann::json ToJson(const Comparison& comparison);

}  // namespace zermelo::eval
