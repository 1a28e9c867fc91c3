// Suggestions for misspelled names.
#pragma once

#include <string>
#include <vector>

namespace zermelo::core {

/// Levenshtein distance: the least number of bytes to insert, delete or replace to turn `a` into
/// `b`.
size_t EditDistance(const std::string& a, const std::string& b);

/// "did you mean `x`?" with the nearest of `names`, or "" if none is within a distance of
/// max(2, wanted.size() / 3).
std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace zermelo::core
