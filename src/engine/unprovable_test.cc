#include "engine/unprovable.h"

#include <gtest/gtest.h>

namespace zermelo::engine {
namespace {

constexpr const char* kFile = R"(instance a : Inhabited Nat := sorry
instance b : Std.Associative f := ⟨by sorry⟩
def two : Nat := sorry
def A.four := two + two
theorem above (n : Nat) : n = n := by sorry
theorem small : A.four < 5 := by sorry
theorem used : 1 = 1 := by have := two; sorry
)";

/// A result with what Lean says about these pieces of the text.
class Said {
 public:
  explicit Said(const std::string& text) : text_(text), lines_(text_) {}

  void Error(const std::string& at, size_t nth = 0) {
    result.diagnostics.push_back({.severity = lean::Severity::kError,
                                  .begin = Position(at, nth),
                                  .end = {},
                                  .message = "type mismatch"});
  }
  void Names(const std::string& at, size_t nth, const std::string& name) {
    const auto begin = Position(at, nth);
    result.references.push_back({.begin = begin, .end = begin, .name = name, .module = "M"});
  }
  lean::CheckResult result;

 private:
  syntax::Position Position(const std::string& at, size_t nth) {
    size_t found = text_.find(at);
    for (; nth > 0; --nth) found = text_.find(at, found + 1);
    return syntax::PositionAt(lines_, found);
  }
  std::string text_;
  core::LineIndex lines_;
};

TEST(UnprovableQuestionTest, TellsDataFromProofsInInstances) {
  const syntax::File file(kFile);
  UnprovableQuestion question(file);
  Said said(question.text());
  said.Error("sorry : (_ : Prop)");
  question.Answer(said.result);
  const auto& declarations = file.declarations();
  EXPECT_TRUE(question.IsData(declarations[0].holes[0].begin));
  EXPECT_FALSE(question.IsData(declarations[1].holes[0].begin));
}

TEST(UnprovableQuestionTest, FollowsDefinitionsToTheirSorry) {
  const syntax::File file(kFile);
  UnprovableQuestion question(file);
  Said said(question.text());
  said.Names("two", 1, "_private.M.0.two");
  said.Names("A.four", 1, "A.four");
  said.Names("two", 3, "two");
  question.Answer(said.result);
  EXPECT_EQ(question.MissingFrom(4), "");
  EXPECT_EQ(question.MissingFrom(5), "two");
  EXPECT_EQ(question.MissingFrom(6), "") << "its proof may be another";
}

TEST(UnprovableQuestionTest, NothingIsAskedWithoutAReason) {
  EXPECT_TRUE(UnprovableQuestion(syntax::File("theorem a : p := by sorry\n")).empty());
  EXPECT_FALSE(UnprovableQuestion(syntax::File("def a : Nat := sorry\n")).empty());
}

}  // namespace
}  // namespace zermelo::engine
