#include "strategy/best_first/best_first.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/pool.h"
#include "lean/testing/fake_lean.h"
#include "strategy/testing/game_fixture.h"

namespace zermelo::strategy {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using lean::testing::GameSite;
using policy::Candidate;
using std::chrono::milliseconds;

/// Proposes scripted candidates by the number in the first goal; records the states it was asked
/// for.
class ScriptedPolicy : public policy::Policy {
 public:
  core::Task<Result<policy::Proposal>> Propose(policy::StepContext context, size_t n,
                                               llm::CallContext call) override {
    if (call.deadline.Passed()) co_return core::Fail(ErrorCode::kTimeout, "no time");
    if (error) co_return core::Fail(*error);
    policy::Proposal proposal;
    proposal.candidates = Choose(context, n);
    if (asked.back() == waits_for) co_return co_await UntilCancelled(std::move(call));
    co_return proposal;
  }
  void Succeeded(const std::string& origin) override { succeeded.push_back(origin); }
  size_t most_effort() const override { return most; }

  core::Task<Result<policy::Proposal>> UntilCancelled(llm::CallContext call) {
    core::Signal signal(co_await boost::asio::this_coro::executor);
    const core::Cancellation::Subscription subscription(*call.cancellation,
                                                        [&] { signal.Notify(); });
    if (when_waiting) when_waiting();
    while (!call.cancellation->requested()) co_await signal.Wait(call.deadline);
    co_return core::Fail(ErrorCode::kCancelled, "no longer needed");
  }

  std::vector<Candidate> Choose(const policy::StepContext& context, size_t n) {
    std::string state;
    for (const auto& goal : context.state.goals) {
      state += (state.empty() ? "" : " ") + goal.target;
    }
    asked.push_back(state);
    depths.push_back(context.depth);
    efforts.push_back(context.effort);
    prefixes.push_back(context.prefix);
    const auto found = script.find(context.state.goals.at(0).target);
    auto candidates = found == script.end() ? otherwise : found->second;
    if (candidates.size() > n) candidates.resize(n);
    return candidates;
  }

