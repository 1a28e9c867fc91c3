// The loaders, on samples in the layout of each public benchmark.
#include "eval/datasets/dataset.h"

#include <fstream>
#include <gmock/gmock.h>

#include "core/files/file.h"
#include "core/text.h"
#include "engine/receipt/git_commit.h"

namespace zermelo::eval {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const fs::path kSamples = fs::path(ZERMELO_SOURCE_DIR) / "src/eval/testdata/samples";

Dataset Loaded(const fs::path& path, const LoadOptions& options = {}) {
  auto dataset = LoadDataset(path, options);
  EXPECT_TRUE(dataset.has_value()) << (dataset ? "" : dataset.error().message);
  return dataset.value_or(Dataset());
}

std::vector<std::string> Names(const Dataset& dataset) {
  std::vector<std::string> names;
  for (const Problem& problem : dataset.problems) names.push_back(problem.name);
  return names;
}

/// A temporary folder for the files of a test.
class Folder {
 public:
  Folder() : folder_(std::move(*core::TemporaryFolder::Create("eval-test"))) {}
  fs::path Write(const std::string& name, const std::string& text) const {
    fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  core::TemporaryFolder folder_;
};

TEST(MiniF2f, ARepositoryOfLeanFilesHasItsSplitsInFolders) {
  const Dataset set = Loaded(kSamples / "minif2f-lean4");
  EXPECT_EQ(set.format, "minif2f");
  ASSERT_THAT(Names(set), ElementsAre("mathd_algebra_182"));
  const Problem& problem = set.problems[0];
  EXPECT_EQ(problem.split, "valid");
  EXPECT_EQ(problem.category, "MATH Algebra");
  EXPECT_EQ(problem.theorem, "mathd_algebra_182");
  EXPECT_THAT(problem.header, HasSubstr("open BigOperators Real Nat Topology Rat"));
  EXPECT_THAT(problem.statement, EndsWith(":= by sorry"));
  EXPECT_EQ(problem.source.file, "MiniF2F/Valid/mathd_algebra_182.lean");
  EXPECT_EQ(problem.source.line, 7U);
  EXPECT_EQ(problem.source.sha256.size(), 64U);
}

TEST(MiniF2f, DeepSeeksRowsStopAtBy) {
  const Dataset set = Loaded(kSamples / "minif2f-deepseek/minif2f.jsonl");
  EXPECT_EQ(set.format, "deepseek");
  EXPECT_EQ(set.name, "minif2f");
  const Problem& problem = set.problems[1];
  EXPECT_EQ(problem.name, "amc12a_2015_p10");
  EXPECT_EQ(problem.category, "AMC");
  EXPECT_EQ(problem.source.line, 2U);
  EXPECT_THAT(problem.Text(), StartsWith("import Mathlib\nimport Aesop\n"));
  EXPECT_THAT(problem.statement, StartsWith("/-- Integers"));
  EXPECT_THAT(problem.statement, EndsWith("x = 26 := by\n  sorry"));
  EXPECT_THAT(problem.informal, StartsWith("Integers $x$ and $y$"));
}

TEST(MiniF2f, GoedelsStatementsContainTheirHeader) {
  const Dataset set = Loaded(kSamples / "goedel");  // the only file in the folder
  EXPECT_EQ(set.format, "goedel");
  for (const Problem& problem : set.problems) {
    EXPECT_EQ(problem.split, "test");
    EXPECT_THAT(problem.header, StartsWith("import Mathlib\n"));
    EXPECT_EQ(problem.Text().find("import", 30), std::string::npos) << "a second header";
    EXPECT_THAT(problem.statement, EndsWith(":= by\n  sorry"));
  }
}

TEST(MiniF2f, KiminasRowsHaveNoHeader) {
  const Folder folder;
  const auto file =
      folder.Write("minif2f_test.jsonl",
                   R"({"name": "mathd_algebra_1", "informal_prefix": "/-- One. -/\n",)"
                   R"( "formal_statement": "theorem mathd_algebra_1 : 1 = 1 := by\n"})"
                   "\n"
                   R"({"name": "imo_1", "informal_prefix": "/-- Two. -/", "formal_statement":)"
                   R"( "import Mathlib\n\n/-- Two. -/\ntheorem imo_1 : 2 = 2 := by sorry"})");
  const Dataset set = Loaded(file);
  EXPECT_EQ(set.format, "kimina");
  EXPECT_THAT(set.problems[0].header, StartsWith("import Mathlib\n"));
  EXPECT_THAT(set.problems[0].statement,
              "/-- One. -/\ntheorem mathd_algebra_1 : 1 = 1 := by\n  sorry");
  EXPECT_EQ(set.problems[1].header, "import Mathlib\n\n");
}

TEST(MiniF2f, CategoriesAreThoseOfThePapersTables) {
  EXPECT_EQ(MiniF2fCategory("imo_1983_p6"), "IMO");
  EXPECT_EQ(MiniF2fCategory("imosl_2007_algebra_p6"), "IMO");
  EXPECT_EQ(MiniF2fCategory("aimeII_2001_p3"), "AIME");
  EXPECT_EQ(MiniF2fCategory("amc12b_2021_p3"), "AMC");
  EXPECT_EQ(MiniF2fCategory("mathd_numbertheory_3"), "MATH Number Theory");
  EXPECT_EQ(MiniF2fCategory("algebra_sqineq_unitcircatbpabsamblt1"), "Custom Algebra");
  EXPECT_EQ(MiniF2fCategory("numbertheory_x5neqy2p4"), "Custom Number Theory");
  EXPECT_EQ(MiniF2fCategory("induction_1pxpownlt1pnx"), "Custom Induction");
  EXPECT_EQ(MiniF2fCategory("exercise_1_13a"), "");
}

TEST(ProofNet, DeepSeeksRowsStopBeforeBy) {
  const Dataset set = Loaded(kSamples / "proofnet-deepseek/proofnet.jsonl");
  EXPECT_THAT(Names(set), ElementsAre("exercise_1_13a", "exercise_1_13b", "exercise_1_13c"));
  EXPECT_EQ(set.problems[1].split, "test");
  EXPECT_THAT(set.problems[0].statement, EndsWith("f a = f b := by\n  sorry"));
}

TEST(ProofNet, TheLean4PortNamesItsTextbook) {
  const Folder folder;
  folder.Write(
      "proofnet_lean4.jsonl",
      R"({"name": "Rudin_exercise_1", "source": "Rudin.lean", "header": "import Mathlib\n",)"
      R"( "formal_statement": "theorem Rudin_exercise_1 : 1 = 1 := sorry",)"
      R"( "formal_proof": null, "informal_stmt": "Trivial.", "informal_proof": "Yes."})");
  const Dataset set = Loaded(folder.path());
  EXPECT_EQ(set.format, "proofnet");
  EXPECT_EQ(set.problems[0].category, "Rudin");
  EXPECT_THAT(set.problems[0].statement,
              "/-- Trivial. -/\ntheorem Rudin_exercise_1 : 1 = 1 := sorry");
}

TEST(ProofNet, VerifiedHasHelpersAndTextbooks) {
  const Dataset set = Loaded(kSamples / "proofnet-verified");
  EXPECT_EQ(set.format, "proofnet-verified");
  const Problem& problem = set.problems[0];
  EXPECT_EQ(problem.name, "Artin_exercise_2_2_9");
  EXPECT_EQ(problem.category, "Artin");
  EXPECT_THAT(problem.header, HasSubstr("open scoped BigOperators\n\n"));
  EXPECT_THAT(problem.statement, HasSubstr("/-- Let $H$ be the subgroup"));

  const Folder folder;
  const auto file = folder.Write(
      "x.jsonl",
      R"({"name": "t", "header": "import Mathlib", "helper": "def two := 2", "formal_stmt":)"
      R"( "theorem t : two = 2 := by\n  sorry", "informal_stmt": "a -/ b"})");
  EXPECT_EQ(
      Loaded(file).problems[0].Text(),
      "import Mathlib\n\ndef two := 2\n\n/-- a - / b -/\ntheorem t : two = 2 := by\n  sorry\n");
}

TEST(PutnamBench, TheAnswerIsInlinedFromItsComment) {
  const Dataset set = Loaded(kSamples / "putnambench");
  EXPECT_EQ(set.format, "putnambench");
  EXPECT_THAT(Names(set), ElementsAre("putnam_1962_a5", "putnam_1990_a1", "putnam_2023_a1"));
  const Problem& problem = set.problems[0];
  EXPECT_THAT(problem.header, HasSubstr("abbrev putnam_1962_a5_solution : ℕ → ℕ := "
                                        "fun n : ℕ => n * (n + 1) * 2^(n - 2)\n"));
  EXPECT_THAT(problem.header, Not(HasSubstr("sorry")));
  EXPECT_THAT(problem.header, Not(HasSubstr("--")));
  EXPECT_EQ(problem.category, "algebra");
  EXPECT_THAT(problem.informal, StartsWith("Evaluate in closed form"));
  EXPECT_THAT(set.problems[1].header, HasSubstr(":= (fun n : ℕ => (n)!, fun n : ℕ => 2 ^ n)"));
  EXPECT_THAT(problem.statement, EndsWith(":=\nsorry"));
  EXPECT_TRUE(set.notes.empty());
}

TEST(PutnamBench, TheAnswerCanBeLeftToTheProver) {
  LoadOptions options;
  options.answers = Answers::kOpen;
  const Dataset set = Loaded(kSamples / "putnambench/lean4", options);
  EXPECT_THAT(set.problems[0].header,
              HasSubstr("abbrev putnam_1962_a5_solution : ℕ → ℕ := sorry\n-- fun n"));
  EXPECT_EQ(set.problems[0].category, "algebra") << "informal/ is next to lean4/";
}

TEST(PutnamBench, AnswersOfSeveralLinesAndSeveralDefinitions) {
  const Folder folder;
  folder.Write("lean4/src/putnam_2000_a1.lean",
               "abbrev putnam_2000_a1_solution : Nat := sorry\n-- (1 +\n-- 2)\n\n"
               "noncomputable abbrev other_solution : Nat := sorry\n-- 4\n"
               "theorem putnam_2000_a1 : putnam_2000_a1_solution + 1 = other_solution :=\nsorry\n");
  folder.Write("lean4/src/putnam_2000_a2.lean",
               "abbrev putnam_2000_a2_solution : Nat := sorry\n\n-- about the theorem\n"
               "theorem putnam_2000_a2 : putnam_2000_a2_solution = 1 :=\nsorry\n");
  const Dataset set = Loaded(folder.path());
  EXPECT_EQ(set.problems[0].header,
            "abbrev putnam_2000_a1_solution : Nat := (1 +\n  2)\n\n"
            "noncomputable abbrev other_solution : Nat := 4\n");
  EXPECT_THAT(set.problems[1].header, HasSubstr(":= sorry"));
  ASSERT_EQ(set.notes.size(), 1U);
  EXPECT_THAT(set.notes[0], HasSubstr("stays open"));
}

TEST(Fate, TheJsonHasWordsAndTags) {
  const Dataset set = Loaded(kSamples / "fate-h");
  EXPECT_EQ(set.format, "fate");
  EXPECT_THAT(Names(set), ElementsAre("FATE-H_2", "FATE-H_17"));
  EXPECT_EQ(set.problems[0].category, "Abstract Algebra: Group Theory");
  EXPECT_EQ(set.problems[0].theorem, "not_isSimpleGroup_of_card_eq_56");
  EXPECT_EQ(set.problems[1].source.line, 13U);
}

TEST(Fate, TheFilesAloneSuffice) {
  const Dataset set = Loaded(kSamples / "fate-h/FATEH");
  EXPECT_EQ(set.format, "fate");
  EXPECT_THAT(Names(set), ElementsAre("FATE-H_2", "FATE-H_17")) << "in numeric order";
  EXPECT_THAT(set.problems[0].informal, StartsWith("Prove that if"));
}

TEST(Fate, XHasNamespacesAndVersionsAndMHasNoTags) {
  const Folder folder;
  folder.Write(
      "FATE-X.json",
      "[\n  {\n    \"id\": 11,\n    \"informal_statement\": \"Words.\",\n"
      R"(    "formal_statement": "import Mathlib\n\nnamespace Problem11\n\nclass C where\n)"
      R"(  x : Nat\n\n/--\nWords.\n-/\ntheorem t : 1 = 1 := by\n  sorry\n\nend Problem11",)"
      "\n    \"source\": \"FATE-X\",\n    \"tag\": [\"Abstract Algebra\", \"Ring Theory\"],\n"
      "    \"declaration\": [\"class C where\\n  x : Nat\"],\n"
      "    \"version\": \"v4.25.0\"\n  }\n]\n");
  const Dataset x = Loaded(folder.path());
  EXPECT_EQ(x.problems[0].name, "FATE-X_11");
  EXPECT_EQ(x.problems[0].theorem, "Problem11.t");
  EXPECT_EQ(x.problems[0].lean, "v4.25.0");
  EXPECT_EQ(x.problems[0].trailer, "\n\nend Problem11");

