#include "strategy/whole_proof/whole_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/testing/fake_lean.h"
#include "strategy/testing/scripted_policies.h"

namespace zermelo::strategy {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A sample as by MakeSample, from TACTICS, LEMMAS/TACTICS, or TACTICS | TACTICS IN THE REPLY'S
/// CONTEXT.
policy::Sample Sample(const std::string& text) {
  const size_t slash = text.find('/');
  const size_t bar = text.find(" | ");
  policy::Sample sample = testing::MakeSample(text);
  if (!sample.proof) return sample;
  if (slash != text.npos) sample.proof->auxiliary = text.substr(0, slash);
  sample.proof->tactics = text.substr(slash == text.npos ? 0 : slash + 1, bar);
  if (bar != text.npos) {
    sample.proof->in_context = syntax::Proof{.tactics = text.substr(bar + 3), .auxiliary = ""};
  }
  return sample;
}

/// Returns scripted samples in order; records its inputs.
class ScriptedSamples : public policy::CompletionPolicy {
 public:
  core::Task<Result<policy::Samples>> Complete(policy::CompletionInput input, size_t n,
                                               llm::CallContext call) override {
    asked.push_back(input);
    if (error) co_return core::Fail(*error);
    policy::Samples samples;
    for (size_t i = 0; i < n && next < script.size(); ++i) {
      if (script[next] == "wait") {
        ++next;
        co_return co_await UntilCancelled(std::move(call));
      }
      samples.samples.push_back(Sample(script[next++]));
    }
    samples.spending.samples = static_cast<int64_t>(samples.samples.size());
    co_return samples;
  }
  void Succeeded(const std::string& origin) override { succeeded.push_back(origin); }

  core::Task<Result<policy::Samples>> UntilCancelled(llm::CallContext call) {
    core::Signal signal(co_await boost::asio::this_coro::executor);
    const core::Cancellation::Subscription subscription(*call.cancellation,
                                                        [&] { signal.Notify(); });
    while (!call.cancellation->requested()) co_await signal.Wait(call.deadline);
    ++cancelled;
    co_return core::Fail(ErrorCode::kCancelled, "no longer needed");
  }

  std::vector<std::string> script;
  std::optional<core::Error> error;
  size_t next = 0;
  int cancelled = 0;
  std::vector<policy::CompletionInput> asked;
  std::vector<std::string> succeeded;
};

class WholeProofTest : public ::testing::Test {
 protected:
  WholeProofTest() {
    lean::PoolOptions options;
    options.workers = 1;
    pool_ = std::make_unique<lean::Pool>(io_.get_executor(),
                                         lean::testing::FakeToolchain(folder_.path()), options);
    parameters.calls = 1;
    limits.deadline = core::testing::Generous();
  }
  ~WholeProofTest() override {
    pool_.reset();
    core::testing::RunOut(io_);
  }
  Result<SearchResult> Run(int number) {
    const Problem problem{.site = lean::testing::GameSite(number), .goals = {}, .context = {}};
    const Services services{
        .checker = *pool_, .steps = nullptr, .completions = &policy, .all = all};
    return core::testing::Await(io_, WholeProof(services, problem, parameters, limits));
  }

  boost::asio::io_context io_;
  core::TemporaryFolder folder_ = *core::TemporaryFolder::Create("zermelo-whole-");
  std::unique_ptr<lean::Pool> pool_;
  ScriptedSamples policy;
  WholeProofParameters parameters;
  Limits limits;
  bool all = false;
};

TEST_F(WholeProofTest, FirstSampleThatLeanAcceptsIsTheProof) {
  policy.script = {"zero", "nothing", "sorry", "dec\nzero", "dec\nzero -- later"};
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, "dec\nzero");
  EXPECT_EQ(result->samples, 4u);
  EXPECT_EQ(result->unusable, 2u);
  EXPECT_EQ(result->spending.samples, 4);
  EXPECT_THAT(policy.succeeded, ElementsAre("scripted"));
}