  std::map<std::string, std::vector<Candidate>> script;
  std::vector<Candidate> otherwise;
  std::vector<std::string> asked;  // "2 3": two goals
  std::vector<int> depths;
  std::vector<size_t> efforts;
  size_t most = 0;  // effort
  std::vector<std::string> prefixes;
  std::vector<std::string> succeeded;  // origins
  std::optional<core::Error> error;
  std::string waits_for;  // the state in which it waits until it is cancelled
  std::function<void()> when_waiting;
};

class BestFirstTest : public ::testing::Test {
 protected:
  void TearDown() override {
    pool.reset();
    core::testing::RunOut(io);
  }
  void OpenPool(size_t workers, const std::filesystem::path& lean = lean::testing::FakeLeanPath()) {
    auto toolchain = lean::testing::FakeToolchain(folder.path());
    toolchain.lean = lean;
    pool = std::make_unique<lean::Pool>(io.get_executor(), toolchain,
                                        lean::PoolOptions{.workers = workers});
  }
  Result<SearchResult> Run(int number) {
    const Problem problem{
        .site = GameSite(number), .goals = {"n : Nat\n⊢ " + std::to_string(number)}, .context = {}};
    limits.trying = [this](const std::string& tactic) { tried.push_back(tactic); };
    const Services services{.checker = *pool, .steps = &policy, .learned = learned};
    return Await(io, BestFirst(services, problem, parameters, limits));
  }
  SearchResult Search(int number) {
    auto result = Run(number);
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SearchResult{});
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  boost::asio::io_context io;
  std::unique_ptr<lean::Pool> pool =
      std::make_unique<lean::Pool>(io.get_executor(), lean::testing::FakeToolchain(folder.path()),
                                   lean::PoolOptions{.workers = 1});
  ScriptedPolicy policy;
  learn::Adviser* learned = nullptr;
  BestFirstParameters parameters;
  Limits limits{.deadline = Generous()};
  std::vector<std::string> tried;  // the first tactic of each batch
};

TEST_F(BestFirstTest, FindsAProofStepByStep) {
  policy.otherwise = {{.tactic = "zero"}, {.tactic = "dec"}};
  const SearchResult result = Search(3);
  EXPECT_EQ(result.proof, "dec\ndec\ndec\nzero");
  EXPECT_EQ(result.nodes, 4u);
  EXPECT_EQ(result.samples, 8u) << "all candidates that Lean ran";
  EXPECT_EQ(result.checks, 5u) << "four probes and the confirmation";
  EXPECT_EQ(policy.depths, (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(BestFirstTest, ReportsTheGoalsOfTheProofsTactics) {
  policy.otherwise = {{.tactic = "zero", .origin = "a"}, {.tactic = "dec", .origin = "b"}};
  const SearchResult result = Search(1);
  ASSERT_EQ(result.moves.size(), 2u);
  EXPECT_EQ(result.moves[0].origin, "b");
  EXPECT_EQ(result.moves[1].origin, "a");
  EXPECT_EQ(result.moves[0].goal, "n : Nat\n⊢ 1");
  EXPECT_EQ(result.moves[0].tactic, "dec");
  EXPECT_FALSE(result.moves[0].closes);
  EXPECT_EQ(result.moves[1].goal, "n : Nat\n⊢ 0");
  EXPECT_EQ(result.moves[1].tactic, "zero");
  EXPECT_TRUE(result.moves[1].closes);
}

TEST_F(BestFirstTest, PolicyGetsTheTacticsSoFarAndIsNotifiedOfSuccess) {
  policy.otherwise = {{.tactic = "zero", .origin = "a"}, {.tactic = "dec", .origin = "b"}};
  ASSERT_TRUE(Search(2).proof);
  EXPECT_EQ(policy.prefixes, (std::vector<std::string>{"", "  dec\n", "  dec\n  dec\n"}));
  EXPECT_EQ(policy.succeeded, (std::vector<std::string>{"b", "b", "a"}));
}

TEST_F(BestFirstTest, PolicyWithoutBudgetHasNoCandidates) {
  policy.error = core::Error{ErrorCode::kCancelled, "the budget is used up"};
  EXPECT_EQ(Search(2).reason, "budget");
}

TEST_F(BestFirstTest, ProofCancelsWaitingForAModel) {
  OpenPool(2);
  policy.otherwise = {{.tactic = "zero"}, {.tactic = "dec"}, {.tactic = "sub 2"}};
  policy.waits_for = "1";
  EXPECT_TRUE(Search(2).proof) << "one lane waits at state 1, the other proves";
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"2", "1", "0"}));
}

TEST_F(BestFirstTest, CancellationEndsWaitingForAModel) {
  core::Cancellation cancellation;
  limits.cancellation = &cancellation;
  policy.waits_for = "2";
  policy.when_waiting = [&] { cancellation.Request(); };
  EXPECT_EQ(Search(2).proof, std::nullopt);
}

TEST_F(BestFirstTest, PolicyErrorEndsTheSearch) {
  policy.error = core::Error{ErrorCode::kUsage, "unknown model"};
  const auto result = Run(2);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "unknown model");
}

TEST_F(BestFirstTest, StateThatIsTooLongForTheModelEndsNothing) {
  policy.error = core::Error{ErrorCode::kTooLong, "the prompt has 2000 tokens"};
  const auto outcome = Run(2);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->reason, "exhausted");
  EXPECT_EQ(outcome->unusable, 1U);
}

TEST_F(BestFirstTest, ProofsOfSeveralGoalsAreLaidOut) {
  policy.script["4"] = {{.tactic = "split"}};
  policy.script["2"] = {{.tactic = "dec"}};
  policy.script["1"] = {{.tactic = "close 1"}};
  EXPECT_EQ(Search(4).proof, "split\n· dec\n  close 1\n· dec\n  close 1");
}

TEST_F(BestFirstTest, CheapestStateIsExpandedFirst) {
  policy.script["10"] = {{.tactic = "sub 1", .cost = 5},
                         {.tactic = "sub 2", .cost = 1},
                         {.tactic = "sub 3", .cost = 3}};
  const SearchResult result = Search(10);
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"10", "8", "7", "9"}));
  EXPECT_EQ(result.proof, std::nullopt);
  EXPECT_EQ(result.reason, "exhausted");
  EXPECT_EQ(result.nodes, 4u);
}