  const auto m = folder.Write(
      "M.json",
      R"([{"id": 1, "informal_statement": "a", "formal_statement": "import Mathlib\n\n/--\na\n-/\n)"
      R"(theorem m : 1 = 1 := by\n  sorry", "source": "FATE-M", "version": "v4.23.0"}])");
  EXPECT_EQ(Loaded(m).problems[0].name, "FATE-M_1");
  EXPECT_EQ(Loaded(m).problems[0].category, "");
}

TEST(CombiBench, AnswersComeFromTheTable) {
  const Dataset set = Loaded(kSamples / "combibench");
  EXPECT_EQ(set.format, "combibench");
  ASSERT_THAT(Names(set), ElementsAre("brualdi_ch1_5", "hackmath_1", "imo_2024_p3"));
  EXPECT_THAT(set.problems[0].header, HasSubstr("abbrev brualdi_ch1_5_solution : ℕ := 11\n"));
  EXPECT_THAT(set.problems[1].header, HasSubstr("abbrev hackmath_1_solution : ℕ := 1716\n"));
  EXPECT_EQ(set.problems[1].category, "hackmath");
  EXPECT_THAT(set.problems[2].informal, StartsWith("Let $a_1, a_2, a_3, \\dots$"))
      << "a value in quotes";
  LoadOptions options;
  options.answers = Answers::kOpen;
  EXPECT_THAT(Loaded(kSamples / "combibench", options).problems[1].header, HasSubstr(":= sorry"));
}

