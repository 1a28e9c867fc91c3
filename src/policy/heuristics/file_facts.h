// What the user's file offers for a goal: chosen by what the goal mentions, and what that mentions.
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
  /// These and those that they mention, breadth first; then what unfolds instances and laws' terms.
  std::vector<std::string> definitions;
  /// Theorems about what the goal mentions, the nearest first.
  std::vector<const syntax::FileConstant*> theorems;
  /// Types and inductive predicates that the goal or a definition mentions.
  std::vector<const syntax::FileConstant*> types, predicates;

  /// By its name as the goal prints it; null: there is none.
  const syntax::FileConstant* Predicate(std::string_view printed) const;
  const syntax::FileConstant* Type(std::string_view printed) const;
};

/// Chooses from `context.file`, whose constants must outlive the result: at most 10 definitions and
/// 6 theorems, twice as many for each effort. A theorem is chosen if it shares a function,
/// predicate, or function of the library with the goal; what few others mention, counts more. One
/// that names none of these is chosen if at least half of its and the goal's operators are common
/// to both.
FileFacts ChooseFor(const syntax::Goal& goal, const StepContext& context);

}  // namespace zermelo::policy