TEST_F(BestFirstTest, CostsAddUpAlongAProof) {
  parameters.cost_per_step = 0;
  policy.script["10"] = {{.tactic = "sub 1", .cost = 2}, {.tactic = "sub 5", .cost = 3}};
  policy.script["9"] = {{.tactic = "sub 1", .cost = 2}};
  Search(10);
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"10", "9", "5", "8"}));
}

TEST_F(BestFirstTest, MoreGoalsCostMore) {
  parameters.cost_per_goal = 10;
  policy.script["8"] = {{.tactic = "split", .cost = 1}, {.tactic = "sub 1", .cost = 5}};
  Search(8);
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"8", "7", "4 4"}));
}

TEST_F(BestFirstTest, LaterBatchWaitsAtTheCostOfItsFirstCandidate) {
  parameters.batch = 1;
  policy.script["10"] = {{.tactic = "sub 1", .cost = 1},
                         {.tactic = "sub 2", .cost = 4},
                         {.tactic = "sub 3", .cost = 9}};
  policy.script["9"] = {{.tactic = "sub 4", .cost = 1}};
  Search(10);
  EXPECT_EQ(tried, (std::vector<std::string>{"sub 1", "sub 4", "sub 2", "sub 3"}));
}

TEST_F(BestFirstTest, EqualStatesAreMerged) {
  policy.script["10"] = {{.tactic = "sub 2"}, {.tactic = "sub 1\nsub 1"}, {.tactic = "dec\ndec"}};
  EXPECT_EQ(Search(10).nodes, 2u);
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"10", "8"}));
}

TEST_F(BestFirstTest, StateIsDroppedIfItsLastGoalsAreAKnownState) {
  policy.script["4"] = {{.tactic = "split", .cost = 1}, {.tactic = "sub 2", .cost = 2}};
  Search(4);
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"4", "2"})) << "not 2 2";
}

TEST_F(BestFirstTest, ProofThatTheKernelRejectsIsNotReturned) {
  policy.script["3"] = {{.tactic = "cheat", .cost = 1}, {.tactic = "sub 3", .cost = 5}};
  policy.script["0"] = {{.tactic = "zero"}};
  EXPECT_EQ(Search(3).proof, "sub 3\nzero");
}

TEST_F(BestFirstTest, OnlyRejectedProofsMeansNoProof) {
  policy.otherwise = {{.tactic = "cheat"}};
  const SearchResult result = Search(3);
  EXPECT_EQ(result.proof, std::nullopt);
  EXPECT_EQ(result.reason, "exhausted");
}

TEST_F(BestFirstTest, SorryIsNotAProof) {
  policy.otherwise = {{.tactic = "sorry"}, {.tactic = "skip\nsorry"}};
  EXPECT_EQ(Search(3).proof, std::nullopt);
}

TEST_F(BestFirstTest, SuggestionReplacesItsTactic) {
  policy.otherwise = {{.tactic = "exact?"}};
  EXPECT_EQ(Search(3).proof, "close 3");
}

TEST_F(BestFirstTest, StopEndsTheSearchBeforeTheNextCheck) {
  policy.otherwise = {{.tactic = "dec"}};
  limits.stop = [this] { return tried.size() >= 2; };
  const SearchResult result = Search(1000);
  EXPECT_EQ(result.reason, "stopped");
  EXPECT_EQ(tried.size(), 2u);
}

TEST_F(BestFirstTest, DeadlineEndsTheSearch) {
  parameters.seconds_per_candidate = 1000;
  policy.otherwise = {{.tactic = "slow"}};
  limits.deadline = Deadline::After(milliseconds(700));
  const SearchResult result = Search(3);
  EXPECT_EQ(result.reason, "time");
  EXPECT_EQ(result.proof, std::nullopt);
}

TEST_F(BestFirstTest, SlowCandidateDoesNotBlockTheOthers) {
  parameters.seconds_per_candidate = 0.2;
  policy.otherwise = {{.tactic = "slow"}, {.tactic = "close 3"}};
  EXPECT_EQ(Search(3).proof, "close 3");
}

