#include "policy/ensemble_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "llm/testing/fake_model.h"
#include "policy/builtin.h"
#include "policy/model_policy.h"

namespace zermelo::policy {
namespace {

using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using llm::testing::Answer;
using llm::testing::FakeModel;
using llm::testing::Within;
using ::testing::ElementsAre;

TEST(SharesTest, EveryMemberStaysNearItsShare) {
  Shares shares({3, 1, 1});
  std::vector<size_t> total(3);
  for (size_t n = 1; n <= 500; ++n) {
    const auto taken = shares.Take(1);
    for (size_t i = 0; i < 3; ++i) total[i] += taken[i];
    const auto expected = static_cast<double>(n) / 5;
    EXPECT_NEAR(static_cast<double>(total[0]), 3 * expected, 1.0);
    EXPECT_NEAR(static_cast<double>(total[1]), expected, 1.0);
    EXPECT_NEAR(static_cast<double>(total[2]), expected, 1.0);
  }
}

TEST(SharesTest, ManyAtOnceAndNone) {
  Shares shares({1, 1});
  EXPECT_THAT(shares.Take(5), ElementsAre(3, 2));
  EXPECT_THAT(shares.Take(5), ElementsAre(2, 3));
  EXPECT_THAT(shares.Take(0), ElementsAre(0, 0));
  EXPECT_TRUE(Shares({}).Take(3).empty());
}

/// Each model answers every sample with its text.
class EnsembleTest : public ::testing::Test {
 protected:
  std::unique_ptr<FakeModel> Model(const std::string& name, const std::string& text) {
    return std::make_unique<FakeModel>(
        io.get_executor(), name,
        [this, name, text](const llm::Request& request, size_t) -> Result<llm::Reply> {
          if (down.contains(name)) return core::Fail(ErrorCode::kEnvironment, name + " is down");
          return Answer(std::vector<std::string>(static_cast<size_t>(request.sampling.n), text));
        });
  }
  ModelSetup SetupOf(FakeModel& model, const std::string& format) {
    return {.model = &model,
            .format = formats.at(format),
            .price = {.prompt = 1'000'000},
            .origin = model.name()};
  }
  Member<Policy> Step(FakeModel& model, double weight) {
    return {model.name(), MakeModelStepPolicy(SetupOf(model, "bfs-prover")), weight};
  }
  Member<Policy> Builtin() { return {"built-in", MakeImmediatePolicy(MakeBuiltinPolicy()), 1}; }
  std::vector<Member<Policy>> List(Member<Policy> a) {
    std::vector<Member<Policy>> list;
    list.push_back(std::move(a));
    return list;
  }
  std::vector<Member<Policy>> List(Member<Policy> a, Member<Policy> b) {
    auto list = List(std::move(a));
    list.push_back(std::move(b));
    return list;
  }
  StepContext Context() {
    StepContext context;
    context.printed = "a : Nat\n⊢ a = a";
    context.state = syntax::ParseProofState(context.printed);
    return context;
  }
  Result<Proposal> Propose(Policy& policy, size_t n) {
    return Await(io, policy.Propose(Context(), n, Within(Generous())));
  }

