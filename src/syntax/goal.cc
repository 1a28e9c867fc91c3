#include "syntax/goal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

constexpr std::string_view kTurnstile = "⊢";

// Offset of the first `needle` outside brackets, or npos.
size_t FindOutside(std::string_view text, std::string_view needle) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text.substr(i).starts_with(needle)) return i;
    depth = std::max(0, depth + Nesting(text.substr(i, 1)));
  }
  return std::string_view::npos;
}

std::optional<Hypothesis> ParseHypothesis(std::string_view text) {
  const size_t colon = FindOutside(text, " : ");
  if (colon == std::string_view::npos) return std::nullopt;
  Hypothesis hypothesis;
  hypothesis.names = SplitNames(text.substr(0, colon));
  std::string_view type = text.substr(colon + 3);
  if (const size_t value = FindOutside(type, " := "); value != std::string_view::npos) {
    hypothesis.value = core::Trim(type.substr(value + 4));
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

  bool has_target() const { return !goal_.target.empty() || entry_.starts_with(kTurnstile); }

 private:
  void Flush() {
    const std::string entry = std::exchange(entry_, {});
    if (entry.starts_with(kTurnstile)) {
      goal_.target = core::Trim(std::string_view(entry).substr(kTurnstile.size()));
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

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (!(text = core::Trim(text)).empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return names;
}

bool IsInaccessible(std::string_view name) { return name.find("✝") != std::string_view::npos; }

}  // namespace zermelo::syntax