TEST_F(WholeProofTest, NumberOfSamplesIsLimited) {
  policy.script = std::vector<std::string>(20, "zero");
  parameters.samples = 5;
  parameters.per_call = 3;
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(result->reason, "exhausted");
  EXPECT_EQ(result->samples, 5u);
  EXPECT_EQ(result->checks, 1u) << "the same text is not checked again";
}

TEST_F(WholeProofTest, AllDistinctProofsAreCollectedIfWanted) {
  policy.script = {"dec\nzero", "dec\n\nzero  -- the same", "sub 1\nzero", "zero"};
  parameters.samples = 4;
  all = true;
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->proofs, ElementsAre("dec\nzero", "sub 1\nzero"));
}

TEST_F(WholeProofTest, LemmasOfAProofAreCheckedWithIt) {
  // In the game, each theorem is played on its own.
  policy.script = {"theorem a : 2 := by\n  dec\n/dec\nzero",
                   "theorem a : 1 := by\n  dec\n  zero\n/dec\nzero"};
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, "dec\nzero");
  EXPECT_EQ(result->auxiliary, "theorem a : 1 := by\n  dec\n  zero\n");
  EXPECT_EQ(result->unusable, 0u);
}

TEST_F(WholeProofTest, ProofInTheContextOfTheReplyIsTriedSecond) {
  policy.script = {"dec | dec\nzero"};
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, "dec\nzero");
  EXPECT_EQ(result->checks, 2u);
}

TEST_F(WholeProofTest, ProofCancelsCallsInProgress) {
  policy.script = {"wait", "dec\nzero"};
  parameters.calls = 2;
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, "dec\nzero");
  EXPECT_EQ(policy.cancelled, 1);
}

TEST_F(WholeProofTest, RejectedSampleIsCorrectedWithLeansErrors) {
  policy.script = {"zero", "dec", "dec\nzero"};
  parameters.samples = 3;
  parameters.corrections = 2;
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, "dec\nzero");
  ASSERT_EQ(policy.asked.size(), 3u);
  EXPECT_TRUE(policy.asked[0].failed.empty());
  ASSERT_EQ(policy.asked[1].failed.size(), 1u);
  EXPECT_EQ(policy.asked[1].failed[0].reply, "zero");
  EXPECT_THAT(policy.asked[1].failed[0].errors, HasSubstr("<error>"));
  ASSERT_EQ(policy.asked[2].failed.size(), 2u);
  EXPECT_EQ(policy.asked[2].failed[1].reply, "dec");
}

TEST_F(WholeProofTest, CorrectionsCountAsSamples) {
  policy.script = std::vector<std::string>(20, "zero");
  parameters.samples = 2;
  parameters.corrections = 5;
  EXPECT_EQ(Run(1)->samples, 2u);
}

TEST_F(WholeProofTest, UsedUpBudgetIsNotAnError) {
  policy.error = core::Error{ErrorCode::kCancelled, "the budget is used up"};
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reason, "budget");
}

TEST_F(WholeProofTest, PromptThatIsTooLongIsNotAnError) {
  policy.error = core::Error{ErrorCode::kTooLong, "the prompt has 2000 tokens"};
  parameters.samples = 1000000;
  const auto outcome = Run(1);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->reason, "exhausted");
  EXPECT_EQ(outcome->refusals.at("the prompt does not fit into the model's context"),
            policy.asked.size());
  EXPECT_LT(policy.asked.size(), 200U);
}

TEST_F(WholeProofTest, ModelErrorIsReturned) {
  policy.error = core::Error{ErrorCode::kUsage, "unknown model"};
  const auto result = Run(1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "unknown model");
  EXPECT_EQ(policy.asked.size(), 1u);
}

TEST_F(WholeProofTest, SampleThatHangsLeanCostsOnlyItsTime) {
  policy.script = {"sub 1\n-- fake: hang\nzero", "dec\nzero"};
  parameters.check_seconds = 1.5;
  const auto result = Run(1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, "dec\nzero");
}

}  // namespace
}  // namespace zermelo::strategy
