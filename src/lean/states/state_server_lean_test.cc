// The state server on real Lean beside the language server. Not one of the unit tests, which need
// no Lean: a program of its own (test e2e.states), with the embedded Lean in $ZERMELO_EMBEDDED.
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sstream>

#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/states/state_checker.h"
#include "lean/states/state_comparison.h"
#include "lean/states/state_probes.h"
#include "lean/states/state_server.h"
#include "lean/testing/fake_lean.h"
#include "syntax/proof/proof_text.h"
#include "syntax/testing/sites.h"

namespace zermelo::lean {
namespace {

using core::testing::Await;
using std::chrono::seconds;

class StatesOnLean : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* embedded = std::getenv("ZERMELO_EMBEDDED");
    ASSERT_NE(embedded, nullptr);
    ToolchainRequest request;
    request.lean = std::filesystem::path(embedded) / "bin" / "lean";
    const auto toolchain =
        core::RunToEnd(io_, FindToolchain(std::move(request), core::Deadline::After(seconds(60))));
    ASSERT_TRUE(toolchain) << toolchain.error().message;
    PoolOptions options;
    options.workers = 1;
    options.worker.skip_kernel = true;
    pool_ = std::make_unique<Pool>(io_.get_executor(), *toolchain, options);
    StateServerOptions states;
    states.start_limit = seconds(120);
    states.threads = 2;
    auto started = Await(io_, StateServer::Start(io_.get_executor(), *toolchain, states));
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  static void TearDownTestSuite() {
    server_.reset();
    pool_.reset();
    core::testing::RunOut(io_);
  }

  static StateQuery Query(const std::string& before, const std::string& tactics,
                          core::Duration limit = seconds(30)) {
    StateQuery query;
    query.hole.text = before + "  sorry\n";
    query.hole.byte = before.size() + 2;
    query.tactics = tactics;
    query.limit = limit;
    query.goals_at = GoalPlaces(tactics);
    return query;
  }
  static core::Result<StateRun> Run(const std::string& before, const std::string& tactics,
                                    core::Duration limit = seconds(30)) {
    return Await(io_, server_->Run(Query(before, tactics, limit)));
  }
  /// The run, if it has as many steps and is as the language server has it.
  static StateRun Same(const std::string& before, const std::string& tactics, size_t steps) {
    const auto run = Run(before, tactics);
    EXPECT_TRUE(run) << run.error().message;
    if (!run) return {};
    EXPECT_EQ(run->steps.size(), steps) << tactics;
    if (run->steps.empty()) return {};
    const StateComparison comparison(before, tactics, *run);
    CheckRequest request = comparison.request();
    request.deadline = core::Deadline::After(seconds(60));
    const auto checked = Await(io_, pool_->Check(std::move(request)));
    EXPECT_TRUE(checked) << tactics;
    if (checked) {
      EXPECT_EQ(comparison.Difference(*checked), "") << tactics;
    }
    return *run;
  }

  inline static boost::asio::io_context io_;
  inline static std::unique_ptr<Pool> pool_;
  inline static std::unique_ptr<StateServer> server_;
};

const std::string kPlain =
    "theorem t (a b c : Nat) (h : a < b) (k : b < c) : a < c ∧ b = b := by\n";

/// This process and what it starts may use one processor only, as in many a job of a cluster.
class OneProcessor {
 public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
    }
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_ = {};
};

TEST_F(StatesOnLean, OnOneProcessorTheWorkerDropsATacticThatIsCutOff) {
  const OneProcessor one;
  Pool pool(io_.get_executor(), pool_->toolchain(), PoolOptions{.workers = 1});
  const auto site = syntax::testing::LastSite(
      "theorem t (f : Int → Int) (g : Int → Int → Int) (a b : Int) (h : f (g a b) = f a + f b) :\n"
      "    f (g a b) = f a + f b := by\n  sorry\n");
  const std::string endless = "clear h\nsimp_all +arith";
  ProbeLimits limits{.per_candidate = seconds(2), .deadline = core::Deadline::After(seconds(100))};
  const auto tried = Await(io_, Probe(pool, site, "", {endless, endless, "exact h"}, limits));
  ASSERT_TRUE(tried) << tried.error().message;
  std::vector<ProbeResult::Outcome> outcomes;
  for (const ProbeResult& result : *tried) outcomes.push_back(result.outcome);
  using enum ProbeResult::Outcome;
  EXPECT_EQ(outcomes, (std::vector{kSlow, kSlow, kClosed}));
  EXPECT_EQ(pool.stats().started, 1U) << "it need not be killed";
}

