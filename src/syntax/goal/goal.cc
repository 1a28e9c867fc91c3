#include "syntax/goal/goal.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <utility>

#include "core/text.h"
#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

constexpr std::string_view kDaggerMark = "✝";
constexpr std::string_view kTurnstile = "⊢";
constexpr std::string_view kConvBar = "| ";
constexpr WordSet kLocalDefinitions({"have", "haveI", "let", "letI", "let_fun"});

bool StartsTarget(std::string_view entry) {
  return entry.starts_with(kTurnstile) || entry.starts_with(kConvBar);
}

// Offset of the `:=` between the type and the value of a variable: the first one outside brackets
// and strings that belongs to no `let` or `have` of the type. npos if there is none.
size_t FindValue(std::string_view type) {
  int depth = 0;
  size_t definitions = 0;
  for (const Token& token : LexCode(type)) {
    if (token.kind != TokenKind::kWord && token.kind != TokenKind::kSymbol) continue;
    const std::string_view word = TextOf(type, token);
    depth = std::max(0, depth + Nesting(word));
    if (depth > 0) continue;
    if (kLocalDefinitions.Contains(word)) ++definitions;
    if (word != ":=") continue;
    if (definitions == 0) return token.begin;
    --definitions;
  }
  return std::string_view::npos;
}