TEST_F(BestFirstTest, CandidateThatCrashesLeanCostsOnlyItsBatch) {
  parameters.batch = 1;
  policy.otherwise = {{.tactic = "crash"}, {.tactic = "close 3", .cost = 2}};
  EXPECT_EQ(Search(3).proof, "close 3");
}

TEST_F(BestFirstTest, ProofLengthIsLimitedByMaxDepth) {
  policy.otherwise = {{.tactic = "zero"}, {.tactic = "dec"}};
  parameters.max_depth = 3;
  EXPECT_EQ(Search(3).proof, std::nullopt);
  parameters.max_depth = 4;
  EXPECT_EQ(Search(3).proof, "dec\ndec\ndec\nzero");
}

TEST_F(BestFirstTest, LargeStatesAreDropped) {
  parameters.max_goal_bytes = 30;
  policy.script["4"] = {{.tactic = "split"}, {.tactic = "dec"}};
  Search(4);
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"4", "3"}));
}

TEST_F(BestFirstTest, CandidatesPerStateAreLimited) {
  parameters.candidates_per_state = 2;
  policy.otherwise = {{.tactic = "zero"}, {.tactic = "split"}, {.tactic = "close 1"}};
  EXPECT_EQ(Search(1).samples, 2u);
}

TEST_F(BestFirstTest, SeveralWorkersSearchTogether) {
  OpenPool(3);
  parameters.batch = 1;
  policy.otherwise = {{.tactic = "zero", .cost = 1},
                      {.tactic = "dec", .cost = 1},
                      {.tactic = "split", .cost = 1.5}};
  const SearchResult result = Search(6);
  ASSERT_TRUE(result.proof);
  EXPECT_GT(pool->stats().started, 1u);
}

TEST_F(BestFirstTest, SeveralWorkersEndWhenNothingIsLeft) {
  OpenPool(3);
  policy.script["10"] = {{.tactic = "sub 1"}, {.tactic = "sub 2"}, {.tactic = "zero"}};
  EXPECT_EQ(Search(10).reason, "exhausted");
}

TEST_F(BestFirstTest, MissingLeanIsAnError) {
  OpenPool(2, "/no/such/lean");
  policy.otherwise = {{.tactic = "zero"}};
  const auto result = Run(3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kEnvironment);
}

TEST_F(BestFirstTest, ClosedPoolIsReportedAsCancelled) {
  pool->Close();
  policy.otherwise = {{.tactic = "zero"}};
  const auto result = Run(3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

/// "selected 0", "node_closed 0", … of the nodes, in order.
std::vector<std::string> NodesIn(const testing::MemoryJournal& journal) {
  std::vector<std::string> nodes;
  for (const auto& event : journal.events) {
    const bool of_node = event.kind == event::kSelected || event.kind == event::kNodeClosed;
    if (of_node) nodes.push_back(event.kind + " " + event.fields["node"].dump());
  }
  return nodes;
}

TEST_F(BestFirstTest, StateIsClosedAfterItsLastBatch) {
  testing::MemoryJournal journal;
  limits.journal = &journal;
  parameters.batch = 1;
  policy.script["10"] = {{.tactic = "sub 1", .cost = 1}, {.tactic = "fail", .cost = 9}};
  EXPECT_EQ(Search(10).reason, "exhausted");
  EXPECT_EQ(NodesIn(journal), (std::vector<std::string>{"selected 0", "selected 1", "node_closed 1",
                                                        "selected 0", "node_closed 0"}));
}

TEST_F(BestFirstTest, StateThatIsDroppedIsClosed) {
  testing::MemoryJournal journal;
  limits.journal = &journal;
  policy.script["4"] = {{.tactic = "split", .cost = 1}, {.tactic = "sub 2", .cost = 2}};
  Search(4);
  const auto nodes = NodesIn(journal);
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), "node_closed 1"), 1) << "2 2";
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), "selected 1"), 0);
}

TEST_F(BestFirstTest, StateIsOpenAgainInTheNextPass) {
  testing::MemoryJournal journal;
  limits.journal = &journal;
  policy.otherwise = {{.tactic = "fail"}};
  policy.most = 1;
  Search(3);
  EXPECT_EQ(NodesIn(journal), (std::vector<std::string>{"selected 0", "node_closed 0", "selected 0",
                                                        "node_closed 0"}));
}

