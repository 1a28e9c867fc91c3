// results.jsonl, eval.json, merging and comparing.
#include "eval/folder.h"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>
#include <sys/resource.h>

#include "core/files/file.h"
#include "eval/report/compare.h"
#include "strategy/registry.h"

namespace zermelo::eval {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Problem MakeProblem(const std::string& name) {
  Problem problem;
  problem.name = name;
  problem.theorem = name;
  problem.statement = "theorem " + name + " : True := by\n  sorry";
  problem.trailer = "\n";
  return problem;
}

Manifest MakeManifest(const std::vector<std::string>& names) {
  Manifest manifest;
  manifest.setup = {{"dataset", {{"name", "toy"}}}};
  manifest.parameters = {{"budget", "10s"}, {"lean", "4.28.0"}};
  for (const std::string& name : names) manifest.problems.push_back(MakeProblem(name));
  return manifest;
}

ProblemResult MakeResult(const std::string& name, ProblemStatus outcome, size_t run = 1) {
  ProblemResult result;
  result.problem = name;
  result.run = run;
  result.outcome = outcome;
  result.attempts = outcome == ProblemStatus::kInvalid ? 0 : 1;
  if (outcome == ProblemStatus::kProved) {
    result.proved = 1;
    result.proof = "trivial";
    result.to_proof = Cost{.seconds = 1, .samples = 3, .tokens = 40, .dollars = 0.5};
    result.cost = *result.to_proof;
  }
  return result;
}

class FolderTest : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "run"; }
  static std::string Read(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  void Write(const fs::path& folder, const Manifest& manifest,
             const std::vector<ProblemResult>& results) {
    ASSERT_TRUE(BeginEvaluation(folder, manifest));
    auto log = ResultLog::Open(folder / "results.jsonl");
    ASSERT_TRUE(log);
    for (const ProblemResult& result : results) {
      ASSERT_TRUE(log->Append(result));
      if (result.outcome != ProblemStatus::kProved) continue;
      ProofFiles files;
      files.text = "-- proof\n";
      files.receipt = {{"receipt", 1}};
      ASSERT_TRUE(WriteProof(folder, result, files));
    }
  }
  core::TemporaryFolder folder_ = std::move(*core::TemporaryFolder::Create("eval-test"));
};

TEST_F(FolderTest, AResultIsReadAsItWasWritten) {
  ProblemResult result = MakeResult("a", ProblemStatus::kProved, 2);
  result.axioms = {"propext"};
  result.models["m"] = {.role = "prover",
                        .spent = {.calls = 1,
                                  .samples = 4,
                                  .prompt_tokens = 10,
                                  .completion_tokens = 30,
                                  .dollars = 0.5,
                                  .estimated = true}};
  result.seed = UINT64_MAX;
  result.message = "\xff is no text";
  Write(path(), MakeManifest({"a"}), {result});
  const auto read = ReadResults(path() / "results.jsonl");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  const ProblemResult& again = read->begin()->second;
  result.message = "\xef\xbf\xbd is no text";
  EXPECT_EQ(nlohmann::json(again), nlohmann::json(result));
}

TEST_F(FolderTest, AnIncompleteLastLineIsIgnoredAndRemoved) {
  const fs::path file = path() / "results.jsonl";
  Write(path(), MakeManifest({"a", "b"}), {MakeResult("a", ProblemStatus::kProved)});
  const std::string whole = Read(file);
  std::ofstream(file, std::ios::app) << whole.substr(0, 40);
  EXPECT_EQ(ReadResults(file)->size(), 1U);
  {
    auto log = ResultLog::Open(file);
    ASSERT_TRUE(log->Append(MakeResult("b", ProblemStatus::kUnproved)));
  }
  EXPECT_EQ(ReadResults(file)->size(), 2U);
  EXPECT_TRUE(Read(file).starts_with(whole)) << "complete lines are not rewritten";
}

TEST_F(FolderTest, AResultThatDoesNotFitOnTheDiskLeavesNoPartOfALine) {
  const fs::path file = path() / "results.jsonl";
  Write(path(), MakeManifest({"a", "b"}), {MakeResult("a", ProblemStatus::kProved)});
  auto log = ResultLog::Open(file);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit little = before;
  little.rlim_cur = Read(file).size() + 40;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  EXPECT_FALSE(log->Append(MakeResult("b", ProblemStatus::kUnproved)));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(log->Append(MakeResult("b", ProblemStatus::kUnproved)));
  EXPECT_EQ(ReadResults(file)->size(), 2U);
}

