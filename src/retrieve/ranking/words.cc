#include "retrieve/ranking/words.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "retrieve/statements/notation.h"

namespace zermelo::retrieve {

namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsAlnum(char c) {
  return (c >= 'a' && c <= 'z') || IsUpper(c) || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Prefixes of English words, and the words of theorem names for them (Mathlib's naming
// conventions).
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"commut", "comm"},      {"associat", "assoc"},     {"distribut", "distrib"},
    {"addition", "add"},     {"plus", "add"},           {"multipl", "mul"},
    {"product", "mul"},      {"times", "mul"},          {"subtract", "sub"},
    {"minus", "sub"},        {"difference", "sub"},     {"division", "div"},
    {"quotient", "div"},     {"divide", "dvd"},         {"divisib", "dvd"},
    {"remainder", "mod"},    {"modulo", "mod"},         {"power", "pow"},
    {"exponent", "pow"},     {"equal", "eq"},           {"less", "lt"},
    {"greater", "lt"},       {"smaller", "lt"},         {"larger", "lt"},
    {"most", "le"},          {"least", "le"},           {"successor", "succ"},
    {"predecessor", "pred"}, {"negati", "neg"},         {"member", "mem"},
    {"element", "mem"},      {"concatenat", "append"},  {"injective", "inj"},
    {"positive", "pos"},     {"nonnegative", "nonneg"}, {"reflexiv", "refl"},
    {"symmetr", "symm"},     {"transitiv", "trans"},    {"maximum", "max"},
    {"minimum", "min"},      {"natural", "nat"},        {"integer", "int"},
    {"rational", "rat"},     {"greatest", "gcd"},       {"revers", "reverse"},
};

// Query words without mathematical content.
constexpr std::string_view kStopWords[] = {
    "a",       "an",    "the",   "of",    "is",        "are",   "and",  "or",    "to",
    "for",     "in",    "on",    "that",  "then",      "if",    "with", "by",    "as",
    "be",      "it",    "this",  "any",   "all",       "every", "some", "there", "which",
    "what",    "how",   "we",    "can",   "at",        "from",  "two",  "lean",  "mathlib",
    "theorem", "lemma", "prove", "proof", "statement", "about", "its",  "than"};

/// Appends the camel-case parts of a word ("getElem": "get", "elem"); nothing if it has only one.
void AppendHumps(std::string_view word, std::vector<std::string>* out) {
  std::vector<std::string> pieces;
  size_t begin = 0;
  for (size_t i = 1; i <= word.size(); ++i) {
    const bool hump = i < word.size() && IsUpper(word[i]) && !IsUpper(word[i - 1]);
    if (i < word.size() && !hump) continue;
    pieces.push_back(Lower(word.substr(begin, i - begin)));
    begin = i;
  }
  if (pieces.size() > 1) out->insert(out->end(), pieces.begin(), pieces.end());
}

/// Calls f(word, is_symbol) for runs of ASCII letters and digits, for runs of punctuation, and for
/// each character beyond ASCII.
template <class F>
void EachRun(std::string_view text, F f) {
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x80) {
      end = at + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
      const std::string_view character = text.substr(at, end - at);
      f(character, FindSymbol(character) != nullptr);
    } else if (IsAlnum(text[at])) {
      while (end < text.size() && static_cast<unsigned char>(text[end]) < 0x80 &&
             IsAlnum(text[end])) {
        ++end;
      }
      f(text.substr(at, end - at), false);
    } else if (std::isspace(c) == 0 && text[at] != '_' && text[at] != '(' && text[at] != ')') {
      while (end < text.size() && static_cast<unsigned char>(text[end]) < 0x80 &&
             std::ispunct(static_cast<unsigned char>(text[end])) != 0 && text[end] != '_' &&
             text[end] != '(' && text[end] != ')') {
        ++end;
      }
      f(text.substr(at, end - at), true);
    } else {
      end = at + 1;
    }
    at = end;
  }
}

std::string_view WordOfSymbol(std::string_view symbol) {
  const Notation* const notation = FindSymbol(symbol);
  if (symbol == "∉") return "mem";
  if (symbol == "∃") return "exists";
  return notation == nullptr ? std::string_view() : notation->word;
}