TEST_F(BestFirstTest, WhatAProofInterruptsIsNotClosed) {
  testing::MemoryJournal journal;
  limits.journal = &journal;
  policy.otherwise = {{.tactic = "zero"}, {.tactic = "dec"}};
  ASSERT_TRUE(Search(1).proof);
  EXPECT_EQ(NodesIn(journal),
            (std::vector<std::string>{"selected 0", "node_closed 0", "selected 1"}));
}

class WhyNotAcceptedTest : public BestFirstTest {
 protected:
  std::optional<std::string> WhyNot(const syntax::ProofSite& site, const std::string& tactics) {
    return *Await(io, RejectionReason(*pool, site, tactics, limits));
  }
};

TEST_F(WhyNotAcceptedTest, CorrectProofIsAccepted) {
  EXPECT_EQ(WhyNot(GameSite(2), "sub 2\nzero"), std::nullopt);
}

TEST_F(WhyNotAcceptedTest, ErrorIsTheReason) {
  EXPECT_EQ(WhyNot(GameSite(2), "zero"), "2 is not 0");
  EXPECT_EQ(WhyNot(GameSite(2), "cheat"), "(kernel) declaration type mismatch");
}

TEST_F(WhyNotAcceptedTest, SorryIsRejectedInEverySpelling) {
  for (const char* tactics : {"sorry", "skip\nsorry", "admit", "stop\nskip", "exact sorryAx _ true",
                              "exact _root_.sorryAx _ true", "· sorry"}) {
    EXPECT_TRUE(WhyNot(GameSite(2), tactics)) << tactics;
  }
}

TEST_F(WhyNotAcceptedTest, SorryInACommentIsIgnored) {
  EXPECT_EQ(WhyNot(GameSite(2), "-- sorry, this is short\nclose 2"), std::nullopt);
}

TEST_F(WhyNotAcceptedTest, ErrorsOfOtherDeclarationsDoNotCount) {
  const auto site = lean::testing::LastSite(
      "theorem broken : 3 := by\n  zero\n\ntheorem game : 2 := by\n  sorry\n");
  EXPECT_EQ(WhyNot(site, "close 2"), std::nullopt);
}

TEST_F(BestFirstTest, WhenEverythingHasFailedItAsksForMoreAndTriesOnlyWhatIsNew) {
  policy.otherwise = {{.tactic = "fail"}, {.tactic = "dec"}, {.tactic = "zero"}};
  policy.most = 2;
  parameters.candidates_per_state = 1;
  EXPECT_EQ(Search(1).proof, "dec\nzero");
  EXPECT_EQ(policy.efforts.front(), 0U);
  EXPECT_EQ(policy.efforts.back(), 2U);
  EXPECT_EQ(tried.front(), "fail");
  EXPECT_EQ(policy.asked.at(1), "1");
  EXPECT_EQ(tried.at(1), "dec") << "\"fail\" is known in this state";
}

