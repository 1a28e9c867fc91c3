#include "eval/negation.h"

#include <algorithm>

#include "syntax/declarations.h"
#include "syntax/negation.h"

namespace zermelo::eval {

namespace {

constexpr const char* kName = "zermelo_negation";

}  // namespace

core::Result<Problem> NegationOf(const Problem& problem) {
  const auto statement = syntax::NegationOf(problem.statement, kName, problem.header);
  if (!statement) return core::Fail(statement.error());
  Problem negation = problem;
  negation.statement = *statement + " := by\n  sorry\n";
  const auto declarations = syntax::FindDeclarations(negation.Text());
  const auto found = std::ranges::find(declarations, kName, &syntax::Declaration::name);
  if (found == declarations.end()) {
    return core::Fail(core::ErrorCode::kInput, "the negation cannot be written as a theorem");
  }
  negation.theorem = found->full_name;
  return negation;
}

}  // namespace zermelo::eval