  boost::asio::io_context io;
  llm::Formats formats = llm::LoadFormats(ZERMELO_SOURCE_DIR "/prompts").value();
  std::set<std::string> down;
  std::unique_ptr<FakeModel> ds = Model("deepseek", "simp"), kimina = Model("kimina", "omega");
};

TEST_F(EnsembleTest, ModelsShareTheSamples) {
  EnsemblePolicy ensemble({}, List(Step(*ds, 3), Step(*kimina, 1)), 100);
  ASSERT_TRUE(Propose(ensemble, 8));
  EXPECT_EQ(ds->requests.at(0).sampling.n, 6);
  EXPECT_EQ(kimina->requests.at(0).sampling.n, 2);
  ASSERT_TRUE(Propose(ensemble, 1));
  EXPECT_EQ(ds->requests.size() + kimina->requests.size(), 3u)
      << "members without samples are not called";
}

TEST_F(EnsembleTest, OnlyTheBuiltInPolicyUsesTheLibrary) {
  EXPECT_TRUE(EnsemblePolicy(List(Builtin()), List(Step(*ds, 1)), 2).wants_library());
  EXPECT_FALSE(EnsemblePolicy({}, List(Step(*ds, 1)), 2).wants_library());
}

TEST_F(EnsembleTest, TheBuiltInPolicyIsFreeAndFirst) {
  EnsemblePolicy ensemble(List(Builtin()), List(Step(*ds, 1)), 2);
  const auto alone = MakeBuiltinPolicy()->Propose(Context(), 5);
  const auto proposal = Propose(ensemble, 5);
  ASSERT_TRUE(proposal);
  EXPECT_EQ(ds->requests.at(0).sampling.n, 2)
      << "its candidates are no part of the samples per state";
  EXPECT_GE(proposal->candidates.size(), alone.size());
  EXPECT_EQ(proposal->samples, 2U) << "those of the model, though both are `simp`";
  EXPECT_FALSE(std::ranges::all_of(proposal->candidates, &Candidate::sampled));
  EXPECT_EQ(ensemble.reports()[0].spending.calls, 0);
  EXPECT_EQ(ensemble.reports()[0].proposed, alone.size());
  for (size_t i = 1; i < proposal->candidates.size(); ++i) {
    EXPECT_LE(proposal->candidates[i - 1].cost, proposal->candidates[i].cost);
  }
}

TEST_F(EnsembleTest, TheFirstProposerKeepsTheCandidate) {
  const auto same = Model("same", "simp");
  EnsemblePolicy ensemble({}, List(Step(*ds, 1), Step(*same, 1)), 100);
  const auto proposal = Propose(ensemble, 4);
  ASSERT_EQ(proposal->candidates.size(), 1u);
  EXPECT_EQ(proposal->candidates[0].origin, "deepseek");
}

TEST_F(EnsembleTest, ShareCostAndSuccessAreReported) {
  EnsemblePolicy ensemble({}, List(Step(*ds, 3), Step(*kimina, 1)), 100);
  ASSERT_TRUE(Propose(ensemble, 8));
  ensemble.Succeeded("kimina");
  const auto& reports = ensemble.reports();
  EXPECT_EQ(reports[0].name, "deepseek");
  EXPECT_EQ(reports[0].weight, 3);
  EXPECT_EQ(reports[0].spending.samples, 6);
  EXPECT_DOUBLE_EQ(reports[0].spending.dollars, 10);
  EXPECT_EQ(reports[0].succeeded, 0u);
  EXPECT_EQ(reports[1].proposed, 1u);
  EXPECT_EQ(reports[1].succeeded, 1u);
}

TEST_F(EnsembleTest, AMemberThatFailsIsLeftOut) {
  EnsemblePolicy ensemble({}, List(Step(*ds, 1), Step(*kimina, 1)), 100);
  down = {"deepseek"};
  const auto proposal = Propose(ensemble, 4);
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->candidates.at(0).origin, "kimina");
  EXPECT_EQ(ensemble.reports()[0].failures, 1u);
  EXPECT_EQ(ensemble.reports()[0].last_error, "deepseek is down");
  down = {"deepseek", "kimina"};
  EXPECT_EQ(Propose(ensemble, 4).error().message, "deepseek is down");
}

/// A model that is cut off after three tokens were paid for.
class CutOffPolicy : public Policy {
 public:
  core::Task<Result<Proposal>> Propose(StepContext /*context*/, size_t /*n*/,
                                       llm::CallContext call) override {
    llm::Usage usage;
    usage.prompt_tokens = 3;
    call.on_lost_usage(usage);
    co_return core::Fail(ErrorCode::kCancelled, "cut off");
  }
};

TEST_F(EnsembleTest, TheCostOfACallThatIsCutOffIsItsMembers) {
  Member<Policy> cut_off{"b", std::make_unique<CutOffPolicy>(), 1, {.prompt = 1'000'000}};
  EnsemblePolicy ensemble({}, List(Step(*ds, 1), std::move(cut_off)), 8);
  int64_t told = 0;
  llm::CallContext call{.deadline = Generous()};
  call.on_lost_usage = [&told](const llm::Usage& usage) { told += usage.prompt_tokens; };
  ASSERT_TRUE(Await(io, ensemble.Propose(StepContext(), 8, call)));
  const MemberReport& report = ensemble.reports().at(1);
  EXPECT_EQ(report.failures, 1U);
  EXPECT_EQ(report.spending.calls, 1);
  EXPECT_DOUBLE_EQ(report.spending.dollars, 3);
  EXPECT_EQ(told, 3) << "the caller is told, too";
}

TEST_F(EnsembleTest, MembersAreCalledConcurrently) {
  EnsemblePolicy ensemble({}, List(Step(*ds, 1), Step(*kimina, 1)), 100);
  ds->Hold();
  core::testing::Started<Result<Proposal>> proposal(
      io, ensemble.Propose(Context(), 4, Within(Generous())));
  core::testing::RunUntil(io, [&] { return !kimina->requests.empty(); });
  EXPECT_FALSE(proposal.done());
  ds->Release();
  EXPECT_EQ(proposal.Get()->candidates.size(), 2u);
}

TEST_F(EnsembleTest, CotAndNonCotOfOneModelShareIt) {
  std::vector<Member<CompletionPolicy>> members;
  const auto model = Model("m", "  simp\n```");
  for (const std::string format : {"deepseek-prover-v1.5-cot", "deepseek-prover-v1.5"}) {
    members.push_back({format, MakeModelCompletionPolicy(SetupOf(*model, format)), 1});
  }
  CompletionEnsemble mixture(std::move(members));
  CompletionInput input;
  input.theorem = syntax::TheoremOf("theorem t : True");
  const auto samples = Await(io, mixture.Complete(input, 5, Within(Generous())));
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->samples.size(), 5u);
  EXPECT_EQ(model->requests.at(0).sampling.n, 3);
  EXPECT_EQ(model->requests.at(1).sampling.n, 2);
  EXPECT_EQ(samples->samples.front().origin, "deepseek-prover-v1.5-cot");
  EXPECT_EQ(samples->samples.back().origin, "deepseek-prover-v1.5");
  mixture.Succeeded("deepseek-prover-v1.5");
  EXPECT_EQ(mixture.reports()[1].succeeded, 1u);
}

}  // namespace
}  // namespace zermelo::policy
