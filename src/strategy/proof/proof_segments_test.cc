#include "strategy/proof/proof_segments.h"

#include "strategy/testing/game_fixture.h"

namespace zermelo::strategy {
namespace {

using core::testing::Await;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TraceTest : public testing::GameTest {
 protected:
  TracedProof Of(int number, std::string tactics, size_t from = 0) {
    TraceLimits trace_limits;
    trace_limits.deadline = limits.deadline;
    auto traced = Await(
        io, Trace(*pool, lean::testing::GameSite(number), std::move(tactics), from, trace_limits));
    EXPECT_TRUE(traced) << traced.error().message;
    return traced.value_or(TracedProof());
  }
  static std::vector<std::string> Tactics(const TracedProof& traced) {
    std::vector<std::string> tactics;
    for (const auto& segment : traced.segments) tactics.push_back(segment.tactics);
    return tactics;
  }
  static std::vector<std::string> States(const TracedProof& traced) {
    std::vector<std::string> states;
    for (const auto& segment : traced.segments) states.push_back(segment.state);
    return states;
  }
};

TEST_F(TraceTest, CompleteProofIsAPathToNoGoals) {
  const auto traced = Of(2, "dec\n-- one more\ndec\nzero");
  EXPECT_TRUE(traced.complete);
  EXPECT_THAT(Tactics(traced), ElementsAre("dec", "\n-- one more\ndec", "\nzero"));
  EXPECT_THAT(States(traced), ElementsAre("n : Nat\n⊢ 1", "n : Nat\n⊢ 0", ""));
}

TEST_F(TraceTest, ProofIsTruncatedAtItsFirstError) {
  const auto traced = Of(3, "dec\nzero\ndec\nzero");
  EXPECT_FALSE(traced.complete);
  EXPECT_EQ(traced.error, "2 is not 0");
  EXPECT_THAT(Tactics(traced), ElementsAre("dec"));
  EXPECT_THAT(States(traced), ElementsAre("n : Nat\n⊢ 2"));
}

/// Stops at an error wherever that is allowed, as Lean does when it continues after the hole.
class EagerChecker : public lean::Checker {
 public:
  explicit EagerChecker(lean::Checker& inner) : inner_(inner) {}
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    const bool may_stop = std::holds_alternative<lean::UpToFirstError>(request.extent);
    auto result = co_await inner_.Check(std::move(request));
    if (result && may_stop && lean::HasErrors(result->diagnostics)) {
      result->stopped_at_error = true;
      result->goals.clear();
      result->in_proof.clear();
    }
    co_return result;
  }
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return inner_.checks(); }

 private:
  lean::Checker& inner_;
};

TEST_F(TraceTest, UnsolvedGoalsAreCheckedAgainIfLeanStoppedAtThem) {
  EagerChecker eager(*pool);
  TraceLimits trace_limits;
  trace_limits.deadline = limits.deadline;
  const auto traced =
      Await(io, Trace(eager, lean::testing::GameSite(3), "dec\ndec", 0, trace_limits));
  ASSERT_TRUE(traced);
  EXPECT_THAT(Tactics(*traced), ElementsAre("dec", "\ndec"));
  EXPECT_THAT(States(*traced), ElementsAre("n : Nat\n⊢ 2", "n : Nat\n⊢ 1"));
  EXPECT_EQ(eager.checks(), 2U);
}

TEST_F(TraceTest, ProofIsTruncatedAtASyntaxError) {
  EXPECT_THAT(Tactics(Of(3, "dec\ndec\nfoo bar\ndec")), ElementsAre("dec", "\ndec"));
}

TEST_F(TraceTest, SorryIsAnError) {
  const auto traced = Of(3, "dec\nsorry");
  EXPECT_FALSE(traced.complete);
  EXPECT_THAT(Tactics(traced), ElementsAre("dec"));
}

TEST_F(TraceTest, ProofFollowedByMoreTacticsIsComplete) {
  for (const char* tactics : {"dec\nzero\ndec", "dec\nzero\nsorry"}) {
    const auto traced = Of(1, tactics);
    EXPECT_TRUE(traced.complete) << tactics;
    EXPECT_EQ(traced.proof, "dec\nzero");
    EXPECT_THAT(States(traced), ElementsAre("n : Nat\n⊢ 0", ""));
  }
}

TEST_F(TraceTest, UnfinishedProofIsKept) {
  const auto traced = Of(3, "dec\ndec");
  EXPECT_FALSE(traced.complete);
  EXPECT_THAT(States(traced), ElementsAre("n : Nat\n⊢ 2", "n : Nat\n⊢ 1"));
}

TEST_F(TraceTest, ErrorInTheFirstTacticLeavesNothing) {
  EXPECT_THAT(Of(3, "zero\ndec").segments, IsEmpty());
  EXPECT_THAT(Of(3, "foo").segments, IsEmpty());
}

TEST_F(TraceTest, OnlySegmentsAfterThePrefixAreReturned) {
  const auto traced = Of(3, "dec\ndec\ndec", 3);
  EXPECT_THAT(Tactics(traced), ElementsAre("\ndec", "\ndec"));
  EXPECT_THAT(States(traced), ElementsAre("n : Nat\n⊢ 1", "n : Nat\n⊢ 0"));
}

TEST_F(TraceTest, DividesBlocksIntoSegments) {
  const auto traced = Of(2, "split\n· dec\n  zero\n· dec\n  foo");
  EXPECT_THAT(Tactics(traced), ElementsAre("split", "\n· dec", "\n  zero", "\n· dec"));
  EXPECT_EQ(traced.segments[0].context, "");
  EXPECT_EQ(traced.segments[1].state, "case left\nn : Nat\n⊢ 0");
  EXPECT_EQ(traced.segments[1].context, "·");
  EXPECT_EQ(traced.segments[2].state, "case right\nn : Nat\n⊢ 1") << "the block is over";
  EXPECT_EQ(traced.segments[3].context, "·");
}

TEST_F(TraceTest, BlockThatLeavesGoalsIsAnErrorIfTacticsFollow) {
  const auto traced = Of(4, "split\n· dec\n· dec\n  dec\n  zero");
  EXPECT_THAT(Tactics(traced), ElementsAre("split", "\n· dec"));
  EXPECT_EQ(traced.segments[1].state, "case left\nn : Nat\n⊢ 1");
}

TEST(EndOfPrefix, IgnoresBlanksAndComments) {
  EXPECT_EQ(EndOfPrefix("dec -- a\n dec\nzero", "dec\ndec\n"), 13U);
  EXPECT_EQ(EndOfPrefix("dec\nzero", ""), 0U);
  EXPECT_EQ(EndOfPrefix("dec\nzero", "zero"), std::nullopt);
  EXPECT_EQ(EndOfPrefix("dec", "dec\ndec"), std::nullopt);
}

}  // namespace
}  // namespace zermelo::strategy
