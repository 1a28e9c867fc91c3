// What operators mean at the types of the user's file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/file_constants.h"

namespace zermelo::policy {

struct Unfolding {
  std::vector<std::string_view> symbols;  // of the operator; none: it may be used without one
  /// What `simp` unfolds to see what the operator does: a term that proves
  /// `∀ a b : T, a + b = T.add a b`, or, if the instance is not that simple, functions of the
  /// library: with them, `simp` goes round in circles where the operator is also one of numbers.
  std::string terms;
};

/// Nothing: not an instance of an operator.
std::optional<Unfolding> UnfoldingOf(const syntax::FileConstant& instance,
                                     const std::vector<syntax::FileConstant>& file);

/// The tactic, with such terms marked for `grind` to use them from left to right.
std::string WithDirections(std::string tactic);

}  // namespace zermelo::policy