// Offset of the " : " after the names, which may be «quoted». npos if there is none.
size_t FindColon(std::string_view text) {
  for (size_t at = text.find(" : "); at != std::string_view::npos; at = text.find(" : ", at + 1)) {
    const std::string_view names = text.substr(0, at);
    const size_t quote = names.rfind("«");
    if (quote == std::string_view::npos || names.find("»", quote) != std::string_view::npos) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::optional<Hypothesis> ParseHypothesis(std::string_view text) {
  const size_t colon = FindColon(text);
  if (colon == std::string_view::npos) return std::nullopt;
  Hypothesis hypothesis;
  hypothesis.names = SplitNames(text.substr(0, colon));
  std::string_view type = text.substr(colon + 3);
  if (const size_t value = FindValue(type); value != std::string_view::npos) {
    hypothesis.value = core::Trim(type.substr(value + 2));
    type = type.substr(0, value);
  }
  hypothesis.type = core::Trim(type);
  if (hypothesis.names.empty() || hypothesis.type.empty()) return std::nullopt;
  return hypothesis;
}

// Collects the lines of one goal; an indented line continues the entry before it.
class GoalReader {
 public:
  void Line(std::string_view line) {
    const std::string_view text = core::Trim(line);
    if (text.empty()) return;
    const bool indented = line.front() == ' ' || line.front() == '\t';
    if (indented && !entry_.empty()) {
      entry_ += ' ';
      entry_ += text;
      return;
    }
    Flush();
    entry_ = text;
  }

  std::optional<Goal> Finish() {
    Flush();
    Goal goal = std::exchange(goal_, {});
    if (goal.target.empty()) return std::nullopt;
    return goal;
  }

  bool has_target() const { return !goal_.target.empty() || StartsTarget(entry_); }

 private:
  void Flush() {
    const std::string entry = std::exchange(entry_, {});
    if (StartsTarget(entry)) {
      goal_.conv = entry.starts_with(kConvBar);
      const size_t mark = goal_.conv ? kConvBar.size() : kTurnstile.size();
      goal_.target = core::Trim(std::string_view(entry).substr(mark));
    } else if (entry.starts_with("case ")) {
      goal_.tag = core::Trim(std::string_view(entry).substr(5));
    } else if (auto hypothesis = ParseHypothesis(entry)) {
      goal_.hypotheses.push_back(std::move(*hypothesis));
    }
  }

  Goal goal_;
  std::string entry_;
};

}  // namespace

ProofState ParseProofState(std::string_view text) {
  ProofState state;
  GoalReader reader;
  auto finish = [&] {
    if (auto goal = reader.Finish()) state.goals.push_back(std::move(*goal));
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (core::Trim(line).empty() && reader.has_target()) {
      finish();
    } else {
      reader.Line(line);
    }
  }
  finish();
  return state;
}

std::string WithoutCase(const std::string& goal) {
  if (!goal.starts_with("case ")) return goal;
  const size_t end = goal.find('\n');
  return end == std::string::npos ? goal : goal.substr(end + 1);
}

std::string Printed(const ProofState& state) {
  std::string text;
  for (const Goal& goal : state.goals) {
    if (!text.empty()) text += "\n\n";
    if (!goal.tag.empty()) text += fmt::format("case {}\n", goal.tag);
    for (const Hypothesis& h : goal.hypotheses) {
      text += fmt::format("{} : {}", fmt::join(h.names, " "), h.type);
      text += h.value.empty() ? "\n" : fmt::format(" := {}\n", h.value);
    }
    text += fmt::format("{} {}", goal.conv ? "|" : kTurnstile, goal.target);
  }
  return text;
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (!(text = core::Trim(text)).empty()) {
    size_t end = std::min(text.find(' '), text.size());
    const size_t quote = text.find("«");
    if (quote < end) end = std::min(text.find(' ', text.find("»", quote)), text.size());
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return names;
}

bool IsInaccessible(std::string_view name) {
  return name.find(kDaggerMark) != std::string_view::npos;
}

std::string RenameInaccessible(std::string_view printed,
                               const std::function<std::string(const InaccessibleName&)>& renamed) {
  if (!IsInaccessible(printed)) return std::string(printed);
  std::string out;
  size_t copied = 0;
  for (const Token& token : LexPrinted(printed)) {
    if (token.kind != TokenKind::kWord) continue;
    const std::string_view up_to_end = printed.substr(0, token.end);
    size_t begin = token.begin;
    for (size_t at; (at = up_to_end.find(kDaggerMark, begin)) != std::string_view::npos;
         begin = copied) {
      InaccessibleName name{.text = {}, .base = printed.substr(begin, at - begin), .index = 0};
      for (at += kDaggerMark.size(); at < token.end;) {
        const core::CodePoint c = core::DecodeUtf8(printed, at);
        const int digit = SuperscriptDigit(c.value);
        if (digit < 0) break;
        name.index = 10 * name.index + static_cast<size_t>(digit);
        at += c.length;
      }
      name.text = printed.substr(begin, at - begin);
      out.append(printed.substr(copied, begin - copied)).append(renamed(name));
      copied = at;
    }
  }
  return out.append(printed.substr(copied));
}

std::string WithoutInaccessibleNames(std::string_view state) {
  std::string out;
  while (!state.empty()) {
    const size_t goal_end = std::min(state.find("\n\n"), state.size());
    const std::string_view goal = state.substr(0, std::min(goal_end + 2, state.size()));
    state.remove_prefix(goal.size());
    std::map<std::string_view, size_t> numbers;
    out += RenameInaccessible(goal, [&](const InaccessibleName& name) {
      return fmt::format("✝{}", numbers.try_emplace(name.text, numbers.size() + 1).first->second);
    });
  }
  return out;
}

std::string WithoutHypothesisNames(std::string_view goal) {
  std::map<std::string, std::string, std::less<>> numbers;
  for (const Goal& parsed : ParseProofState(goal).goals) {
    for (const Hypothesis& hypothesis : parsed.hypotheses) {
      for (const std::string& name : hypothesis.names) {
        if (!IsInaccessible(name))
          numbers.try_emplace(name, fmt::format("#{}", numbers.size() + 1));
      }
    }
  }
  const std::string printed = WithoutInaccessibleNames(goal);
  std::string out;
  size_t end = 0;  // of the last token
  for (const Token& token : LexPrinted(printed)) {
    if (token.begin > end && !out.empty()) out += ' ';
    end = token.end;
    const std::string_view text = TextOf(printed, token);
    const bool is_field = token.begin > 0 && printed[token.begin - 1] == '.';
    const std::string_view name =
        token.kind == TokenKind::kWord && !is_field ? NameComponents(text).front() : "";
    const auto number = numbers.find(name);
    out += number == numbers.end() ? name : number->second;
    out += text.substr(name.size());
  }
  return out;
}

}  // namespace zermelo::syntax
