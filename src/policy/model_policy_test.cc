#include "policy/model_policy.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "core/testing/testing.h"
#include "llm/testing/fake_model.h"

namespace zermelo::policy {
namespace {

using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using llm::testing::Answer;
using llm::testing::FakeModel;
using llm::testing::Within;

CompletionInput Question() {
  CompletionInput input;
  input.theorem = syntax::TheoremOf("theorem t (n : ℕ) : n + 0 = n");
  input.theorem.header = "import Mathlib\n\n";
  return input;
}

class ModelPolicyTest : public ::testing::Test {
 protected:
  ModelSetup SetupOf(const std::string& format) {
    return {.model = &model,
            .format = formats.at(format),
            .price = {.prompt = 1, .completion = 2},
            .origin = "m " + format};
  }
  StepContext At(const std::string& prefix, const std::string& state) {
    StepContext context;
    context.theorem = input.theorem;
    context.prefix = prefix;
    context.printed = state;
    return context;
  }
  Proposal Propose(const std::string& format, const StepContext& context, size_t n = 4) {
    const auto policy = MakeModelStepPolicy(SetupOf(format));
    auto proposal = Await(io, policy->Propose(context, n, Within(Generous())));
    EXPECT_TRUE(proposal) << proposal.error().message;
    return proposal.value_or(Proposal{});
  }
  Samples Complete(const std::string& format, const CompletionInput& input, size_t n = 2) {
    const auto policy = MakeModelCompletionPolicy(SetupOf(format));
    auto samples = Await(io, policy->Complete(input, n, Within(Generous())));
    EXPECT_TRUE(samples) << samples.error().message;
    return samples.value_or(Samples{});
  }
  std::string Prompt() const { return std::get<std::string>(model.requests.back().prompt); }

