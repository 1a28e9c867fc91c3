// The example of CONTRIBUTING.md, built as if its folder were one of ours.
#include "strategy/registry.h"
#include "strategy/testing/game_fixture.h"

namespace zermelo::strategy {
namespace {

using core::testing::Await;

class FewTactics : public policy::StepPolicy {
 public:
  std::vector<policy::Candidate> Propose(const policy::StepContext& context, size_t n) override {
    std::vector<policy::Candidate> all(3);
    all[0].tactic = "foo";
    all[1].tactic = "dec";
    all[2].tactic = context.printed.ends_with("⊢ 0") ? "zero" : "foo";
    all.resize(std::min(n, all.size()));
    return all;
  }
};

class ExampleTest : public testing::GameTest {
 protected:
  core::Result<SearchResult> ProveWith(int number) {
    const auto steps = policy::MakeImmediatePolicy(std::make_unique<FewTactics>());
    const Services services = ServicesWith(steps.get(), nullptr);
    const Problem problem = ProblemOf(number);
    return Await(io, Prove({services, problem, parameters, core::Duration::zero()}, limits));
  }
  StrategyParameters parameters;
};

TEST_F(ExampleTest, IsRegisteredWithItsParameters) {
  EXPECT_TRUE(NamesOfStrategies().ends_with(", one_shot"));
  EXPECT_EQ(parameters.sections["one_shot"].dump(), R"({"seconds":2.0,"tactics":8})");
  EXPECT_TRUE(SetFromText(parameters, "one_shot.tactics", "2"));
  EXPECT_FALSE(SetFromText(parameters, "one_shot.tactics", "0"));
}

TEST_F(ExampleTest, Proves) {
  parameters.strategy = "one_shot";
  const auto result = ProveWith(0);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->proof, "zero");
}

TEST_F(ExampleTest, ItsParametersHold) {
  parameters.strategy = "one_shot";
  ASSERT_TRUE(SetFromText(parameters, "one_shot.tactics", "2"));
  const auto result = ProveWith(0);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->proof);
}

}  // namespace
}  // namespace zermelo::strategy