TEST_F(FolderTest, ABrokenLineInTheMiddleIsAnErrorWithItsPlace) {
  const fs::path file = path() / "results.jsonl";
  Write(path(), MakeManifest({"a"}), {MakeResult("a", ProblemStatus::kProved)});
  std::ofstream(file, std::ios::app) << "{\"problem\": \"x\"}\n";
  EXPECT_THAT(ReadResults(file).error().message,
              HasSubstr("results.jsonl:2: this is not a result"));
  std::string lie = nlohmann::json(MakeResult("a", ProblemStatus::kUnproved)).dump();
  lie.replace(lie.find("unproved"), 8, "proved");
  std::ofstream(file) << lie << '\n';
  EXPECT_THAT(ReadResults(file).error().message, HasSubstr("contradict"));
}

TEST_F(FolderTest, ALaterLineReplacesAnEarlierOne) {
  Write(path(), MakeManifest({"a"}),
        {MakeResult("a", ProblemStatus::kUnverified), MakeResult("a", ProblemStatus::kProved)});
  EXPECT_EQ(ReadResults(path() / "results.jsonl")->begin()->second.outcome, ProblemStatus::kProved);
}

TEST_F(FolderTest, OneProcessWritesAtATime) {
  Write(path(), MakeManifest({"a"}), {});
  const auto log = ResultLog::Open(path() / "results.jsonl");
  const auto second = ResultLog::Open(path() / "results.jsonl");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another evaluation is writing"));
}

TEST_F(FolderTest, ResultsOfOtherParametersAreNotMixed) {
  Write(path(), MakeManifest({"a"}), {});
  Manifest other = MakeManifest({"a"});
  EXPECT_TRUE(BeginEvaluation(path(), other));
  other.parameters["budget"] = "20s";
  EXPECT_THAT(BeginEvaluation(path(), other).error().message,
              HasSubstr("budget: \"10s\" there, \"20s\" here"));
  other = MakeManifest({"a"});
  other.problems[0].statement = "theorem a : 1 = 1 := by\n  sorry";
  EXPECT_THAT(BeginEvaluation(path(), other).error().message, HasSubstr("the statement of a"));
}

TEST_F(FolderTest, AParameterOfAStrategyThatAnEarlierVersionDidNotHaveHasItsDefault) {
  const nlohmann::json now = strategy::StrategyParameters();
  Manifest older = MakeManifest({"a"});
  older.parameters["strategy_parameters"] = now;
  older.parameters["strategy_parameters"]["best_first"].erase("max_retries");
  older.parameters["strategy_parameters"]["best_first"]["removed"] = 1;
  ASSERT_TRUE(BeginEvaluation(path(), older));
  Manifest newer = older;
  newer.parameters["strategy_parameters"] = now;
  EXPECT_TRUE(BeginEvaluation(path(), newer));
  newer.parameters["strategy_parameters"]["best_first"]["max_retries"] = 77;
  const auto begun = BeginEvaluation(path(), newer);
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error().message, HasSubstr("(best_first.max_retries: 4 there, 77 here)"));
}

TEST_F(FolderTest, ShardsAreMergedInTheOrderOfTheDataset) {
  for (size_t shard = 0; shard < 3; ++shard) {
    if (shard == 1) continue;
    std::vector<std::string> names;
    for (size_t i = shard; i < 7; i += 3) names.push_back("p" + std::to_string(i));
    Manifest manifest = MakeManifest(names);
    manifest.shard = shard;
    manifest.shards = 3;
    Write(folder_.path() / std::to_string(shard), manifest,
          {MakeResult(names.front(), ProblemStatus::kProved)});
    ASSERT_TRUE(AddSession(folder_.path() / std::to_string(shard), {{"seconds", 2.5}}));
  }
  const fs::path into = folder_.path() / "all";
  const auto merged = Merge({folder_.path() / "0", folder_.path() / "2"}, into);
  ASSERT_TRUE(merged) << merged.error().message;
  const auto summary = WriteSummary(into);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->problems, 5U);
  EXPECT_EQ(summary->solved, 2U);
  EXPECT_DOUBLE_EQ(summary->seconds, 5);
  EXPECT_THAT(summary->first_line, HasSubstr("INCOMPLETE: shard 2 is missing."));
  EXPECT_TRUE(fs::exists(into / "proofs/p0.lean"));
  EXPECT_TRUE(fs::exists(into / "proofs/p2.lean"));
  EXPECT_EQ(ReceiptFiles(into)->size(), 2U);
  const fs::path receipt = ReceiptFiles(into)->front();
  fs::rename(receipt, receipt.string() + ".gone");
  EXPECT_THAT(ReceiptFiles(into).error().message, HasSubstr("p0.lean has no receipt"));
  fs::rename(receipt.string() + ".gone", receipt);
  std::vector<std::string> order;
  const auto evaluation = ReadEvaluation(into);
  for (const Problem& problem : evaluation->manifest.problems) order.push_back(problem.name);
  EXPECT_THAT(order, ElementsAre("p0", "p2", "p3", "p5", "p6"));
  EXPECT_TRUE(Merge({folder_.path() / "0"}, into)) << "a merged evaluation can be merged again";
  EXPECT_FALSE(Merge({folder_.path() / "0"}, folder_.path() / "2"))
      << "an evaluation is not overwritten";
}