void AddOnce(std::string word, std::vector<std::string>* words) {
  if (word.empty() || std::find(words->begin(), words->end(), word) != words->end()) return;
  words->push_back(std::move(word));
}

}  // namespace

std::string IndexWords(std::string_view name, std::string_view signature) {
  std::vector<std::string> words;
  EachRun(name, [&](std::string_view run, bool symbol) {
    if (!symbol) AppendHumps(run, &words);
  });
  std::vector<std::string> notations;
  EachRun(signature, [&](std::string_view run, bool symbol) {
    if (symbol) AddOnce(std::string(WordOfSymbol(run)), &notations);
  });
  words.insert(words.end(), notations.begin(), notations.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<WordGroup> QueryWords(std::string_view text, QueryLanguage language, size_t limit) {
  std::vector<WordGroup> groups;
  const auto add = [&](WordGroup group) {
    const bool known = std::any_of(groups.begin(), groups.end(), [&](const WordGroup& other) {
      return std::find(other.begin(), other.end(), group.back()) != other.end();
    });
    if (!group.back().empty() && !known && groups.size() < limit)
      groups.push_back(std::move(group));
  };
  EachRun(text, [&](std::string_view run, bool symbol) {
    if (symbol) return add({std::string(WordOfSymbol(run))});
    std::string word = Lower(run);
    const bool letters = static_cast<unsigned char>(word[0]) < 0x80;
    if (!letters || (language == QueryLanguage::kLean && word.size() == 1)) return;  // a variable
    WordGroup group;
    if (language == QueryLanguage::kEnglish) {
      if (std::find(std::begin(kStopWords), std::end(kStopWords), word) != std::end(kStopWords)) {
        return;
      }
      for (const auto& [begin, meant] : kSynonyms) {
        if (word.starts_with(begin)) group.emplace_back(meant);
      }
      for (const std::string_view ending : {"ing", "ed", "s"}) {
        constexpr size_t kShortest = 3;
        if (word.size() < kShortest + ending.size() || !word.ends_with(ending)) continue;
        group.push_back(word.substr(0, word.size() - ending.size()));
        break;
      }
    }
    group.push_back(std::move(word));
    add(std::move(group));
    std::vector<std::string> humps;
    AppendHumps(run, &humps);
    for (std::string& hump : humps) add({std::move(hump)});
  });
  return groups;
}

namespace {

std::string AnyOf(const WordGroup& group) {
  std::string text;
  for (const std::string& word : group) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : " OR ", word);
  }
  return group.size() > 1 ? "(" + text + ")" : text;
}

}  // namespace

std::vector<std::string> MatchExpressions(const std::vector<WordGroup>& groups,
                                          const std::vector<int64_t>& frequencies, int64_t total) {
  constexpr size_t kEnough = 2;
  constexpr size_t kMost = 8;
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return frequencies[a] < frequencies[b]; });
  while (order.size() > kEnough && 10 * frequencies[order.back()] > total) order.pop_back();
  if (order.size() > kMost) order.resize(kMost);
  std::vector<std::string> expressions;
  const auto add = [&](const std::vector<std::string>& terms, const char* between) {
    std::string expression = fmt::format("{}", fmt::join(terms, between));
    const bool known =
        std::find(expressions.begin(), expressions.end(), expression) != expressions.end();
    if (!terms.empty() && !known) expressions.push_back(std::move(expression));
  };
  std::vector<std::string> as_named;
  std::vector<std::string> any;
  std::vector<std::string> used;
  for (const size_t at : order) {
    as_named.push_back(AnyOf({groups[at].front()}));
    any.push_back(AnyOf(groups[at]));
    if (frequencies[at] > 0) used.push_back(any.back());
  }
  add(as_named, " AND ");
  add(any, " AND ");
  if (used.size() >= kEnough) add(used, " AND ");
  const size_t half = std::min(any.size(), std::max(kEnough, (any.size() + 1) / 2));
  add({any.begin(), any.begin() + static_cast<std::ptrdiff_t>(half)}, " AND ");
  add(any, " OR ");
  return expressions;
}

}  // namespace zermelo::retrieve