TEST(LeanFolder, EveryTheoremWithASorryIsAProblem) {
  const Folder folder;
  folder.Write("a/Two.lean",
               "theorem done : True := trivial\ntheorem one : True := by\n  sorry\n"
               "namespace N\n/-- words -/\nlemma two : True := by\n  sorry\nend N\n");
  folder.Write("One.lean", "theorem x : True := by\n  sorry\n");
  folder.Write(".lake/packages/y.lean", "theorem hidden : True := by\n  sorry\n");
  folder.Write("lakefile.lean", "import Lake\n");
  const Dataset set = Loaded(folder.path());
  EXPECT_EQ(set.format, "lean");
  EXPECT_THAT(Names(set), ElementsAre("One", "one", "N.two"));
  EXPECT_EQ(set.problems[2].informal, "words");
  EXPECT_EQ(set.problems[2].source.file, "a/Two.lean");
  EXPECT_EQ(set.problems[2].source.line, 6U);
  EXPECT_THAT(set.problems[1].trailer, HasSubstr("end N"));
}

TEST(Rows, FieldNamesCanBeMapped) {
  const Folder folder;
  const auto file = folder.Write(
      "mine.jsonl", R"({"uid": 7, "lean": "theorem a : 1 = 1", "area": "sums", "set": "test"})");
  LoadOptions options;
  options.fields = {{"name", "uid"}, {"statement", "lean"}, {"category", "area"}, {"split", "set"}};
  const Dataset set = Loaded(file, options);
  EXPECT_EQ(set.format, "jsonl");
  EXPECT_EQ(set.problems[0].name, "7");
  EXPECT_EQ(set.problems[0].category, "sums");
  EXPECT_EQ(set.problems[0].split, "test");
  EXPECT_EQ(set.problems[0].statement, "theorem a : 1 = 1 := by\n  sorry");
}

