// The declarations of the user's file that may help with a goal: those that the goal mentions, and
// what they mention in turn.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "syntax/file_constants.h"
#include "syntax/goal/goal.h"

namespace zermelo::policy {

struct FileFacts {
  /// Functions that the goal mentions, the nearest first.
  std::vector<const syntax::FileConstant*> mentioned;
  /// These and the functions that they mention, breadth first; then those that unfold instances and
  /// the terms of laws.
  std::vector<std::string> definitions;
  /// The functions among the definitions that call themselves.
  std::vector<std::string> recursive;
  /// Some unfold operators, which theorems about these operators then do not match.
  bool unfolds_operators = false;
  /// Theorems about what the goal mentions, the nearest first.
  std::vector<const syntax::FileConstant*> theorems;
  /// Of these, what simp and grind can use (theorem_use.h).
  std::vector<const syntax::FileConstant*> for_simp, for_grind;
  /// Types and inductive predicates that the goal or a definition mentions.
  std::vector<const syntax::FileConstant*> types, predicates;

  /// By its name as the goal prints it; null: there is none.
  const syntax::FileConstant* Predicate(std::string_view printed) const;
  /// Of the functions mentioned.
  const syntax::FileConstant* Function(std::string_view printed) const;
  const syntax::FileConstant* Type(std::string_view printed) const;

  /// Of the functions mentioned, those that define propositions: "A.Equiv, A.Valid".
  std::string Propositions() const;
};

/// The target and the types of the hypotheses, a line each.
std::string TypesIn(const syntax::Goal& goal);

/// Chooses from `context.file`, whose constants must outlive the result: at most 10 definitions and
/// 6 theorems, twice as many for each effort. A theorem is chosen if it shares a function or
/// predicate of the file, or a function of the library, with the goal; rarely mentioned ones count
/// more. A theorem that mentions none of these is chosen if it and the goal have at least half of
/// their operators in common.
FileFacts ChooseFor(const syntax::Goal& goal, const StepContext& context);

}  // namespace zermelo::policy
