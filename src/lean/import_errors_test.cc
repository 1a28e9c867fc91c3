#include "lean/import_errors.h"

#include <gtest/gtest.h>

namespace zermelo::lean {
namespace {

std::string Hint(const std::string& message, const std::string& project) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  Toolchain toolchain;
  toolchain.project = project;
  return ImportHint(diagnostic, toolchain);
}

TEST(ImportHint, NamesTheCommandThatBuildsTheModule) {
  EXPECT_EQ(Hint("unknown module prefix 'Foo'\n\nNo directory 'Foo' or file", "/p"),
            "run `lake build Foo` in /p");
  EXPECT_EQ(Hint("unknown package 'Foo'", "/p"), "run `lake build Foo` in /p");
  EXPECT_EQ(Hint("object file '/p/.lake/build/lib/A/B.olean' of module A.B does not exist", "/p"),
            "run `lake build A.B` in /p");
  EXPECT_EQ(
      Hint("Imports are out of date and must be rebuilt; use the \"Restart File\" command", "/p"),
      "run `lake build` in /p");
  EXPECT_EQ(Hint("Imports of 'A.lean' are out of date and must be rebuilt", "/p"),
            "run `lake build` in /p");
  EXPECT_EQ(Hint("bad import 'A.B'", "/p"), "run `lake build A.B` in /p");
}

TEST(ImportHint, MathlibIsFetchedRatherThanBuilt) {
  EXPECT_EQ(Hint("unknown module prefix 'Mathlib'", "/p"),
            "run `lake exe cache get && lake build` in /p");
}

TEST(ImportHint, OutsideAProjectThereIsNothingToBuild) {
  EXPECT_NE(Hint("unknown module prefix 'Foo'", "").find("not in a Lake project"),
            std::string::npos);
}

TEST(ImportHint, OtherErrorsHaveNoHint) { EXPECT_EQ(Hint("unknown identifier 'foo'", "/p"), ""); }

}  // namespace
}  // namespace zermelo::lean
