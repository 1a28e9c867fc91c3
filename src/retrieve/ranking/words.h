// Words of names, types and queries for the BM25 ranking.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::retrieve {

/// Extra index words of a declaration, beyond those of a tokenizer that splits at `.` and `_`: the
/// camel-case parts of its name ("getElem?_eq" gives "get elem") and the words of the notations in
/// its signature (`a + b ≤ c` gives "add le").
std::string IndexWords(std::string_view name, std::string_view signature);

/// Synonyms: the words used in theorem names first, the query's own word last.
using WordGroup = std::vector<std::string>;

enum class QueryLanguage : uint8_t { kEnglish, kLean };

/// The distinct words of a query in lower case, in order of appearance: words, parts of identifiers
/// and words of notations, each with the forms used in theorem names ("commutative" and "comm").
/// At most `limit` groups.
std::vector<WordGroup> QueryWords(std::string_view text, QueryLanguage language, size_t limit = 24);

/// FTS5 expressions for a query, the narrowest first: premises with all words as theorem names
/// spell them, with all words in any form, with the words that the library uses often, with the
/// rarer half of the words, with any word. `frequencies` are those of the groups, `total` is the
/// number of premises. Words in more than a tenth of the premises say next to nothing and cost
/// most, so they are dropped when enough other words remain.
std::vector<std::string> MatchExpressions(const std::vector<WordGroup>& groups,
                                          const std::vector<int64_t>& frequencies, int64_t total);

}  // namespace zermelo::retrieve