TEST_F(StatesOnLean, StatesAndErrorsAreTheLanguageServers) {
  EXPECT_TRUE(Same(kPlain, "  constructor\n  · omega\n  · rfl\n", 3).Closed());
  Same(kPlain, "  constructor\n  · exact Nat.lt_trans h missing\n  · rfl\n", 3);
  Same(kPlain, "  have m : a < c := by\n    have n := h\n    exact bad\n  exact ⟨m, rfl⟩\n", 2);
  Same(kPlain, "  refine ⟨?first, ?second⟩\n  rotate_left\n", 2);
  Same(kPlain, "  refine ⟨?_, ?_⟩ <;> first | omega | rfl\n", 1);
  Same(kPlain, "  constructor; omega; simp at h\n", 3);
  Same(kPlain, "  exact ⟨by\n    calc a < b := h\n      _ < c := k, rfl⟩\n", 1);
  Same(kPlain, "  conv => rhs; rw [eq_self]\n  exact ⟨h.trans k, trivial⟩\n", 2);
  Same(kPlain, "  induction a with\n  | zero => omega\n  | succ n ih => simp\n", 1);
  Same(kPlain, "  set_option maxRecDepth 100 in\n  constructor\n", 1);
}

TEST_F(StatesOnLean, AnErrorThatFollowsFromAnotherIsNoError) {
  const std::string before = "theorem t (a b c : Nat) (h : a = b) : a + c + 0 = c + b := by\n";
  Same(before, "  exact Nat.le_of_lt missing\n", 1);
  Same(before, "  have : missing := by decide\n  omega\n", 2);
  Same(before, "  obtain rfl : missing = a := by omega\n", 1);
  Same(before, "  (exact missing b) <;> simp_all\n", 1);
  Same(before, "  show missing + a = c\n", 1);
}

TEST_F(StatesOnLean, AnErrorThatLeanThrowsAtTheEndIsReportedOnce) {
  const std::string classes =
      "class C (α : Type) where\n  n : Nat\ninstance : C Bool := ⟨0⟩\ninstance : C Char := ⟨0⟩\n"
      "theorem law {α : Type} [C α] (x : α) : (x = x) = True := by simp\n"
      "theorem t (a b : Nat) : a + 0 = b ∧ True := by\n";
  // It waits until the numeral's type is known, at the end; nobody ever knows what `_` is.
  const StateRun run = Same(classes, "  constructor\n  · rw [law 1]\n  · trivial\n", 3);
  ASSERT_EQ(run.steps.size(), 3U);
  ASSERT_EQ(run.steps[1].messages.size(), 2U);
  EXPECT_NE(run.steps[1].messages[1].message.find("failed to synthesize"), std::string::npos);
  EXPECT_TRUE(run.steps[2].messages.empty());
  Same(classes, "  constructor\n  · rw [law 1, missing]\n", 2);
  Same(classes, "  constructor\n  · rw [law (α := _)]\n", 2);
  Same(classes, "  have h : a = a := by\n    rw [law 1]\n  exact ⟨missing, h⟩\n", 2);
}

