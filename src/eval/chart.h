// Pictures of a report, as SVG without styles of its own: the page's classes colour it.
#pragma once

#include <string>
#include <vector>

#include "eval/statistics.h"

namespace zermelo::eval {

/// Pass rate against cost, the cost on a logarithmic axis; a cost of 0 stands at its left end.
/// `furthest`: the largest cost that was spent, where the axis ends.
std::string PassChart(const std::vector<CurvePoint>& curve, double furthest,
                      const std::string& label);

/// How many proofs have how many lines: 1, 2, 3-4, 5-8, ….
std::string LengthHistogram(const std::vector<size_t>& lines);

/// Text in HTML or SVG, wherever it comes from: as it is seen, never as code.
std::string Escaped(std::string_view text);

/// 950, 1.2k, 3.4M
std::string Compact(double value);

}  // namespace zermelo::eval
