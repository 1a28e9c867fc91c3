// The example of CONTRIBUTING.md, built as if its folder were one of ours: all that the program and
// its documentation have of it follows from the folder and the word in the list.
#include <gmock/gmock.h>

#include "core/files/file.h"
#include "strategy/registry.h"
#include "strategy/testing/game_fixture.h"
#include "strategy/testing/strategies_page.h"

namespace zermelo::strategy {
namespace {

using core::testing::Await;
using ::testing::HasSubstr;

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

TEST_F(ExampleTest, HasItsPlaceInTheDocumentation) {
  const auto page = core::ReadTextFile(testing::kStrategiesPage, 1U << 20U);
  ASSERT_TRUE(page);
  const std::string with = testing::WithRegistration(*page);
  EXPECT_THAT(with,
              HasSubstr("\n| `one_shot` | the policy's first tactics, each as the whole proof "
                        "| a policy that proposes tactics, such as the built-in one |\n"));
  EXPECT_TRUE(
      with.ends_with("\n## one_shot\n\nThe policy's first tactics, each as the whole proof.\n\n"
                     "<!-- from the registration: one_shot -->\n"
                     "| `one_shot.` | default | |\n|---|---|---|\n"
                     "| `tactics` | 8 | tactics that are tried |\n"
                     "| `seconds` | 2 | seconds for each |\n<!-- end -->\n"));
  EXPECT_EQ(testing::WithRegistration(with), with) << "what is written by hand stays";
}

TEST_F(ExampleTest, ProvesAndTheRecordSaysWhoDid) {
  testing::MemoryJournal journal;
  limits.journal = &journal;
  parameters.strategy = "one_shot";
  const auto result = ProveWith(0);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->proof, "zero");
  const auto begun = journal.Of(event::kStrategyBegun);
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun[0]["strategy"], "one_shot");
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