TEST_F(StatesOnLean, GoalsInBlocksAreTheLanguageServers) {
  Same(kPlain, "  constructor\n  case left => omega\n  case right => rfl\n", 3);
  Same(kPlain, "  constructor\n  case left =>\n    have n := h\n    omega\n  case right => rfl\n",
       3);
  Same(kPlain,
       "  have m : a < c := by\n    have n : a < b := by\n      have o := h\n      exact o\n"
       "    omega\n  constructor\n  · exact m\n  · have q := 1\n    rfl\n",
       4);
  Same(kPlain,
       "  refine ⟨?_, ?_⟩\n  · cases a with\n    | zero =>\n      have n := h\n      omega\n"
       "    | succ d =>\n      have n := k\n      omega\n  next =>\n    rfl\n",
       3);
  Same(kPlain,
       "  constructor\n  · rcases b with _ | d\n    · omega\n    · have n := k\n      omega\n", 2);
  Same(kPlain,
       "  show _ ∧ _\n  exact ⟨by\n    have n := h\n    omega, by\n    have m := k\n    rfl⟩\n", 2);
  Same(kPlain,
       "  constructor\n  · have n := h\n    have o : n = n := by\n      exact bad\n    omega\n", 2);
  Same(kPlain,
       "  obtain ⟨d, e⟩ : ∃ d, b = d := by\n    have n := h\n    exact ⟨b, rfl⟩\n  subst e\n", 2);
}

TEST_F(StatesOnLean, AKnownTacticIsLookedIntoLater) {
  const std::string tactics =
      "  have m : a < c := by\n    have n := h\n    omega\n  exact ⟨m, rfl⟩\n";
  StateQuery query;
  query.hole.text = kPlain + "  sorry\n";
  query.hole.byte = kPlain.size() + 2;
  query.tactics = tactics;
  const auto blind = Await(io_, server_->Run(query));
  ASSERT_TRUE(blind);
  query.goals_at = GoalPlaces(tactics);
  const auto seen = Await(io_, server_->Run(query));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state, blind->state);
  ASSERT_EQ(seen->goals_at.size(), 2U);
  ASSERT_TRUE(seen->goals_at[0] && seen->goals_at[1]);
  EXPECT_NE(seen->goals_at[0]->at(0).find("n : a < b"), std::string::npos);
  const auto again = Await(io_, server_->Run(query));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->steps[0].elaborated);
  EXPECT_EQ(again->goals_at, seen->goals_at);
}

TEST_F(StatesOnLean, ACheckerRefusesByStatesWhatLeanRefuses) {
  StateChecker checker(*pool_, *server_);
  const auto ask = [](Checker& of, const std::string& tactics) {
    CheckRequest request;
    request.text = kPlain + "  " + tactics + "\n";
    request.tactics = syntax::TextRange{kPlain.size() + 2, kPlain.size() + 2 + tactics.size()};
    request.deadline = core::Deadline::After(seconds(60));
    return Await(io_, of.Check(std::move(request)));
  };
  const auto described = [](const core::Result<CheckResult>& result) {
    if (!result) return result.error().message;
    std::string text = Name(result->status);
    for (const Diagnostic& d : result->diagnostics) {
      text += fmt::format("\n{}:{} {}", d.begin.line, d.begin.character, Normalized(d.message));
    }
    return text;
  };
  uint64_t refused = 0;
  for (const std::string tactics :
       {"constructor\n  · omega\n  · exact missing", "constructor",
        "constructor\n  · skip\n  · rfl", "refine ⟨?_, rfl⟩\n  have m := h", "exact bad",
        "constructor\n  · exact bad\n  · exact worse"}) {
    EXPECT_EQ(described(ask(checker, tactics)), described(ask(*pool_, tactics)));
    EXPECT_EQ(checker.refused(), ++refused) << tactics;
  }
  EXPECT_EQ(described(ask(checker, "exact ⟨by omega, rfl⟩")), "accepted");
  EXPECT_EQ(checker.refused(), refused);
}

TEST_F(StatesOnLean, WhatComesBeforeTheHoleHolds) {
  const std::string before =
      "namespace Some\nopen Nat (succ_le_of_lt)\nvariable {α : Type} (p : α → Prop)\nsection\n"
      "variable (x : α) (hx : p x)\ninclude hx\ndef twice (n : Nat) := n + n\n"
      "set_option maxHeartbeats 1000 in\n"
      "theorem t.{u} (β : Type u) (n m : Nat) (h : n < m) : p x ∧ twice n = 2 * n ∧ n + 1 ≤ m := "
      "by\n";
  EXPECT_TRUE(Same(before,
                   "  refine ⟨hx, ?_, succ_le_of_lt h⟩\n  have (γ : Type u) : γ = γ := rfl\n"
                   "  unfold twice\n  omega\n",
                   4)
                  .Closed());
  Same(before, "  refine ⟨hx, ?_, ?_⟩\n  all_goals simp [twice]\n", 2);
}

