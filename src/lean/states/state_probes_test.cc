#include "lean/states/state_probes.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <set>

#include "lean/states/tried_states.h"
#include "lean/testing/pool_fixture.h"
#include "lean/versions.h"

namespace zermelo::lean {
namespace {

using core::testing::Await;
using ::testing::ElementsAre;
using Outcome = ProbeResult::Outcome;

TEST(StateProbesTest, AFileHasStatesAndAStateTactics) {
  const auto probes = ParseStateProbes(
      "# what this is\n\n=== first\ntheorem t : p := by\n  sorry\n---\n+ simp\n+ have : q := by\n"
      "    rfl\n  omega\n---\nintro x\ncases x\n+ rfl\n\n=== second\ntheorem u : q := by "
      "sorry\n---\n"
      "+ skip\n");
  ASSERT_EQ(probes.size(), 3U);
  EXPECT_EQ(probes[0], (StateProbe{.subject = "first",
                                   .text = "theorem t : p := by\n  sorry\n",
                                   .tactics = "",
                                   .candidates = {"simp\n", "have : q := by\n  rfl\nomega\n"}}));
  EXPECT_EQ(probes[1].text, probes[0].text);
  EXPECT_EQ(probes[1].tactics, "intro x\ncases x\n");
  EXPECT_THAT(probes[1].candidates, ElementsAre("rfl\n"));
  EXPECT_EQ(probes[2].subject, "second");
  EXPECT_EQ(CandidatesOf(probes), 4U);
}

TEST(StateProbesTest, TheProgramHasTwoHundredOfManyKinds) {
  const auto probes = StateProbes();
  EXPECT_GE(CandidatesOf(probes), 200U);
  std::set<std::string> subjects, all;
  for (const StateProbe& probe : probes) {
    subjects.insert(probe.subject);
    const auto declarations = syntax::FindDeclarations(probe.text);
    ASSERT_FALSE(declarations.empty()) << probe.subject;
    EXPECT_EQ(declarations.back().holes.size(), 1U) << probe.text;
    EXPECT_FALSE(probe.candidates.empty()) << probe.text << probe.tactics;
    for (const std::string& candidate : probe.candidates) {
      EXPECT_TRUE(all.insert(probe.text + probe.tactics + candidate).second) << candidate;
    }
  }
  EXPECT_GE(subjects.size(), 15U);
}

ProbeResult Failed(const std::string& message) {
  return {.outcome = Outcome::kFailed, .goals = {}, .message = message, .suggestion = {}};
}
ProbeResult Left(const std::string& goal) {
  return {.outcome = Outcome::kOpen,
          .goals = {goal},
          .message = "unsolved goals\n" + goal,
          .suggestion = {}};
}

TEST(StateProbesTest, ResultsAgreeUpToTheNumbersOfMetavariables) {
  EXPECT_TRUE(Agree(Left("⊢ ?m.12 = ?m.3"), Left("⊢ ?m.7 = ?m.1234")));
  EXPECT_FALSE(Agree(Left("⊢ ?m.12 = 1"), Left("⊢ ?m.12 = 2")));
  EXPECT_FALSE(Agree(Left("⊢ p"), Failed("")));
  EXPECT_FALSE(Agree(Failed("unknown identifier"), Failed("unknown constant")));
  ProbeResult slow;
  slow.outcome = Outcome::kSlow;
  EXPECT_FALSE(Agree(slow, slow)) << "it was not compared";
}

// ---- on fake_lean.py's game

/// Says what it is told of every candidate.
class OneAnswer : public TacticRunner {
 public:
  core::Task<core::Result<std::optional<std::vector<ProbeResult>>>> Try(Trials trials) override {
    if (busy) co_return std::nullopt;
    co_return std::vector<ProbeResult>(trials.candidates.size(), answer);
  }
  ProbeResult answer;
  bool busy = false;
};

class CompareOnTest : public testing::PoolTest {
 protected:
  core::Result<std::vector<ProbeDifference>> Compare() {
    PoolOptions options;
    options.workers = 1;
    Open(options);
    std::vector<StateProbe> probes{{.subject = "the game",
                                    .text = "theorem game : 2 := by\n  sorry\n",
                                    .tactics = "dec\n",
                                    .candidates = {"dec\n", "zero\n"}}};
    return Await(*io, CompareOn(*pool, runner, std::move(probes), [&](size_t n) { done = n; }));
  }
  OneAnswer runner;
  size_t done = 0;
};

TEST_F(CompareOnTest, WhatDiffersIsReported) {
  runner.answer = Left("case zc1\nn : Nat\n⊢ 0");
  const auto differences = Compare();
  ASSERT_TRUE(differences) << differences.error().message;
  EXPECT_EQ(done, 2U);
  ASSERT_EQ(differences->size(), 1U) << "one of the two leaves this goal";
  EXPECT_THAT(differences->front().probe.candidates, ElementsAre("zero\n"));
  EXPECT_EQ(differences->front().probe.tactics, "dec\n");
  EXPECT_EQ(differences->front().states.outcome, Outcome::kOpen);
  EXPECT_NE(differences->front().worker.outcome, Outcome::kOpen);
}

TEST_F(CompareOnTest, ABusyServerIsNoComparison) {
  runner.busy = true;
  const auto differences = Compare();
  ASSERT_FALSE(differences);
  EXPECT_EQ(differences.error().code, core::ErrorCode::kTimeout);
}

// ---- what is kept of a comparison

class TriedStatesTest : public ::testing::Test {
 protected:
  TriedStatesTest() { ::setenv("ZERMELO_CACHE", (folder.path() / "cache").c_str(), 1); }
  ~TriedStatesTest() override { ::unsetenv("ZERMELO_CACHE"); }
  Toolchain Lean(const std::string& version, const std::string& place = "lean") const {
    Toolchain toolchain;
    toolchain.version = version;
    toolchain.lean = folder.path() / place;
    return toolchain;
  }
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
};

TEST_F(TriedStatesTest, OnlyTheTestedLeanIsTrustedBeforeAComparison) {
  EXPECT_FALSE(KnownTrial(Lean("4.20.0")));
  EXPECT_FALSE(TrustsStates(Lean("4.20.0")));
  EXPECT_TRUE(TrustsStates(Lean(std::string(kRunVersion))));
}

TEST_F(TriedStatesTest, AComparisonDecidesForItsLeanAlone) {
  const Toolchain old = Lean("4.20.0"), tested = Lean(std::string(kRunVersion));
  ASSERT_TRUE(KeepTrial(old, {.probes = 231}));
  ASSERT_TRUE(KeepTrial(tested, {.probes = 231, .differences = 2}));
  EXPECT_TRUE(TrustsStates(old));
  EXPECT_EQ(KnownTrial(old)->probes, 231U);
  EXPECT_FALSE(TrustsStates(tested));
  EXPECT_FALSE(TrustsStates(Lean("4.20.0", "another/lean")));
  EXPECT_FALSE(TrustsStates(Lean("4.20.1")));
  ASSERT_TRUE(KeepTrial(tested, {.probes = 231}));
  EXPECT_TRUE(TrustsStates(tested)) << "the last one counts";
}

TEST_F(TriedStatesTest, ADamagedFileIsNoComparison) {
  const Toolchain lean = Lean("4.20.0");
  ASSERT_TRUE(KeepTrial(lean, {.probes = 231}));
  std::ofstream(TrialFile(lean)) << "[1";
  EXPECT_FALSE(KnownTrial(lean));
  EXPECT_FALSE(TrustsStates(lean));
}

}  // namespace
}  // namespace zermelo::lean
