// What a goal looks like, as a set of numbers: goals with many in common tend to have similar
// proofs.
//
// Features are 32-bit hashes of: the head of the target, its symbols, pairs of a symbol and one
// below it in the printed term, and heads and symbols of the hypotheses' types. A variable counts
// as the head of its type, so that names do not matter. (Tactician and Graph2Tac use symbols and
// paths of terms in the same way; Blaauwbroek, Urban, Geuvers, "Tactic learning and proving for the
// Coq proof assistant", LPAR 2020.)
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "syntax/goal/goal.h"

namespace zermelo::learn {

using Feature = uint32_t;

/// Ascending and distinct, at most 96. Linear; any text is accepted.
std::vector<Feature> FeaturesOf(const syntax::Goal& goal);

/// Those of the type of each hypothesis, in order, at most 16 each.
std::vector<std::vector<Feature>> FeaturesOfTypes(const syntax::Goal& goal);

}  // namespace zermelo::learn