TEST(Rows, AnExistingProofIsRemoved) {
  const Folder folder;
  const auto file =
      folder.Write("p.jsonl", R"({"name": "a", "statement": "theorem a : 1 = 1 := by\n  rfl"})");
  EXPECT_EQ(Loaded(file).problems[0].statement, "theorem a : 1 = 1 := by sorry");
}

TEST(Rows, RepeatedNamesBecomeUnique) {
  const Folder folder;
  std::string rows;
  for (int i = 0; i < 3; ++i)
    rows += R"({"name": "a", "statement": "theorem a : 1 = 1"})"
            "\n";
  const Dataset set = Loaded(folder.Write("p.jsonl", rows));
  EXPECT_THAT(Names(set), ElementsAre("a", "a#2", "a#3"));
  EXPECT_EQ(set.problems[2].theorem, "a");
  ASSERT_EQ(set.notes.size(), 1U);
}

TEST(Rows, ProblemsThatAreWrittenAreReadAgain) {
  const Folder folder;
  for (const char* sample : {"minif2f-lean4", "minif2f-deepseek/minif2f.jsonl", "fate-h/FATEH",
                             "proofnet-verified", "putnambench"}) {
    const Dataset set = Loaded(kSamples / sample);
    ASSERT_FALSE(set.problems.empty()) << sample;
    const Dataset again = Loaded(folder.Write("rows.jsonl", RowsOf(set.problems)));
    ASSERT_EQ(Names(again), Names(set));
    for (size_t i = 0; i < set.problems.size(); ++i) {
      const Problem &before = set.problems[i], &after = again.problems[i];
      EXPECT_EQ(core::Trim(after.header), core::Trim(before.header)) << before.name;
      EXPECT_EQ(after.statement, before.statement);
      EXPECT_EQ(core::Trim(after.trailer), core::Trim(before.trailer)) << before.name;
      EXPECT_EQ(after.theorem, before.theorem);
      EXPECT_EQ(after.split, before.split) << before.name;
      EXPECT_EQ(after.category, before.category) << before.name;
    }
  }
}

