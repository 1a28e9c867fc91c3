#include "eval/library/library_dataset.h"

#include <gmock/gmock.h>

#include "eval/library/library_splits.h"

namespace zermelo::eval {
namespace {

using ::testing::HasSubstr;

lean::ModuleStatements ModuleWith(
    const std::string& name, const std::vector<std::pair<std::string, std::string>>& theorems) {
  lean::ModuleStatements module;
  module.module = name;
  module.header = "prelude\nimport Init.Core\n";
  for (const auto& [theorem, rest] : theorems) {
    module.statements.push_back(
        {.name = theorem, .text = "theorem " + theorem + rest + " := by\n  sorry"});
  }
  return module;
}

TEST(LibraryNameTest, IsNoPath) {
  EXPECT_EQ(*ParseLibraryName("corelib"), (LibraryName{.core = true, .prefix = ""}));
  EXPECT_EQ(*ParseLibraryName("corelib:Std.Data"),
            (LibraryName{.core = true, .prefix = "Std.Data"}));
  EXPECT_EQ(*ParseLibraryName("library:Mathlib"),
            (LibraryName{.core = false, .prefix = "Mathlib"}));
  for (const char* path : {"library", "./corelib", "corelib.jsonl", "miniF2F-lean4", "a:b"}) {
    const auto name = ParseLibraryName(path);
    EXPECT_TRUE(name && !*name) << path;
  }
  for (const char* wrong : {"corelib:", "library:", "library:../x", "corelib:Init/Data"}) {
    EXPECT_FALSE(ParseLibraryName(wrong)) << wrong;
  }
}

TEST(LibraryNameTest, APrefixEndsWithAPartOfAName) {
  const LibraryName lists{.core = true, .prefix = "Init.Data.List"};
  EXPECT_TRUE(lists.Has("Init.Data.List"));
  EXPECT_TRUE(lists.Has("Init.Data.List.Lemmas"));
  EXPECT_FALSE(lists.Has("Init.Data.ListX"));
  const LibraryName all{.core = true};
  EXPECT_TRUE(all.Has("Init"));
  EXPECT_TRUE(all.Has("Std.Data.HashMap"));
  EXPECT_FALSE(all.Has("Lean.Meta"));
}

TEST(LibraryDatasetTest, AProblemIsAFileWithTheModulesImports) {
  auto module = ModuleWith("Init.M", {});
  module.statements.push_back(
      {.name = "N.t", .text = "theorem N.t.{u} {α : Type u} (x : α) : x = x := by\n  sorry"});
  const auto dataset = DatasetOf({.core = true}, {module}, "4.28");
  ASSERT_EQ(dataset.problems.size(), 1U);
  const Problem& problem = dataset.problems[0];
  EXPECT_EQ(problem.theorem, "N.t");
  EXPECT_EQ(problem.category, "Init.M");
  EXPECT_EQ(problem.Text(),
            "prelude\nimport Init.Core\n\n"
            "theorem N.t.{u} {α : Type u} (x : α) : x = x := by\n  sorry\n");
  EXPECT_EQ(problem.lean, "4.28");
}

TEST(LibraryDatasetTest, RepetitionsAndOtherReasonsAreCounted) {
  auto first = ModuleWith("Init.A", {{"t", " : 1 = 1"}, {"u", " : 2 = 2"}});
  first.left_out["private"] = {"p", "q"};
  auto second = ModuleWith("Init.B", {{"v", " : 1 = 1"}, {"w", " : 3 = 3"}});
  second.import_all = true;
  lean::ModuleStatements failed;
  failed.module = "Init.C";
  failed.error = "Lean ended";
  const auto dataset = DatasetOf({.core = true}, {first, second, failed}, "4.28");
  const auto named = [](const char* name) { return ::testing::Field(&Problem::name, name); };
  EXPECT_THAT(dataset.problems, ::testing::ElementsAre(named("t"), named("u"), named("w")));
  ASSERT_EQ(dataset.notes.size(), 3U);
  EXPECT_EQ(
      dataset.notes[0],
      "3 of 6 theorems in 2 modules are problems; private: 2; the same statement as another: 1");
  EXPECT_EQ(dataset.problems[2].category, "Init.B (import all)");
  EXPECT_THAT(dataset.notes[1], HasSubstr("1 of the problems"));
  EXPECT_THAT(dataset.notes[2], HasSubstr("Init.C (Lean ended)"));
}

TEST(LibrarySplitsTest, AreByTheoremOfAModule) {
  LibrarySplits splits;
  splits.Add("test", "# comment\nInit.A\n  t\n  N.u\n");
  splits.Add("valid", "Init.B\n  t\n");
  EXPECT_EQ(splits.SplitOf("Init.A", "N.u"), "test");
  EXPECT_EQ(splits.SplitOf("Init.B", "t"), "valid");
  EXPECT_EQ(splits.SplitOf("Init.B", "N.u"), "");
  EXPECT_TRUE(splits.Has("test", "Init.A"));
  EXPECT_FALSE(splits.Has("test", "Init.B"));
}

}  // namespace
}  // namespace zermelo::eval
