// Charts of a report, as SVG styled only by the classes of the page.
#pragma once

#include <string>
#include <vector>

#include "eval/statistics.h"

namespace zermelo::eval {

/// Pass rate against cost on a logarithmic axis; a cost of 0 is drawn at its left end.
/// `furthest`: the largest cost spent, where the axis ends. `label`: of the cost axis.
std::string PassChart(const std::vector<CurvePoint>& curve, double furthest,
                      const std::string& label);

/// A histogram of proof lengths in lines: 1, 2, 3-4, 5-8, ….
std::string LengthHistogram(const std::vector<size_t>& lines);

/// Escapes untrusted text for HTML and SVG, including quoted attributes.
std::string Escaped(std::string_view text);

/// A short form of a number: 950, 1.2k, 3.4M.
std::string Compact(double value);

}  // namespace zermelo::eval