TEST_F(BestFirstTest, EndsOnceThePolicyHasNothingMoreToOffer) {
  policy.otherwise = {{.tactic = "fail"}};
  policy.most = 2;
  EXPECT_EQ(Search(3).reason, "exhausted");
  EXPECT_EQ(policy.efforts, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(tried, (std::vector<std::string>{"fail"}));
}

/// Gives the scripted chances of goals; none, as if too little were known, if the script is empty.
class ScriptedAdviser : public learn::Adviser {
 public:
  core::Task<Result<learn::Advice>> Ask(learn::Query) override { co_return learn::Advice(); }
  core::Task<Result<learn::Chances>> Estimate(learn::ChanceQuery query) override {
    asked.push_back(query.goals);
    learn::Chances answer;
    for (const std::string& goal : query.goals) {
      const auto found = script.find(goal.substr(goal.rfind(' ') + 1));
      if (!script.empty()) answer.chances.push_back(found == script.end() ? 0.5 : found->second);
    }
    co_return answer;
  }
  std::map<std::string, double> script;
  std::vector<std::vector<std::string>> asked;
};

class ValueTest : public BestFirstTest {
 protected:
  ValueTest() {
    learned = &adviser;
    parameters.value_weight = 1;
    policy.script["10"] = {{.tactic = "sub 1", .cost = 1}, {.tactic = "sub 3", .cost = 2}};
  }
  using Texts = std::vector<std::string>;
  ScriptedAdviser adviser;
};

TEST_F(ValueTest, TheBranchThatItTakesForProvableIsExpandedFirst) {
  adviser.script = {{"9", 0.05}, {"7", 0.9}};
  Search(10);
  EXPECT_EQ(policy.asked, (Texts{"10", "7", "9"}));
  policy.asked.clear();
  parameters.value_weight = 0.1;
  Search(10);
  EXPECT_EQ(policy.asked, (Texts{"10", "9", "7"})) << "the costs count, too";
}

TEST_F(ValueTest, WithoutWeightItIsNotAsked) {
  adviser.script = {{"9", 0.05}, {"7", 0.9}};
  parameters.value_weight = 0;
  Search(10);
  EXPECT_EQ(policy.asked, (Texts{"10", "9", "7"}));
  EXPECT_TRUE(adviser.asked.empty());
}

TEST_F(ValueTest, IfTooLittleIsKnownItIsAskedOnceAndChangesNothing) {
  Search(10);
  EXPECT_EQ(policy.asked, (Texts{"10", "9", "7"}));
  EXPECT_EQ(adviser.asked.size(), 1u);
}

TEST_F(ValueTest, EachGoalIsAskedAboutOnce) {
  adviser.script = {{"9", 0.5}};
  policy.script["9"] = {{.tactic = "sub 2"}, {.tactic = "sub 4"}};
  Search(10);
  EXPECT_EQ(
      adviser.asked,
      (std::vector<Texts>{{"n : Nat\n⊢ 10"}, {"n : Nat\n⊢ 9", "n : Nat\n⊢ 7"}, {"n : Nat\n⊢ 5"}}));
}

TEST_F(ValueTest, ItIsRecordedAndDoesNotAddUpAlongAProof) {
  testing::MemoryJournal journal;
  limits.journal = &journal;
  adviser.script = {{"8", 0.5}, {"4", 0.5}, {"3", 0.25}};
  policy.script["8"] = {{.tactic = "split", .cost = 1}};
  policy.script["4"] = {{.tactic = "sub 1", .cost = 1}};
  parameters.cost_per_step = parameters.cost_per_goal = 0;
  Search(8);
  const auto added = journal.Of(event::kNodeAdded);
  ASSERT_EQ(added.size(), 2u);
  EXPECT_EQ(added[0]["value"], 0.25) << "4 and 4";
  EXPECT_EQ(added[1]["value"], 0.125) << "3 and 4";
  const auto selected = journal.Of(event::kSelected);
  ASSERT_EQ(selected.size(), 3u);
  EXPECT_NEAR(selected[0]["cost"].get<double>(), -std::log(0.5), 1e-9);
  EXPECT_NEAR(selected[1]["cost"].get<double>(), 1 - std::log(0.25), 1e-9);
  EXPECT_NEAR(selected[2]["cost"].get<double>(), 2 - std::log(0.125), 1e-9);
}

TEST_F(ValueTest, WhatBecameOfGoalsIsReported) {
  policy.script["10"].push_back({.tactic = "sorry"});
  policy.script["7"] = {{.tactic = "close 7"}, {.tactic = "fail"}};
  policy.script["9"] = {{.tactic = "fail"}};
  const SearchResult result = Search(10);
  ASSERT_EQ(result.goals.size(), 3u);
  EXPECT_EQ(result.goals[0].goal, "n : Nat\n⊢ 10");
  EXPECT_TRUE(result.goals[0].closed);
  EXPECT_EQ(result.goals[0].tried, 6u) << "all six: 9 was tried before 7";
  EXPECT_FALSE(result.goals[1].closed) << "9";
  EXPECT_TRUE(result.goals[2].closed) << "7";
  EXPECT_EQ(result.goals[2].tried, 2u);
  learned = nullptr;
  EXPECT_TRUE(Search(10).goals.empty()) << "nothing learns";
}

}  // namespace
}  // namespace zermelo::strategy
