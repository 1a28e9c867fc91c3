// Hilbert alone, killed at any moment and resumed.
#include <map>

#include "engine/testing/resume_fixture.h"

namespace zermelo::engine {
namespace {

using core::Task;
using testing::Execute;
using testing::GameJob;
using ::testing::HasSubstr;
using testing::ResumeTest;

/// Six theorems of increasing difficulty.
Task<void> PlayDivisions(const GameJob& job, const testing::GameServices& with,
                         strategy::Limits limits, std::string& result) {
  testing::GameSteps steps(with.model);
  testing::GameProofs proofs(with.model);
  testing::GameRoles roles(with.model, proofs);
  strategy::Services services{.checker = with.checker};
  services.steps = &steps;
  services.completions = &proofs;
  services.roles = &roles;
  services.premises = &with.premises;
  for (const int number : {9, 13, 17, 21, 25, 29}) {
    const auto found = co_await testing::PlayHilbert(services, job.lanes, limits, number, 1);
    result += testing::Describe(found);
    if (found) result += found->progress + found->auxiliary;
  }
}

class HilbertResumeTest : public ResumeTest {
 protected:
  GameJob NewDivisions() {
    GameJob job = NewJob(1);
    job.play = PlayDivisions;
    return job;
  }
};

TEST_F(HilbertResumeTest, TheGameUsesEveryPromptButTwo) {
  const GameJob job = NewDivisions();
  EXPECT_THAT(Execute(job), HasSubstr("theorem game_h1"));
  std::map<std::string, int> asked;
  for (const store::Event& event : Events(job)) {
    if (!event.call) continue;
    const std::string& request = event.call->request;
    for (size_t at = request.find("STEP "); at != std::string::npos;
         at = request.find("STEP ", at + 1)) {
      ++asked[request.substr(at + 5, request.find('\\', at) - at - 5)];
    }
  }
  const auto prompts = std::filesystem::path(ZERMELO_SOURCE_DIR) / "prompts" / "hilbert";
  for (const auto& file : std::filesystem::directory_iterator(prompts)) {
    const std::string step = file.path().stem();
    // These games have no unknown name to look up and correct a statement once; HilbertShallowTest
    // and HilbertTest have these.
    if (step == "error_queries" || step == "correct_statement_again") continue;
    EXPECT_GT(asked[step], 0) << step;
  }
}

TEST_F(HilbertResumeTest, ARunKilledAt50RandomMomentsEqualsAnUndisturbedRun) {
  KillOftenAndCompare([this] { return NewDivisions(); });
}

}  // namespace
}  // namespace zermelo::engine