  boost::asio::io_context io;
  llm::Formats formats = llm::LoadFormats(ZERMELO_SOURCE_DIR "/prompts").value();
  Result<llm::Reply> answer = llm::Reply();
  FakeModel model{io.get_executor(), "m", [this](const llm::Request&, size_t) { return answer; }};
  CompletionInput input = Question();
};

llm::Completion Tokens(const std::string& text, const std::vector<double>& logprobs) {
  llm::Completion completion = llm::testing::Say(text);
  for (const double logprob : logprobs) completion.logprobs.push_back({"x", logprob});
  return completion;
}

TEST_F(ModelPolicyTest, TacticsOfAStepModelCostTheirMeanTokenLogprob) {
  llm::Reply told = Answer({});
  told.completions = {Tokens("simp", {-0.5, -1.5}), Tokens("rfl", {-0.25}),
                      Tokens(" simp\n", {-3}),      Tokens("", {-0.1}),
                      Tokens("sorry", {-0.1}),      Tokens("simp [", {-0.1})};
  answer = told;
  const auto proposal = Propose("bfs-prover", At("", "n : ℕ\n⊢ n + 0 = n"), 6);
  ASSERT_EQ(proposal.candidates.size(), 2u)
      << "equal tactics are merged; sorry and partial tactics are dropped";
  EXPECT_EQ(proposal.samples, 6U) << "all that the model returned";
  EXPECT_TRUE(proposal.candidates[0].sampled);
  EXPECT_EQ(proposal.candidates[0].tactic, "rfl");
  EXPECT_DOUBLE_EQ(proposal.candidates[0].cost, 0.25);
  EXPECT_EQ(proposal.candidates[1].tactic, "simp");
  EXPECT_DOUBLE_EQ(proposal.candidates[1].cost, 1.0);
  EXPECT_EQ(proposal.candidates[1].origin, "m bfs-prover");
  EXPECT_EQ(Prompt(), "n : ℕ\n⊢ n + 0 = n:::");
  EXPECT_EQ(model.requests.back().sampling.n, 6);
  EXPECT_TRUE(model.requests.back().sampling.logprobs);
}

TEST_F(ModelPolicyTest, WithoutLogprobsTheCostFollowsFromTheShare) {
  answer = Answer({"simp", "simp", "rfl", "simp"});
  const auto proposal = Propose("internlm2.5-stepprover", At("", "⊢ n + 0 = n"));
  ASSERT_EQ(proposal.candidates.size(), 2u);
  EXPECT_DOUBLE_EQ(proposal.candidates[0].cost, -std::log(0.75));
  EXPECT_DOUBLE_EQ(proposal.candidates[1].cost, -std::log(0.25));
}

TEST_F(ModelPolicyTest, AWholeProofModelGivesItsNextTactic) {
  answer = Answer({"  cases n with\n  | zero => rfl\n  | succ => simp\n  done\n", "  rfl\n",
                   "  rfl\n  done\n"});
  const auto proposal =
      Propose("deepseek-prover-v1.5", At("  intro x\n  simp at x\n", "n : ℕ\n⊢ n = n"), 3);
  ASSERT_EQ(proposal.candidates.size(), 2u);
  EXPECT_EQ(proposal.candidates[0].tactic, "rfl");
  EXPECT_EQ(proposal.candidates[1].tactic, "cases n with\n| zero => rfl\n| succ => simp");
  EXPECT_TRUE(Prompt().ends_with(
      "  intro x\n  simp at x\n  /- tactic state:\n    n : ℕ\n    ⊢ n = n\n  -/\n"));
}

TEST_F(ModelPolicyTest, AChatModelMayRepeatThePrefixOrLeaveItOut) {
  answer = Answer({"```lean4\ntheorem t (n : ℕ) : n + 0 = n := by\n  intro x\n  rfl\n```",
                   "```lean4\nrfl\n```",
                   "```lean4\ntheorem t (n : ℕ) : n + 0 = n := by\n  something else\n```"});
  const auto proposal = Propose("deepseek-prover-v2-cot", At("  intro x\n", "⊢ True"), 3);
  ASSERT_EQ(proposal.candidates.size(), 1u) << "the third reply does not continue this prefix";
  EXPECT_EQ(proposal.candidates[0].tactic, "rfl");
}

TEST_F(ModelPolicyTest, SpendingIsReportedWithItsPrice) {
  answer = Answer({"simp", "rfl"});
  const auto proposal = Propose("bfs-prover", At("", "⊢ True"), 2);
  EXPECT_EQ(proposal.spending.samples, 2);
  EXPECT_EQ(proposal.spending.prompt_tokens, 10);
  EXPECT_EQ(proposal.spending.completion_tokens, 10);
  EXPECT_DOUBLE_EQ(proposal.spending.dollars, 30e-6);
}

TEST_F(ModelPolicyTest, CompletionsAreProofsOrReasons) {
  answer =
      Answer({"Plan.\n```lean4\nlemma a : True := trivial\n\n"
              "theorem t (n : ℕ) : n + 0 = n := by\n  simp\n```",
              "```lean4\ntheorem t (n : ℕ) : n = n := by\n  simp\n```"});
  const auto samples = Complete("goedel-prover-v2", input);
  ASSERT_EQ(samples.samples.size(), 2u);
  ASSERT_TRUE(samples.samples[0].proof);
  EXPECT_EQ(samples.samples[0].proof->tactics, "simp");
  EXPECT_EQ(samples.samples[0].proof->auxiliary, "lemma t_a : True := trivial\n");
  ASSERT_FALSE(samples.samples[1].proof);
  EXPECT_EQ(samples.samples[1].proof.error().refusal, syntax::Refusal::kStatementChanged);
  EXPECT_EQ(samples.samples[1].origin, "m goedel-prover-v2");
}

TEST_F(ModelPolicyTest, ACorrectionTurnFollowsTheReply) {
  answer = Answer({"```lean4\nsimp\n```"});
  const auto first = Complete("goedel-prover-v2", input, 1);
  input.failed = {{.reply = first.samples[0].reply, .errors = "E"}};
  Complete("goedel-prover-v2", input, 1);
  const auto& turns = std::get<std::vector<llm::Message>>(model.requests.back().prompt);
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_EQ(turns[1].content, "```lean4\nsimp\n```");
}

TEST_F(ModelPolicyTest, EachCallHasExamplesOfItsOwn) {  // DeepSeek-Prover-V1.5, B.1
  const auto prompts = [&](uint64_t seed) {
    ModelSetup setup = SetupOf("deepseek-prover-v1.5-base");
    setup.seed = seed;
    const auto policy = MakeModelCompletionPolicy(setup);
    std::vector<std::string> built;
    for (int call = 0; call < 4; ++call) {
      EXPECT_TRUE(Await(io, policy->Complete(input, 1, Within(Generous()))));
      built.push_back(Prompt());
    }
    return built;
  };
  const auto first = prompts(1);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 4U);
  EXPECT_EQ(prompts(1), first) << "a run is a function of its seed";
  EXPECT_NE(prompts(2), first);
}

TEST_F(ModelPolicyTest, ErrorsArePassedOn) {
  answer = core::Fail(ErrorCode::kEnvironment, "refused");
  const auto steps = MakeModelStepPolicy(SetupOf("bfs-prover"));
  EXPECT_EQ(Await(io, steps->Propose(At("", "⊢ True"), 1, Within(Generous()))).error().message,
            "refused");
  const auto whole = MakeModelCompletionPolicy(SetupOf("stp"));
  input.prefix = "  simp\n";
  EXPECT_EQ(Await(io, whole->Complete(input, 1, Within(Generous()))).error().code,
            ErrorCode::kUsage);
}

TEST(PrefixOf, IndentsLinesByTwo) {
  EXPECT_EQ(PrefixOf(""), "");
  EXPECT_EQ(PrefixOf("a\n  b\n\nc"), "  a\n    b\n\n  c\n");
}

}  // namespace
}  // namespace zermelo::policy
