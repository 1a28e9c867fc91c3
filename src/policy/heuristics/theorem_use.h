// Which automation can use a theorem of the user's file, by the form of its statement.
#pragma once

#include "syntax/file_constants.h"

namespace zermelo::policy {

struct TheoremUse {
  /// Not `b = c` or `P b` for variables b and P, as in `a * b = a * c → b = c`: simp would try to
  /// rewrite every term with it. Not with a condition such as `∀ a, e * a = a`, for which simp
  /// would search at every match.
  bool simp = true;
  /// Not if neither another condition nor another conclusion applies a function to something: grind
  /// rejects a theorem in which it finds no pattern, and the whole call with it.
  bool grind = true;
};

TheoremUse UseOf(const syntax::FileConstant& theorem);

}  // namespace zermelo::policy
