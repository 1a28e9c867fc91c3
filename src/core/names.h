// Suggestions for misspelled names, and the files of named modules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zermelo::core {

/// Levenshtein distance: the least number of bytes to insert, delete or replace to turn `a` into
/// `b`.
size_t EditDistance(const std::string& a, const std::string& b);

/// "did you mean `x`?" with the nearest of `names`, or "" if none is within a distance of
/// max(2, wanted.size() / 3).
std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names);

/// The place of a module's files below a folder of the search path, without an extension:
/// `«my-pkg».Foo` is my-pkg/Foo. Empty for a name that has no place there: `«../x»`, `«/x»`.
std::string ModulePath(std::string_view module);

}  // namespace zermelo::core
