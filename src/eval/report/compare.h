// Compares two evaluations problem by problem.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "eval/record.h"
#include "eval/result_log.h"

namespace zermelo::eval {

struct Comparison {
  size_t problems = 0;  // compared: both evaluations have a verdict
  size_t both = 0, neither = 0;
  std::vector<std::string> only_a, only_b;  // solved by one of them only
  double p = 1;                             // McNemar's exact test, two-sided
  size_t runs = 1;  // the first `runs` runs count; a problem is solved if one of them solved it
  std::vector<std::string> notes;
};

/// Problems match if their names and the hashes of their texts are equal. Left out, with a note:
/// problems that only one evaluation has, whose texts differ, or on which either evaluation has no
/// verdict (invalid or unverified). kInput: the evaluations have no problem in common.
core::Result<Comparison> Compare(const Manifest& a, const Results& results_a, const Manifest& b,
                                 const Results& results_b);

nlohmann::json ToJson(const Comparison& comparison);

}  // namespace zermelo::eval
