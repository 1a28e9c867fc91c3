// Words of names, types and questions, as the BM25 ranking sees them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::retrieve {

/// What a declaration's name and the notations of its signature are made of, beyond what a
/// tokenizer that splits at `.` and `_` finds: "getElem?_eq" gives "get elem", `a + b ≤ c` gives
/// "add le".
std::string IndexWords(std::string_view name, std::string_view signature);

/// Words that mean the same: what names of theorems say first, what was said last.
using WordGroup = std::vector<std::string>;

/// What a question asks for, lower case, each once, in order of appearance: words and the parts of
/// identifiers, the words of notations, each with what names of theorems call it ("commutative" and
/// "comm"). At most `limit`.
std::vector<WordGroup> QueryWords(std::string_view text, bool formal, size_t limit = 24);

/// What to ask FTS5, the narrowest first: premises with all words as names say them, with all
/// words, with those that the library uses often, with the rarer half of them, with any.
/// `frequencies`: of the groups, `total`: premises. Words of more than a tenth of the premises tell
/// next to nothing and cost most: they are left out where enough others are there.
std::vector<std::string> MatchExpressions(const std::vector<WordGroup>& groups,
                                          const std::vector<int64_t>& frequencies, int64_t total);

}  // namespace zermelo::retrieve