TEST(Rows, AProblemOfALibraryIsWrittenWithItsImports) {
  const Folder folder;
  const Problem problem{.name = "ite_id",
                        .split = "train",
                        .category = "Init.ByCases",
                        .header = "prelude\nimport Init.Classical\n\n",
                        .statement = "theorem ite_id {α : Sort u} (t : α) : t = t := by\n  sorry",
                        .trailer = "\n",
                        .theorem = "ite_id",
                        .informal = "",
                        .lean = "4.28.0",
                        .source = {}};
  const Dataset again = Loaded(folder.Write("rows.jsonl", RowsOf({problem})));
  ASSERT_EQ(Names(again), std::vector<std::string>{"ite_id"});
  EXPECT_EQ(again.problems[0].header, problem.header);
  EXPECT_EQ(again.problems[0].statement, problem.statement);
  EXPECT_EQ(again.problems[0].category, "Init.ByCases");
  EXPECT_EQ(again.problems[0].split, "train");
  EXPECT_EQ(again.problems[0].lean, "4.28.0");
}

TEST(Selecting, BySplitExpressionAndShard) {
  const Folder folder;
  std::string rows;
  for (int i = 0; i < 10; ++i) {
    rows += R"({"name": "p)" + std::to_string(i) + R"(", "split": ")" + (i < 6 ? "test" : "valid") +
            R"(", "statement": "theorem a : 1 = 1"})"
            "\n";
  }
  const Dataset all = Loaded(folder.Write("p.jsonl", rows));
  const auto select = [&](const Selection& selection) {
    Dataset set = all;
    const auto ok = Select(set, selection);
    return ok ? Names(set) : std::vector<std::string>{ok.error().message, ok.error().hint};
  };
  EXPECT_THAT(select({.split = "validation"}), ElementsAre("p6", "p7", "p8", "p9"));
  EXPECT_THAT(select({.split = "test", .filter = "[1-3]$"}), ElementsAre("p1", "p2", "p3"));
  EXPECT_THAT(select({.split = "test", .shard = 1, .shards = 4}), ElementsAre("p1", "p5"));
  EXPECT_THAT(select({.split = "train"}),
              ElementsAre("the dataset has no split 'train'", "it has test, valid"));
  EXPECT_THAT(select({.filter = "("})[0], HasSubstr("is not a regular expression"));
  EXPECT_THAT(select({.filter = "zzz"})[0], HasSubstr("no problem is left"));
}

TEST(Provenance, TheCommitIsReadFromTheRepository) {
  const Folder folder;
  const std::string commit(40, 'a');
  folder.Write(".git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(engine::CommitAt(folder.path() / "sub"), "");
  folder.Write(".git/packed-refs", "# pack-refs\n" + commit + " refs/heads/main\n");
  EXPECT_EQ(engine::CommitAt(folder.path() / "sub"), commit);
  folder.Write(".git/refs/heads/main", std::string(40, 'b') + "\n");
  EXPECT_EQ(engine::CommitAt(folder.path()), std::string(40, 'b'));
  folder.Write(".git/HEAD", "ref: refs/../../secret\n");
  EXPECT_EQ(engine::CommitAt(folder.path()), "");
}

}  // namespace
}  // namespace zermelo::eval
