// End to end, from a prompt to a proof: a search whose tactics come from a fake language model.
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/testing/fake_lean.h"
#include "llm/testing/fake_model.h"
#include "policy/configured.h"
#include "policy/model_policy.h"
#include "record/call_store.h"
#include "record/recorded_calls.h"
#include "strategy/best_first/best_first.h"

namespace zermelo::strategy {
namespace {

using core::testing::Await;
using core::testing::Generous;
using lean::testing::GameSite;
using llm::testing::Answer;
using llm::testing::FakeModel;

class BestFirstModelTest : public ::testing::Test {
 protected:
  void TearDown() override {
    pool.reset();
    core::testing::RunOut(io);
  }
  void UseConfigured(llm::Model& model) {
    const auto config = core::ParseConfig(
        "zermelo.toml", "[models.m]\nendpoint = \"http://h/v1\"\nformat = \"bfs-prover\"\n");
    const std::vector<policy::ConfiguredModel> models{{config->models.at("m"), &model}};
    ensemble = policy::MakeStepEnsemble(models, formats, 4).value();
  }
  void UseAlone(llm::Model& model) {
    std::vector<policy::Member<policy::Policy>> members;
    members.push_back(
        {"m",
         policy::MakeModelStepPolicy(
             {.model = &model, .format = formats.at("bfs-prover"), .price = {}, .origin = "m"}),
         1});
    std::vector<policy::Member<policy::Policy>> none;
    ensemble = std::make_unique<policy::EnsemblePolicy>(std::move(none), std::move(members), 4);
  }
  std::string Prove() {
    const Problem problem{.site = GameSite(3), .goals = {"n : Nat\n⊢ 3"}, .context = {}};
    Limits limits;
    limits.deadline = Generous();
    const BestFirstParameters parameters;
    const Services services{.checker = *pool, .steps = ensemble.get()};
    const auto result = Await(io, BestFirst(services, problem, parameters, limits));
    if (!result) return result.error().message;
    return result->proof.value_or("no proof: " + result->reason);
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  boost::asio::io_context io;
  llm::Formats formats = llm::LoadFormats(ZERMELO_SOURCE_DIR "/prompts").value();
  std::unique_ptr<lean::Pool> pool =
      std::make_unique<lean::Pool>(io.get_executor(), lean::testing::FakeToolchain(folder.path()),
                                   lean::PoolOptions{.workers = 1});
  FakeModel model{io.get_executor(), "m", [](const llm::Request& request, size_t) {
                    const auto& prompt = std::get<std::string>(request.prompt);
                    return Answer({prompt == "n : Nat\n⊢ 0:::" ? "zero" : "dec", "nonsense"});
                  }};
  std::unique_ptr<policy::EnsemblePolicy> ensemble;
};

TEST_F(BestFirstModelTest, ModelProvesStepByStep) {
  UseAlone(model);
  EXPECT_EQ(Prove(), "dec\ndec\ndec\nzero");
  EXPECT_EQ(model.requests.size(), 4u) << "once per state";
  EXPECT_EQ(ensemble->reports().at(0).succeeded, 4u);
  EXPECT_EQ(ensemble->reports().at(0).spending.samples, 8);
}

TEST_F(BestFirstModelTest, ModelThatWasWrongIsAskedAgain) {
  FakeModel late{io.get_executor(), "m", [](const llm::Request& request, size_t call) {
                   const auto& prompt = std::get<std::string>(request.prompt);
                   const char* right = prompt == "n : Nat\n⊢ 0:::" ? "zero" : "dec";
                   return Answer({call < 3 ? "nonsense" : right, "nonsense"});
                 }};
  UseAlone(late);
  EXPECT_EQ(Prove(), "dec\ndec\ndec\nzero");
  EXPECT_EQ(late.requests.size(), 7u) << "three passes without success";
}

TEST_F(BestFirstModelTest, SearchEndsIfTheModelHasNothingNew) {
  FakeModel stubborn{io.get_executor(), "m", [](const llm::Request&, size_t) {
                       return Answer({"nonsense", "fail"});
                     }};
  UseAlone(stubborn);
  EXPECT_EQ(Prove(), "no proof: exhausted");
  EXPECT_EQ(stubborn.requests.size(), 9u);
}

TEST_F(BestFirstModelTest, BuiltInPolicyProvesWhatItCan) {
  UseConfigured(model);
  EXPECT_EQ(Prove(), "close 3") << "what `exact?` of the fake Lean finds";
  EXPECT_EQ(ensemble->reports().at(0).name, "built-in");
  EXPECT_EQ(ensemble->reports().at(0).succeeded, 1u);
  EXPECT_EQ(ensemble->reports().at(1).succeeded, 0u);
}

TEST_F(BestFirstModelTest, RecordedSearchIsReplayedWithoutTheModel) {
  const auto file = folder.path() / "calls.db";
  const auto calls = record::CallStore::Open(file, record::StoreMode::kRecord).value();
  const auto recording = record::MakeRecorded(model, *calls, "");
  UseAlone(*recording);
  const std::string proof = Prove();
  const size_t asked = model.requests.size();
  const auto recorded = record::CallStore::Open(file, record::StoreMode::kReplay).value();
  const auto replaying = record::MakeReplayed("m", *recorded, "");
  UseAlone(*replaying);
  EXPECT_EQ(Prove(), proof);
  EXPECT_EQ(model.requests.size(), asked);
}

TEST_F(BestFirstModelTest, BudgetEndsASearchThatNeedsTheModel) {
  llm::BudgetLimits limits;
  limits.samples = 4;
  llm::Budget budget(io.get_executor(), limits, {});
  const auto limited = budget.Limit(model);
  UseAlone(*limited);
  EXPECT_EQ(Prove(), "no proof: budget");
  EXPECT_EQ(model.requests.size(), 2u);
  EXPECT_EQ(budget.Summary(), "4 of 4 samples in 2 calls, 40 tokens (20 in, 20 out), $0.00");
}

}  // namespace
}  // namespace zermelo::strategy
