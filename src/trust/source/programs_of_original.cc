#include "trust/source/programs_of_original.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/commands.h"
#include "syntax/lexer.h"
#include "trust/source/source_tokens.h"

namespace zermelo::trust {

namespace {

using syntax::Token;
using syntax::TokenKind;

// A text, as commands.
class Commands {
 public:
  explicit Commands(std::span<const SourceToken> tokens) {
    if (tokens.empty()) return;
    const char* const begin = tokens.front().text.data();
    const std::string_view last = tokens.back().text;
    text_ = {begin, static_cast<size_t>(last.data() + last.size() - begin)};
    tokens_ = syntax::LexCode(text_);
    commands_ = syntax::FindCommands(text_, tokens_);
  }

  size_t size() const { return commands_.size(); }
  size_t EndOf(size_t nth) const {
    return nth + 1 < size() ? commands_[nth + 1].begin : tokens_.size();
  }
  size_t Begin(size_t nth) const { return commands_[nth].begin; }
  size_t Keyword(size_t nth) const { return commands_[nth].keyword; }
  std::string_view Text(size_t token) const {
    return token < tokens_.size() ? syntax::TextOf(text_, tokens_[token]) : std::string_view();
  }
  TokenKind Kind(size_t token) const { return tokens_[token].kind; }
  std::string_view Text(size_t begin, size_t end) const {
    if (begin >= end) return {};
    const size_t first = tokens_[begin].begin;
    return text_.substr(first, tokens_[end - 1].end - first);
  }
  const char* Address(size_t token) const { return Text(token).data(); }

  // The tokens of a command, without its doc comment.
  std::vector<std::string_view> Words(size_t nth) const {
    std::vector<std::string_view> words;
    for (size_t i = Begin(nth); i < EndOf(nth); ++i) {
      if (Kind(i) != TokenKind::kDocComment) words.push_back(Text(i));
    }
    return words;
  }

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<syntax::Command> commands_;
};

bool IsSorry(std::string_view word) {
  return word == "sorry" || word == "admit" || word == "sorryAx";
}

// Whether code is only a term: it has no command and declares nothing.
bool DeclaresNothing(const Commands& text, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const std::string_view word = text.Text(i);
    // Commands of libraries, which may stand behind a term on its line.
    if (word == "alias" || word == "irreducible_def" || word == "notation3") return false;
    if (word == "where" || (word == "rec" && i > begin && text.Text(i - 1) == "let")) return false;
  }
  return !syntax::HasCommand(text.Text(begin, end));
}

// The number of words up to the `:=` of the value, with it; 0 if there is none.
size_t HeadOf(const std::vector<std::string_view>& words) {
  int depth = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (Opens(word)) ++depth;
    if (Closes(word)) --depth;
    if (word == ":=" && depth == 0) return i + 1;
  }
  return 0;
}

// Whether the candidate's command is one of the original with another value in place of a `sorry`.
bool IsFilled(const std::vector<std::string_view>& before, const std::vector<std::string_view>& now,
              const Commands& candidate, size_t nth) {
  const size_t head = HeadOf(before);
  if (head == 0 || now.size() < head || std::ranges::none_of(before, IsSorry)) return false;
  if (!std::equal(now.begin(), now.begin() + static_cast<ptrdiff_t>(head), before.begin()))
    return false;
  const size_t end = candidate.EndOf(nth);
  return DeclaresNothing(candidate, end - (now.size() - head), end);
}

// `theorem` or `lemma` after attributes, modifiers and `open … in`.
bool IsAddedTheorem(const Commands& text, size_t nth) {
  const size_t keyword = text.Keyword(nth);
  if (text.Text(keyword) != "theorem" && text.Text(keyword) != "lemma") return false;
  for (size_t i = text.Begin(nth); i < keyword; ++i) {
    const std::string_view word = text.Text(i);
    if (text.Kind(i) == TokenKind::kDocComment || word == "private" || word == "protected" ||
        word == "nonrec") {
      continue;
    }
    const std::string_view close = word == "@["                             ? "]"
                                   : word == "open" || word == "set_option" ? "in"
                                                                            : "";
    if (close.empty()) return false;
    const size_t begin = i + 1;
    for (int depth = 0; i + 1 < keyword; ++i) {
      const std::string_view next = text.Text(i + 1);
      if (next == close && depth == 0) break;
      if (next.ends_with('[')) ++depth;
      if (next == "]") --depth;
    }
    if (i + 1 >= keyword || (close == "in" && syntax::HasCommand(text.Text(begin, i + 1))))
      return false;
    ++i;
  }
  return DeclaresNothing(text, keyword + 1, text.EndOf(nth));
}

// A comment, or an import, which another rule judges.
bool IsJudgedElsewhere(const Commands& text, size_t nth) {
  return text.Text(text.Keyword(nth)) == "import" ||
         (text.Kind(text.Begin(nth)) == TokenKind::kModuleDoc &&
          text.EndOf(nth) == text.Begin(nth) + 1);
}

// No program needs it.
bool MayBeLeftOut(const Commands& text, size_t nth) {
  const std::string_view keyword = text.Text(text.Keyword(nth));
  return keyword.starts_with('#') || keyword == "theorem" || keyword == "lemma" ||
         keyword == "example" || IsJudgedElsewhere(text, nth);
}

}  // namespace

std::optional<size_t> FirstChangeBefore(std::span<const SourceToken> original,
                                        std::span<const SourceToken> candidate, size_t program) {
  const Commands before(original), now(candidate);
  const char* const last = candidate[program].text.data();
  size_t next = 0;
  for (size_t nth = 0; nth < now.size() && now.Address(now.Begin(nth)) <= last; ++nth) {
    if (IsJudgedElsewhere(now, nth)) continue;
    const auto words = now.Words(nth);
    const auto is_next = [&] {
      if (next == before.size()) return false;
      const auto words_before = before.Words(next);
      return words_before == words || IsFilled(words_before, words, now, nth);
    };
    bool same = is_next();
    if (!same && IsAddedTheorem(now, nth)) continue;
    while (!same && next < before.size() && MayBeLeftOut(before, next)) {
      ++next;
      same = is_next();
    }
    if (same) {
      ++next;
      continue;
    }
    const char* const where = now.Address(now.Begin(nth));
    const auto token = std::ranges::find_if(
        candidate, [&](const SourceToken& one) { return one.text.data() >= where; });
    return static_cast<size_t>(token - candidate.begin());
  }
  return std::nullopt;
}

}  // namespace zermelo::trust
