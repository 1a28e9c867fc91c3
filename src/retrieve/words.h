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

/// The distinct words of a question, lower case, in order of appearance: words and the parts of
/// identifiers, the words of notations, and what names of theorems call some English words
/// ("commutative": "comm"). At most `limit`.
std::vector<std::string> QueryWords(std::string_view text, bool formal, size_t limit = 64);

/// An expression of FTS5 for those of `words` that tell most: rare ones first, as many as occur in
/// `budget` premises together, and at least two. Empty when there are no words.
std::string MatchExpression(const std::vector<std::string>& words,
                            const std::vector<int64_t>& frequencies, int64_t budget);

}  // namespace zermelo::retrieve