TEST_F(FolderTest, IncompatibleShardsAreNotMerged) {
  Write(folder_.path() / "0", MakeManifest({"a"}), {});
  Write(folder_.path() / "1", MakeManifest({"a"}), {});
  Manifest other = MakeManifest({"b"});
  other.parameters["lean"] = "4.30.0";
  Write(folder_.path() / "2", other, {});
  const fs::path into = folder_.path() / "all";
  EXPECT_THAT(Merge({folder_.path() / "0", folder_.path() / "1"}, into).error().message,
              HasSubstr("a is in "));
  EXPECT_THAT(Merge({folder_.path() / "0", folder_.path() / "2"}, into).error().message,
              HasSubstr("lean: "));
  EXPECT_FALSE(Merge({folder_.path() / "none"}, into));
}

TEST(FileNames, CannotLeaveTheirFolder) {
  EXPECT_EQ(FileNameFor("amc12a_2015_p10"), "amc12a_2015_p10");
  EXPECT_EQ(FileNameFor("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
  EXPECT_EQ(FileNameFor("a#2 ∧"), "a%232%20%E2%88%A7");
  EXPECT_LT(FileNameFor(std::string(5'000, 'x')).size(), 220U);
  EXPECT_NE(FileNameFor(std::string(5'000, 'x')), FileNameFor(std::string(5'001, 'x')));
}

class SummaryTest : public ::testing::Test {
 protected:
  static Results ByKey(const std::vector<ProblemResult>& list) {
    Results results;
    for (const ProblemResult& result : list) {
      results[ResultKey(result.problem, result.run)] = result;
    }
    return results;
  }
};

TEST_F(SummaryTest, InvalidStatementsAreCountedSeparately) {
  Manifest manifest = MakeManifest({"a", "b", "c"});
  manifest.problems[0].category = "AMC";
  manifest.problems[1].category = "AMC";
  const Summary summary = Summarise(
      manifest,
      ByKey({MakeResult("a", ProblemStatus::kProved), MakeResult("b", ProblemStatus::kInvalid),
             MakeResult("c", ProblemStatus::kUnproved)}),
      10);
  EXPECT_EQ(summary.invalid, 1U);
  EXPECT_DOUBLE_EQ(summary.pass_rate.mean, 0.5);
  EXPECT_EQ(summary.categories.at("AMC").solved, 1U);
  EXPECT_EQ(summary.categories.at("AMC").invalid, 1U);
  EXPECT_DOUBLE_EQ(summary.categories.at("AMC").pass_rate, 1);
  EXPECT_THAT(summary.first_line, HasSubstr("1 of 2 solved"));
  EXPECT_THAT(summary.first_line, HasSubstr("1 more does not elaborate"));
}

TEST_F(SummaryTest, TheJsonHasExactlyTheseKeys) {
  const auto json = ShortJson(
      Summarise(MakeManifest({"a"}), ByKey({MakeResult("a", ProblemStatus::kProved)}), 1));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("by_category", "dataset", "invalid", "money", "pass_rate",
                                "problems", "runs", "samples", "seconds", "solved", "tokens"));
}

TEST_F(SummaryTest, RunsGiveMeanAndSigma) {
  Manifest manifest = MakeManifest({"a", "b"});
  manifest.runs = 2;
  const Summary summary = Summarise(
      manifest,
      ByKey({MakeResult("a", ProblemStatus::kProved, 1), MakeResult("b", ProblemStatus::kProved, 1),
             MakeResult("a", ProblemStatus::kProved, 2),
             MakeResult("b", ProblemStatus::kUnproved, 2)}),
      1);
  EXPECT_DOUBLE_EQ(summary.pass_rate.mean, 0.75);
  EXPECT_NEAR(summary.pass_rate.sigma, 0.353553, 1e-6);
  EXPECT_EQ(summary.solved, 2U);
  EXPECT_THAT(summary.first_line, HasSubstr("75.0 % ± 35.4 % of 2 solved over 2 runs"));
}

TEST_F(SummaryTest, PassAtKComesFromAllAttemptsOfAllRuns) {
  Manifest manifest = MakeManifest({"a"});
  manifest.runs = 2;
  manifest.independent = true;
  ProblemResult first = MakeResult("a", ProblemStatus::kProved, 1);
  first.attempts = 5;
  first.proved = 3;
  ProblemResult second = MakeResult("a", ProblemStatus::kUnproved, 2);
  second.attempts = 5;
  const Summary summary = Summarise(manifest, ByKey({first, second}), 1);
  EXPECT_NEAR(summary.pass_at.at(1), 0.3, 1e-12);
  EXPECT_NEAR(summary.pass_at.at(2), 24.0 / 45, 1e-12);
  EXPECT_DOUBLE_EQ(summary.pass_at.at(10), 1);
  manifest.independent = false;
  EXPECT_TRUE(Summarise(manifest, ByKey({first, second}), 1).pass_at.empty());
}

TEST_F(SummaryTest, UnverifiedProblemsAreReportedFirst) {
  const Summary summary = Summarise(
      MakeManifest({"a", "b"}),
      ByKey({MakeResult("a", ProblemStatus::kProved), MakeResult("b", ProblemStatus::kUnverified)}),
      1);
  EXPECT_TRUE(summary.first_line.starts_with("NOT VERIFIED: Lean could not judge 1 of 2"))
      << summary.first_line;
  EXPECT_DOUBLE_EQ(summary.pass_rate.mean, 0.5) << "it counts as unsolved";
}

TEST_F(SummaryTest, MoneyAndTokens) {
  ProblemResult a = MakeResult("a", ProblemStatus::kProved);
  a.models["m"] = {
      .role = "prover",
      .spent = {
          .calls = 2, .samples = 4, .prompt_tokens = 100, .completion_tokens = 60, .dollars = 0.5}};
  ProblemResult b = MakeResult("b", ProblemStatus::kUnproved);
  b.cost.dollars = 1.5;
  b.models["m"] = {.role = "prover",
                   .spent = {.calls = 6, .samples = 8, .completion_tokens = 60, .dollars = 1.5}};
  const Summary summary = Summarise(MakeManifest({"a", "b"}), ByKey({a, b}), 1);
  EXPECT_DOUBLE_EQ(*summary.dollars_per_solved, 2);
  EXPECT_DOUBLE_EQ(summary.tokens_per_sample, 10) << "120 tokens for 12 samples";
  ASSERT_EQ(summary.roles.size(), 1U);
  EXPECT_EQ(summary.roles[0].total.spent.calls, 8);
}

TEST_F(SummaryTest, ComparingListsProblemsThatOnlyOneSolved) {
  const Manifest set = MakeManifest({"a", "b", "c", "d", "e"});
  Manifest other = set;
  other.problems[4].statement += " -- another";
  const Results a =
      ByKey({MakeResult("a", ProblemStatus::kProved), MakeResult("b", ProblemStatus::kProved),
             MakeResult("c", ProblemStatus::kUnproved), MakeResult("d", ProblemStatus::kInvalid),
             MakeResult("e", ProblemStatus::kProved)});
  const Results b =
      ByKey({MakeResult("a", ProblemStatus::kProved), MakeResult("b", ProblemStatus::kUnproved),
             MakeResult("c", ProblemStatus::kUnproved), MakeResult("d", ProblemStatus::kInvalid),
             MakeResult("e", ProblemStatus::kProved)});
  const auto comparison = Compare(set, a, other, b);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->problems, 3U);
  EXPECT_EQ(comparison->both, 1U);
  EXPECT_EQ(comparison->neither, 1U);
  EXPECT_THAT(comparison->only_a, ElementsAre("b"));
  EXPECT_DOUBLE_EQ(comparison->p, 1);
  EXPECT_EQ(comparison->notes.size(), 2U) << "one statement differs, one has no verdict";
  EXPECT_FALSE(Compare(set, a, MakeManifest({"z"}), b));
}

}  // namespace
}  // namespace zermelo::eval
