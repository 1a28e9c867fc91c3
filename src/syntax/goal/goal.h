// Parses tactic states as Lean prints them.
//
// A state is a list of goals separated by blank lines; a goal is an optional `case tag` line, its
// hypotheses, and `⊢ target`, or `| target` in conv mode (Lean: Meta/PPGoal.lean). Indented lines
// continue a type. Any text is accepted; unreadable parts are skipped.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::syntax {

/// `a b : T` or `x : T := v`.
struct Hypothesis {
  std::vector<std::string> names;
  std::string type;
  std::string value;  // empty unless a `let`

  bool operator==(const Hypothesis&) const = default;
};

struct Goal {
  std::string tag;  // as after `case`; may be empty
  std::vector<Hypothesis> hypotheses;
  std::string target;
  bool conv = false;  // `|` instead of `⊢`

  bool operator==(const Goal&) const = default;
};

struct ProofState {
  std::vector<Goal> goals;

  bool operator==(const ProofState&) const = default;
};

/// Parses a state as printed by `$/lean/plainGoal` or in an "unsolved goals" message. Line breaks
/// inside a type become single spaces.
ProofState ParseProofState(std::string_view text);

/// A goal without its `case …` line.
std::string WithoutCase(const std::string& goal);

/// The state as Lean prints it, each hypothesis and target on one line. Its parse is equal to
/// `state`.
std::string Printed(const ProofState& state);

/// Splits text at blanks outside «…»: the names of a binder.
std::vector<std::string> SplitNames(std::string_view text);

/// Whether a name has a dagger (`n✝`), so that no tactic can refer to it before `rename_i`.
bool IsInaccessible(std::string_view name);

/// An inaccessible name in a printed text.
struct InaccessibleName {
  std::string_view text;  // `n✝¹`
  std::string_view base;  // `n`; may be dotted
  size_t index = 0;       // 1; 0 without a superscript
};

/// The printed text with what `renamed` returns in place of each inaccessible name; of `x✝.den`,
/// that is `x✝`.
std::string RenameInaccessible(std::string_view printed,
                               const std::function<std::string(const InaccessibleName&)>& renamed);

/// The state with inaccessible names replaced by numbers (`✝1`), in the order in which they appear
/// in each goal.
std::string WithoutInaccessibleNames(std::string_view state);

/// One goal with numbers in place of its hypotheses' names, in their order, and single blanks for
/// blanks and line breaks: equal for goals that differ only in these names. Inaccessible names
/// (`✝1`) stay different from others (`#1`), to which tactics can refer.
std::string WithoutHypothesisNames(std::string_view goal);

}  // namespace zermelo::syntax
