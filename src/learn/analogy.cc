#include "learn/analogy.h"

#include <algorithm>
#include <vector>

#include "syntax/lexer.h"

namespace zermelo::learn {
namespace {

constexpr size_t kMostRenamed = 2;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Whether `renaming` makes the words of `from` those of `to`, after what it lacks has been added;
/// words that stay are in it, too. Counts these.
bool Correspond(const std::vector<std::string_view>& from, const std::vector<std::string_view>& to,
                Renaming* renaming, size_t* equal) {
  if (from.size() != to.size()) return false;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].empty() || to[i].empty()) return false;
    if (from[i] == to[i]) ++*equal;
    if (renaming->try_emplace(std::string(from[i]), to[i]).first->second != to[i]) return false;
  }
  return true;
}

}  // namespace

Renaming AnalogyOf(std::string_view from, std::string_view to) {
  std::vector<std::string_view> spaces = Split(from, '.'), other_spaces = Split(to, '.');
  const std::string_view last = spaces.back(), other_last = other_spaces.back();
  spaces.pop_back();
  other_spaces.pop_back();
  Renaming renaming;
  size_t equal_spaces = 0, equal = 0;
  const bool correspond = Correspond(spaces, other_spaces, &renaming, &equal_spaces) &&
                          Correspond(Split(last, '_'), Split(other_last, '_'), &renaming, &equal);
  std::erase_if(renaming, [](const auto& word) { return word.first == word.second; });
  const size_t most = std::min(kMostRenamed, equal + equal_spaces);
  if (!correspond || equal == 0 || renaming.size() > most) return {};
  return renaming;
}

std::string Renamed(std::string_view tactic, const Renaming& renaming) {
  std::string renamed;
  size_t done = 0;
  const auto replace = [&](size_t begin, size_t end) {
    const auto other = renaming.find(tactic.substr(begin, end - begin));
    if (other == renaming.end()) return;
    renamed += tactic.substr(done, begin - done);
    renamed += other->second;
    done = end;
  };
  for (const syntax::Token& token : syntax::LexCode(tactic)) {
    if (token.kind != syntax::TokenKind::kWord) continue;
    size_t begin = token.begin;
    for (size_t i = token.begin; i < token.end; ++i) {
      if (tactic[i] != '.' && tactic[i] != '_') continue;
      replace(begin, i);
      begin = i + 1;
    }
    replace(begin, token.end);
  }
  renamed += tactic.substr(done);
  return renamed;
}

}  // namespace zermelo::learn