TEST_F(StatesOnLean, ASorryAMissingPartAndASyntaxErrorAreNotProofs) {
  EXPECT_FALSE(Run(kPlain, "  constructor\n  · sorry\n  · rfl\n")->Closed());
  EXPECT_TRUE(Run(kPlain, "  constructor\n  · sorry\n  · rfl\n")->has_sorry);
  const auto after = Run(kPlain, "  constructor\n  · omega\n  · rfl\n  )\n");
  EXPECT_FALSE(after->Closed());
  ASSERT_NE(after->FirstError(), nullptr);
  EXPECT_EQ(after->FirstError()->begin.line, 3U);
}

// ---- trials beside probes

using Results = std::vector<ProbeResult>;

std::string Describe(const ProbeResult& result) {
  static const char* const kNames[] = {"closed", "open", "failed", "slow", "unknown"};
  std::string text = kNames[static_cast<size_t>(result.outcome)];
  for (const std::string& goal : result.goals) text += "\n[goal] " + goal;
  return text + "\n[message] " + result.message + "\n[suggestion] " + result.suggestion;
}

class TrialsOnLean : public StatesOnLean {
 protected:
  static ProbeLimits Generously() {
    return {.per_candidate = seconds(20), .deadline = core::Deadline::After(seconds(200))};
  }
  /// Compares what a probe and the state server say of each candidate; returns the latter.
  static Results Same(const syntax::ProofSite& site, const std::string& prefix,
                      const std::vector<std::string>& candidates) {
    const auto probed = Await(io_, Probe(*pool_, site, prefix, candidates, Generously()));
    const auto tried = Await(io_, Probe(*server_, site, prefix, candidates, Generously()));
    EXPECT_TRUE(probed) << probed.error().message;
    EXPECT_TRUE(tried) << tried.error().message;
    if (!probed || !tried || !*tried) return {};
    EXPECT_EQ(probed->size(), (*tried)->size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      EXPECT_EQ(Describe((*tried)->at(i)), Describe(probed->at(i)))
          << "after:\n"
          << prefix << "\ncandidate: " << candidates[i];
    }
    return **tried;
  }
};

const std::vector<std::string> kWrong = {
    "rfl",
    "exact missing",
    "simp_all",
    "intro x",
    "constructor",
    "exact ⟨by exact wrong, by\n  intro y\n  omega⟩",
    "have h : 1 + 1 = 2 := by\n  rfl\nsimp at h",
    "have : ∀ n : Nat, n = n := by\n  intro n\n  cases n\n  · rfl",
    "refine ?_",
    "apply Nat.le_antisymm <;> skip",
    "frobnicate",
    "first | exact missing | omega | skip",
    "by_contra h",
    "sorry",
};

/// Without two blanks at the beginning of each line.
std::string Unindented(const std::string& proof) {
  std::string text;
  std::istringstream lines(proof);
  for (std::string line; std::getline(lines, line);)
    text += line.substr(std::min<size_t>(line.size(), 2)) + "\n";
  return text;
}

