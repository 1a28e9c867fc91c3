// Help with misspelt names.
#pragma once

#include <string>
#include <vector>

namespace zermelo::core {

/// The number of characters to insert, delete or replace to turn one into the other, counting
/// bytes (Levenshtein).
size_t EditDistance(const std::string& a, const std::string& b);

/// "did you mean `x`?" with the nearest of `names`, or "" when none is near.
std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace zermelo::core
