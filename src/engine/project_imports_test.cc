#include "engine/project_imports.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/files/file.h"

namespace zermelo::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProjectImportsTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((project_.path() / name).parent_path());
    ASSERT_TRUE(core::WriteFileAtomically(project_.path() / name, text));
  }

  std::vector<std::string> Names(const std::string& file, const std::string& text) const {
    std::vector<std::string> names;
    for (const auto& constant : ReadImported(project_.path() / file, text)) {
      names.push_back(constant.name);
    }
    return names;
  }

  const core::TemporaryFolder project_ = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
};

TEST_F(ProjectImportsTest, WhatTheFileNamesAndWhatThatNamesTheNearestLast) {
  Write("lakefile.toml", "");
  Write("Shapes/Tree.lean",
        "inductive Tree | leaf | node (l r : Tree)\n"
        "def Tree.size : Tree → Nat | leaf => 1 | node l r => l.size + r.size\n"
        "def Other.thing := 0\n"
        "theorem Tree.size_pos (t : Tree) : 0 < t.size := by cases t <;> simp [Tree.size]\n");
  Write("Shapes/Double.lean",
        "import Shapes.Tree\n"
        "def double (t : Tree) : Tree := .node t t\n"
        "theorem about_other : Other.thing = 0 := rfl\n");
  const std::string text =
      "import Shapes.Double\ntheorem t (a : Tree) : (double a).size = 2 * a.size := by sorry\n";
  EXPECT_THAT(Names("Shapes/Use.lean", text),
              ElementsAre("Tree", "Tree.size", "Tree.size_pos", "double"));
  const auto found = ReadImported(project_.path() / "Shapes/Use.lean", text);
  EXPECT_LT(found[2].declaration, found[3].declaration);
  EXPECT_THAT(Names("Shapes/Use.lean", "theorem t : 1 = 1 := by sorry\n"), IsEmpty());
}

TEST_F(ProjectImportsTest, WhatIsPrivateOrRestsOnASorryIsLeftOut) {
  Write("lakefile.toml", "");
  Write("A.lean",
        "def f (n : Nat) : Nat := n\n"
        "private def g (n : Nat) : Nat := f n\n"
        "/-- not private -/ theorem f_zero : f 0 = 0 := rfl\n"
        "theorem open_one (n : Nat) : f n = n := by sorry\n"
        "theorem rests (n : Nat) : f (f n) = n := by rw [open_one, open_one]\n");
  EXPECT_THAT(Names("B.lean", "import A\ntheorem t : f (g 1) = 1 := by sorry\n"),
              ElementsAre("f", "f_zero"));
}

TEST_F(ProjectImportsTest, OfAModuleWhatIsPublicAndExposed) {
  Write("lakefile.toml", "");
  Write("A.lean",
        "module\n"
        "def hidden := 1\n"
        "public def opaque_one := 1\n"
        "@[expose] public def shown := 1\n"
        "public theorem about : shown = 1 := rfl\n"
        "@[expose] public noncomputable section\n"
        "def later := 1\n"
        "private def own := 1\n");
  Write("B.lean", "module\npublic section\ninductive T | a\ndef closed := T.a\n");
  EXPECT_THAT(Names("C.lean",
                    "import A\nimport B\n"
                    "#check (hidden, opaque_one, shown, later, own, T.a, closed)\n"),
              ElementsAre("T", "shown", "about", "later"));
}

TEST_F(ProjectImportsTest, SourcesAreFoundAboveTheFileButNotAboveTheProject) {
  Write("Outside.lean", "def outside := 1\n");
  Write("project/lean-toolchain", "");
  Write("project/src/Lib/A.lean", "import Lib.B\nimport Outside\ndef inside := 1\n");
  Write("project/src/Lib/B.lean", "import Lib.A\ndef further := inside\n");  // a cycle ends
  EXPECT_THAT(Names("project/src/Lib/Use.lean",
                    "import Lib.A\ntheorem t : inside = outside + further := by sorry\n"),
              ElementsAre("further", "inside"));
  EXPECT_THAT(Names("project/src/Lib/Use.lean", "import «../B»\nimport Gone\n#check further\n"),
              IsEmpty());
}

TEST_F(ProjectImportsTest, TheLakefileNamesFoldersOfSources) {
  Write("toml/lakefile.toml", "[[lean_lib]]\nname = \"Lib\"\nsrcDir = \"src\"\n");
  Write("toml/src/Lib/A.lean", "def a := 1\n");
  Write("lean/lakefile.lean", "lean_lib Lib where\n  srcDir := \"code\"\n");
  Write("lean/code/Lib/A.lean", "def b := 1\n");
  Write("odd/lakefile.toml", "srcDir\n\"src\"\nsrcDir = \"src");
  Write("odd/src/Lib/A.lean", "def c := 1\n");
  const std::string text = "import Lib.A\ntheorem t : a = b ∧ b = c := by sorry\n";
  EXPECT_THAT(Names("toml/test/Use.lean", text), ElementsAre("a"));
  EXPECT_THAT(Names("lean/test/Use.lean", text), ElementsAre("b"));
  EXPECT_THAT(Names("odd/test/Use.lean", text), IsEmpty());
}

TEST_F(ProjectImportsTest, WithoutAProjectOnlyTheFolderOfTheFile) {
  Write("A.lean", "def a := 1\n");
  Write("folder/B.lean", "def b := 1\n");
  EXPECT_THAT(Names("folder/Use.lean", "import A\nimport B\ntheorem t : a = b := by sorry\n"),
              ElementsAre("b"));
}

TEST_F(ProjectImportsTest, FilesThatAreNoTextAreLeftOut) {
  Write("A.lean", "def a := \xff\n");
  Write("B.lean", std::string("def b := 1\0", 11));
  EXPECT_THAT(Names("Use.lean", "import A\nimport B\ntheorem t : a = b := by sorry\n"), IsEmpty());
}

TEST_F(ProjectImportsTest, AnythingCanBeStoredAndReadAgain) {
  Write("A.lean",
        "class Shape (α : Type) where\n  area : α → Nat\n  pos : ∀ a, 0 < area a\n"
        "inductive Even : Nat → Prop | zero : Even 0 | step : Even n → Even (n + 2)\n"
        "infixl:65 \" ⊕⊕ \" => Nat.add\n"
        "instance : Shape Nat := ⟨fun n => n + 1, by simp⟩\n");
  const auto found =
      ReadImported(project_.path() / "Use.lean",
                   "import A\ntheorem t (h : Even 2) : 0 < Shape.area 3 := by sorry\n");
  ASSERT_GE(found.size(), 4U);
  const auto stored = ToJson(found);
  const auto read = ImportedOf(nlohmann::json::parse(stored.dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(ToJson(*read), stored);
  EXPECT_EQ(read->front().fields, found.front().fields);
  EXPECT_FALSE(ImportedOf(nlohmann::json::parse(R"([{"kind": "no number"}])")));
}

}  // namespace
}  // namespace zermelo::engine
