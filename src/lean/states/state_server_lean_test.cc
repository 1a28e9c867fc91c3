// The state server on real Lean beside the language server. Not one of the unit tests, which need
// no Lean: a program of its own (test e2e.states), with the embedded Lean in $ZERMELO_EMBEDDED.
#include <cstdlib>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/states/state_comparison.h"
#include "lean/states/state_server.h"

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
    auto started = Await(io_, StateServer::Start(io_.get_executor(), *toolchain, states));
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  static void TearDownTestSuite() {
    server_.reset();
    pool_.reset();
    core::testing::RunOut(io_);
  }

  static core::Result<StateRun> Run(const std::string& before, const std::string& tactics,
                                    core::Duration limit = seconds(30)) {
    StateQuery query;
    query.hole.text = before + "  sorry\n";
    query.hole.byte = before.size() + 2;
    query.tactics = tactics;
    query.limit = limit;
    return Await(io_, server_->Run(query));
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
