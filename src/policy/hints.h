// Facts that turn nonlinear arithmetic into linear: products of things that are not negative.
#ifndef ZERMELO_POLICY_HINTS_H_
#define ZERMELO_POLICY_HINTS_H_

#include <string>
#include <vector>

#include "policy/interval.h"
#include "policy/view.h"

namespace zermelo::policy {

/// Lines `have := …` for the products and powers in `props`, given bounds that omega can prove
/// from the context. At most `limit` lines.
std::vector<std::string> ProductHints(const std::vector<TermPtr>& props, const Box& box,
                                      const View& view, size_t limit);

/// Lines that prove `bound` ("x < 81") by omega, by grind, or by contradiction with hints.
/// `negated_box` holds the bounds that follow when `bound` fails.
std::string ProveBound(const std::string& name, const std::string& bound,
                       const std::vector<TermPtr>& props, const Box& negated_box,
                       const View& view);

}  // namespace zermelo::policy

#endif  // ZERMELO_POLICY_HINTS_H_