TEST_F(TrialsOnLean, KnownProofsAndWrongTacticsAreWhatProbesSay) {
  std::ifstream in(std::filesystem::path(ZERMELO_SOURCE_DIR) / "bench" / "data" /
                   "minif2f-core-proofs.jsonl");
  size_t compared = 0, problem = 0;
  for (std::string line; std::getline(in, line);) {
    if (problem++ % 4 != 0) continue;
    const auto entry = nlohmann::json::parse(line);
    const std::string proof = Unindented(entry.at("proof"));
    const auto site = testing::LastSite(
        "open Nat Rat\n" + entry.at("statement").get<std::string>() + " := by\n  sorry\n");
    const auto steps = syntax::SplitTactics(proof);
    for (const auto& step : steps) {
      std::vector<std::string> candidates{proof.substr(step.begin, step.end - step.begin),
                                          proof.substr(step.begin)};
      candidates.insert(candidates.end(), kWrong.begin(), kWrong.end());
      compared += Same(site, proof.substr(0, step.begin), candidates).size();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(compared, 200U);
}

TEST_F(TrialsOnLean, TheProbesOfDoctorAgree) {
  for (const StateProbe& probe : StateProbes()) {
    const auto differences =
        Await(io_, CompareOn(*pool_, *server_, std::vector{probe}, [](size_t) {}));
    ASSERT_TRUE(differences) << differences.error().message;
    for (const ProbeDifference& difference : *differences) {
      ADD_FAILURE() << probe.subject << ", after:\n"
                    << probe.tactics << "candidate: " << difference.probe.candidates.front()
                    << "worker: " << Describe(difference.worker)
                    << "\nserver: " << Describe(difference.states);
    }
  }
}

TEST_F(TrialsOnLean, AnOpenBracketAffectsNoOtherCandidate) {
  const auto site = testing::LastSite("theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n");
  const auto tried = Await(
      io_,
      Probe(*server_, site, "", {"rw [Nat.add_comm", "omega", "omega)", "omega"}, Generously()));
  ASSERT_TRUE(tried && *tried);
  std::vector<ProbeResult::Outcome> outcomes;
  for (const ProbeResult& result : **tried) outcomes.push_back(result.outcome);
  using enum ProbeResult::Outcome;
  EXPECT_EQ(outcomes, (std::vector{kFailed, kClosed, kFailed, kClosed}));
}

TEST_F(TrialsOnLean, ACandidateWorksOnTheFirstGoalOnly) {
  const auto site = testing::LastSite(
      "theorem t (p q : Prop) (a b : Nat) (hp : p) (hq : q) : p ∧ q ∧ a + b = b + a := by\n  "
      "sorry\n");
  const auto results = Same(site, "refine ⟨?_, ?_⟩",
                            {"exact hp", "all_goals assumption", "case left => exact hp", "exact?",
                             "decide +kernel", "rotate_left", "case right => exact hq"});
  ASSERT_EQ(results.size(), 7U);
  EXPECT_EQ(results[0].outcome, ProbeResult::Outcome::kClosed);
  Same(site, "constructor\n· exact hp\nconstructor", {"exact hq", "omega", "rename_i x\nexact hq"});
  for (const ProbeResult& result : Same(site, "exact missing", {"exact hp", "skip"})) {
    EXPECT_EQ(result.outcome, ProbeResult::Outcome::kUnknown);
  }
}

TEST_F(TrialsOnLean, HolesThatShareTheirLineWithOtherCode) {
  Same(testing::LastSite(
           "theorem t (a b : Nat) : a + b = b + a ∧ True := by exact ⟨by sorry, trivial⟩\n"),
       "skip", {"omega", "rfl", "have h := Nat.add_comm a b\nexact h", "simp\nomega"});
  Same(testing::LastSite("theorem t (a b : Nat) : a + b = b + a := sorry\n"), "",
       {"omega", "induction a\n· omega\n· omega", "cases a <;> omega"});
}

TEST_F(TrialsOnLean, ASlowCandidateIsCutOffAndTheOthersAreTried) {
  const auto site = testing::LastSite(
      "theorem slow (a b c : Nat) (h : a < b) (k : b < c) : a * 2 + b < c * 2 + b := by\n  "
      "sorry\n");
  ProbeLimits limits;
  limits.per_candidate = seconds(4);
  limits.deadline = core::Deadline::After(seconds(60));
  const auto tried =
      Await(io_, Probe(*server_, site, "", {"iterate 80 sleep 100", "omega", "rfl"}, limits));
  ASSERT_TRUE(tried && *tried);
  EXPECT_EQ((*tried)->at(0).outcome, ProbeResult::Outcome::kSlow);
  EXPECT_EQ((*tried)->at(1).outcome, ProbeResult::Outcome::kClosed);
  EXPECT_EQ((*tried)->at(2).outcome, ProbeResult::Outcome::kFailed);
}

TEST_F(TrialsOnLean, ARequestIsCancelled) {
  const auto site = testing::LastSite(
      "set_option maxHeartbeats 0\n"
      "theorem t (a b c : Nat) (h : a < b) (k : b < c) : a * 2 + b < c * 2 + b := by\n  sorry\n");
  std::vector<std::string> slow;  // unlike each other: no tactic runs twice
  for (int i = 30; i < 80; ++i) slow.push_back("iterate " + std::to_string(i) + " sleep 100");
  core::Cancellation cancellation;
  ProbeLimits limits;
  limits.per_candidate = seconds(100);
  limits.cancellation = &cancellation;
  const uint64_t started = server_->stats().started;
  core::testing::Started<core::Result<std::optional<Results>>> running(
      io_, Probe(*server_, site, "", slow, limits));
  boost::asio::steady_timer timer(io_, std::chrono::milliseconds(500));
  timer.async_wait([&](auto) { cancellation.Request(); });
  const auto& cancelled = running.Get();
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, core::ErrorCode::kCancelled);
  limits.cancellation = nullptr;
  const auto tried = Await(io_, Probe(*server_, site, "", {"omega"}, limits));
  ASSERT_TRUE(tried && *tried);
  EXPECT_EQ((*tried)->at(0).outcome, ProbeResult::Outcome::kClosed);
  EXPECT_EQ(server_->stats().started, started) << "the process goes on";
}

TEST_F(StatesOnLean, ATacticIsElaboratedOnceInAState) {
  const std::string before = "theorem once (a : Nat) : a + 0 = a ∧ True := by\n";
  Run(before, "  constructor\n  · rfl\n");
  const auto again = Run(before, "  constructor\n  · rfl\n  · trivial\n");
  ASSERT_EQ(again->steps.size(), 3U);
  EXPECT_FALSE(again->steps[0].elaborated);
  EXPECT_FALSE(again->steps[1].elaborated);
  EXPECT_TRUE(again->steps[2].elaborated);
  EXPECT_TRUE(again->Closed());
}

// ---- two threads

using StartedRun = core::testing::Started<core::Result<StateRun>>;

TEST_F(StatesOnLean, ATacticThatTwoRunsNeedAtOnceIsElaboratedOnce) {
  const std::string before = "theorem both (a : Nat) : a + 0 = a ∧ True := by\n";
  ASSERT_TRUE(Run(before, ""));
  const std::string tactics = "  iterate 20 sleep 50\n  constructor\n  · rfl\n";
  StartedRun one(io_, server_->Run(Query(before, tactics)));
  StartedRun other(io_, server_->Run(Query(before, tactics)));
  const auto& first = one.Get();
  const auto& second = other.Get();
  ASSERT_TRUE(first && second);
  ASSERT_EQ(first->steps.size(), 3U);
  ASSERT_EQ(second->steps.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NE(first->steps[i].elaborated, second->steps[i].elaborated) << i;
    EXPECT_EQ(first->steps[i].state, second->steps[i].state) << i;
  }
}

TEST_F(StatesOnLean, AQuickRunIsAnsweredBesideASlowOneWhichIsCancelledAlone) {
  const std::string before = "set_option maxHeartbeats 0\ntheorem quick : True := by\n";
  ASSERT_TRUE(Run(before, ""));
  core::Cancellation cancellation;
  StateQuery slow = Query(before, "  iterate 99 sleep 100\n");
  slow.cancellation = &cancellation;
  StartedRun running(io_, server_->Run(slow));
  const auto begun = core::Clock::now();
  EXPECT_TRUE(Run(before, "  trivial\n")->Closed());
  StartedRun beside(io_, server_->Run(Query(before, "  iterate 11 sleep 100\n  trivial\n")));
  cancellation.Request();
  EXPECT_EQ(running.Get().error().code, core::ErrorCode::kCancelled);
  EXPECT_LT(core::Clock::now() - begun, seconds(9)) << "it would have taken ten seconds";
  EXPECT_TRUE(beside.Get()->Closed());
}

TEST_F(StatesOnLean, RunsAtOnceSayWhatTheySayAlone) {
  const std::string before = "theorem t (x y : Nat) (h : x < y) : x + 1 ≤ y ∧ x = x := by\n";
  const std::vector<std::string> tactics = {"  grind\n", "  constructor <;> omega\n",
                                            "  exact ⟨missing, rfl⟩\n", "  simp\n",
                                            "  refine ⟨?_, rfl⟩\n  exact?\n"};
  const auto said = [](const core::Result<StateRun>& run) {
    std::string text = run && run->Closed() ? "closed" : "";
    if (run && run->FirstError() != nullptr) text += run->FirstError()->message;
    if (run) text += fmt::format("{}", fmt::join(run->goals, "\n"));
    return text;
  };
  std::vector<std::string> alone;
  for (const std::string& each : tactics) alone.push_back(said(Run(before, each)));
  Await(io_, server_->Free(Query(before, "").hole));
  std::vector<std::unique_ptr<StartedRun>> runs;
  for (const std::string& each : tactics) {
    runs.push_back(std::make_unique<StartedRun>(io_, server_->Run(Query(before, each))));
  }
  for (size_t i = 0; i < tactics.size(); ++i) EXPECT_EQ(said(runs[i]->Get()), alone[i]);
}

TEST_F(StatesOnLean, OtherImportsAreLoadedBetweenTheTacticsOfAnotherRun) {
  const std::string before = "theorem t : True := by\n";
  ASSERT_TRUE(Run(before, ""));
  std::string slow;
  for (int i = 1; i <= 20; ++i) slow += "  sleep " + std::to_string(50 + i) + "\n";
  StartedRun running(io_, server_->Run(Query(before, slow + "  trivial\n")));
  const auto other =
      Run("import Std.Data.HashMap\ntheorem u (a : Nat) : a + 0 = a := by\n", "  rfl\n");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(other->Closed());
  EXPECT_TRUE(running.Get()->Closed());
}

TEST_F(StatesOnLean, HeartbeatsAddUpAlongThePathAsInADeclaration) {
  const std::string before =
      "set_option maxHeartbeats 1500\n"
      "theorem beats (a b c d : Nat) (h : a < b) (k : b < c) (l : c < d) : True := by\n";
  const std::string step =
      "  have : a * 3 + b * 2 + c < b * 3 + c * 2 + d ∧ (a < d ∨ d < a + 3) := by omega\n";
  const auto one = Run(before, step);
  ASSERT_TRUE(one && !one->steps.empty());
  ASSERT_FALSE(HasErrors(one->steps.back().messages)) << "one alone is cheap";
  std::string many;
  for (int i = 0; i < 60; ++i) many += step;
  const auto run = Run(before, many);
  ASSERT_TRUE(run && run->FirstError() != nullptr) << "all together are not";
  EXPECT_THAT(run->FirstError()->message, ::testing::HasSubstr("maximum number of heartbeats"));
  CheckRequest request;
  request.text = before + many;
  request.deadline = core::Deadline::After(seconds(60));
  const auto checked = Await(io_, pool_->Check(std::move(request)));
  ASSERT_TRUE(checked) << checked.error().message;
  const auto error =
      std::ranges::find(checked->diagnostics, Severity::kError, &Diagnostic::severity);
  ASSERT_NE(error, checked->diagnostics.end());
  const auto lines_before = static_cast<uint32_t>(std::ranges::count(before, '\n'));
  EXPECT_NEAR(run->FirstError()->begin.line + lines_before, error->begin.line, 1)
      << "Lean also counts what it keeps for the editor";
}

TEST_F(StatesOnLean, ASlowTacticIsCutOffAndTheServerGoesOn) {
  const uint64_t started = server_->stats().started;
  const std::string before =
      "set_option maxHeartbeats 0\n"
      "theorem slow (a b c : Nat) (h : a < b) (k : b < c) : a * 2 + b < c * 2 + b := by\n";
  const auto run = Run(before, "  exact?\n", std::chrono::milliseconds(300));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->cut());
  EXPECT_TRUE(Run(before, "  omega\n")->Closed());
  EXPECT_EQ(server_->stats().started, started);
}

}  // namespace
}  // namespace zermelo::lean
