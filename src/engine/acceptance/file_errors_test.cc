#include "engine/acceptance/file_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

lean::Diagnostic ErrorAt(uint32_t line, uint32_t character, std::string message = "wrong") {
  return {.severity = lean::Severity::kError,
          .begin = {.line = line, .character = character},
          .end = {.line = line, .character = character},
          .message = std::move(message)};
}

constexpr std::string_view kText =
    "def broken (n : Nat) : Nat := n +\n"
    "def user (n : Nat) := broken n\n"
    "theorem direct : broken 1 = 1 := by sorry\n"
    "theorem indirect : user 1 = 1 := by sorry\n"
    "theorem other : 1 = 1 := by sorry -- broken\n"
    "#check nothing\n";

TEST(FindErrors, AnErrorSpoilsDirectAndIndirectUses) {
  const auto declarations = syntax::FindDeclarations(kText);
  const std::vector diagnostics{ErrorAt(0, 33)};  // at the very end of the declaration
  const auto errors = FindErrors(kText, declarations, diagnostics);
  ASSERT_EQ(errors.size(), 1);
  EXPECT_EQ(errors[0].declaration, 0);
  EXPECT_THAT(errors[0].spoils, ElementsAre(1, 2, 3));
}

TEST(FindErrors, OneEntryForADeclarationAndOneForEachErrorOutside) {
  const auto declarations = syntax::FindDeclarations(kText);
  const std::vector diagnostics{ErrorAt(5, 7), ErrorAt(0, 5, "first"), ErrorAt(0, 9, "second")};
  const auto errors = FindErrors(kText, declarations, diagnostics);
  ASSERT_EQ(errors.size(), 2);
  EXPECT_EQ(errors[0].diagnostic->message, "first");
  EXPECT_EQ(errors[1].declaration, kNoDeclaration);
  EXPECT_THAT(errors[1].spoils, IsEmpty());
}

TEST(FindErrors, MissingCodeSpoilsNoProof) {
  const auto declarations = syntax::FindDeclarations(kText);
  const std::vector diagnostics{ErrorAt(0, 5, "Unknown constant `List.reverse._redArg`"),
                                ErrorAt(1, 5, "failed to compile definition, compiler IR check")};
  EXPECT_THAT(FindErrors(kText, declarations, diagnostics), IsEmpty());
  EXPECT_FALSE(IsCodeGenerationError(ErrorAt(0, 5, "Unknown constant `List.foo`")));
}

}  // namespace
}  // namespace zermelo::engine
