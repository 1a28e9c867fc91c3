#include "strategy/expander.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "strategy/free_search.h"
#include "strategy/step_states.h"
#include "strategy/testing/game_fixture.h"

namespace zermelo::strategy {
namespace {

using core::Result;
using core::Task;
using core::testing::Await;
using core::testing::Started;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(IsHeuristic, RecognisesTacticsThatSuggest) {
  EXPECT_TRUE(IsHeuristic("exact?"));
  EXPECT_TRUE(IsHeuristic("simp? [foo] at h"));
  for (const char* other : {"", "exact foo ?_", "all_goals exact?", "first | exact? | simp",
                            "exact? <;> rfl", "simp? at h; rfl", "exact? <|> rfl", "simp?\nrfl"}) {
    EXPECT_FALSE(IsHeuristic(other)) << other;
  }
}

TEST(ApplyTest, ASuggestionReplacesOnlyATacticThatAsksForItAsAWhole) {
  const std::vector<std::string> goals{"⊢ p"};
  lean::ProbeResult closed;
  closed.outcome = lean::ProbeResult::Outcome::kClosed;
  closed.suggestion = "exact h";
  EXPECT_EQ(Apply(goals, {.tactic = "exact?"}, closed)->step.tactic, "exact h");
  for (const char* kept : {"constructor <;> exact?", "all_goals exact?"})
    EXPECT_EQ(Apply(goals, {.tactic = kept}, closed)->step.tactic, kept);
  EXPECT_EQ(Apply(goals, {.tactic = "rename_i x\nexact?"}, closed)->step.tactic,
            "rename_i x\nexact h");
}

class ExpanderTest : public testing::GameTest {};

/// Finds one theorem for every goal, named after it.
class OneTheorem : public retrieve::Retriever {
 public:
  Task<Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                      core::Deadline) override {
    ++asked;
    retrieve::Premise premise;
    premise.name = "about " + query.text;
    co_return std::vector<retrieve::Premise>(1, premise);
  }
  size_t asked = 0;
};

/// Proposes the names of the premises and rules that it is given.
class Parrot : public policy::StepPolicy {
 public:
  explicit Parrot(bool wants_library) : wants_library_(wants_library) {}
  bool wants_library() const override { return wants_library_; }
  std::vector<policy::Candidate> Propose(const policy::StepContext& context, size_t) override {
    std::vector<policy::Candidate> candidates;
    for (const std::string& name : context.premises) candidates.push_back({.tactic = name});
    for (const auto& rule : context.rules) candidates.push_back({.tactic = "rw " + rule.name});
    return candidates;
  }

 private:
  const bool wants_library_;
};

TEST_F(ExpanderTest, LibraryIsSearchedForAPolicyThatWantsIt) {
  OneTheorem library;
  const auto propose = [&](bool wants_library) {
    const auto steps = policy::MakeImmediatePolicy(std::make_unique<Parrot>(wants_library));
    Services services = ServicesWith(steps.get(), nullptr);
    services.premises = &library;
    const Problem problem = ProblemOf(1);
    Expander expander(services, problem, limits, io.get_executor());
    policy::StepContext context;
    context.printed = "⊢ 7\n\n⊢ 8";
    std::vector<std::string> tactics;
    const auto proposal = Await(io, expander.ProposeTactics(context, 5));
    for (const auto& each : proposal.candidates) {
      tactics.push_back(each.tactic);
    }
    return tactics;
  };
  EXPECT_THAT(propose(true), ElementsAre("about ⊢ 7", "rw about ⊢ 7"));
  EXPECT_EQ(library.asked, 3U) << "for theorems, rewriting rules and definitions";
  EXPECT_THAT(propose(false), IsEmpty());
  EXPECT_EQ(library.asked, 3U);
}

TEST_F(ExpanderTest, ProofFoundBySeveralLanesIsConfirmedOnce) {
  const Services services = ServicesWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  Expander expander(services, problem, limits, io.get_executor());
  Started<bool> first(io, expander.Confirm("dec\nzero", role::kBuiltin));
  Started<bool> second(io, expander.Confirm("dec\n\nzero", role::kTactics));
  Started<bool> wrong(io, expander.Confirm("zero", role::kBuiltin));
  EXPECT_TRUE(first.Get());
  EXPECT_TRUE(second.Get());
  EXPECT_FALSE(wrong.Get());
  const auto checks = pool->checks();
  EXPECT_TRUE(Await(io, expander.Confirm("dec\nzero", role::kBuiltin))) << "it is known";
  EXPECT_FALSE(Await(io, expander.Confirm("zero", role::kBuiltin)));
  EXPECT_EQ(pool->checks(), checks);
}

TEST_F(ExpanderTest, AnIdleWorkerIsWokenWhenAnotherHasDoneItsWork) {
  const Services services = ServicesWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  Expander expander(services, problem, limits, io.get_executor());
  core::Signal together(io.get_executor());
  int available = 1, begun = 0, at_work = 0, most_at_work = 0;
  const auto work = [&]() -> Task<void> {
    most_at_work = std::max(most_at_work, ++at_work);
    if (++begun == 1) {
      co_await boost::asio::post(io, boost::asio::use_awaitable);  // the other one finds no work
      available = 2;
    } else if (most_at_work < 2) {
      co_await together.Wait(core::Deadline::After(std::chrono::seconds(10)));
    }
    together.Notify();
    --at_work;
  };
  const auto next = [&]() -> std::optional<Expander::Work> {
    if (available == 0) return std::nullopt;
    --available;
    return work;
  };
  ASSERT_TRUE(Await(io, expander.Run(2, next)));
  EXPECT_EQ(begun, 3);
  EXPECT_EQ(most_at_work, 2);
}

/// A runner of tactics that closes every goal, or gives another answer.
class EasyRunner : public lean::TacticRunner {
 public:
  Task<Result<std::optional<std::vector<lean::ProbeResult>>>> Try(lean::Trials trials) override {
    ++asked;
    if (error) co_return core::Fail(*error);
    if (!ready) co_return std::nullopt;
    std::vector<lean::ProbeResult> results(trials.candidates.size());
    for (auto& result : results) result.outcome = lean::ProbeResult::Outcome::kClosed;
    co_return results;
  }
  bool ready = true;
  std::optional<core::Error> error;
  int asked = 0;
};

class ExpanderWithStates : public ExpanderTest {
 protected:
  ExpanderWithStates() { limits.journal = &journal; }
  /// The outcomes of `dec` and `zero` on the goal 1, of which only `dec` is right.
  static std::vector<lean::ProbeResult::Outcome> Try(boost::asio::io_context& io,
                                                     Expander& expander) {
    std::vector<lean::ProbeResult::Outcome> outcomes;
    Await(io, TryInto(expander, outcomes));
    return outcomes;
  }
  static Task<void> TryInto(Expander& expander, std::vector<lean::ProbeResult::Outcome>& outcomes) {
    std::vector<policy::Candidate> tactics(2);
    tactics[0].tactic = "dec";
    tactics[1].tactic = "zero";
    tactics[1].sampled = true;
    const auto tried = co_await expander.TryTactics("", tactics, std::chrono::seconds(20));
    EXPECT_TRUE(tried);
    for (const auto& result : *tried) outcomes.push_back(result.outcome);
  }
  Services WithStates() {
    Services services = ServicesWith(nullptr, nullptr);
    services.states = &runner;
    return services;
  }

  EasyRunner runner;
  testing::MemoryJournal journal;
  const Problem problem = ProblemOf(1);
};
using ProbeOutcome = lean::ProbeResult::Outcome;

TEST_F(ExpanderWithStates, TacticsAreTriedThere) {
  const Services services = WithStates();
  Expander expander(services, problem, limits, io.get_executor());
  EXPECT_THAT(Try(io, expander), ElementsAre(ProbeOutcome::kClosed, ProbeOutcome::kClosed));
  EXPECT_EQ(pool->checks(), 0U);
  EXPECT_EQ(expander.result().states.tried, 2U);
  EXPECT_EQ(expander.result().samples, 2U);
}

TEST_F(ExpanderWithStates, ASecondSearchOfTheSameTheoremRunsNoTacticAgain) {
  const Services services = WithStates();
  for (int search = 0; search < 2; ++search) {
    Expander expander(services, problem, limits, io.get_executor());
    EXPECT_THAT(Try(io, expander), ElementsAre(ProbeOutcome::kClosed, ProbeOutcome::kClosed));
    EXPECT_EQ(expander.result().samples, search == 0 ? 2U : 0U);
  }
}

TEST_F(ExpanderWithStates, AProbeAnswersWhileTheyAreNotReadyAndAfterAnError) {
  const Services services = WithStates();
  Expander expander(services, problem, limits, io.get_executor());
  runner.ready = false;
  EXPECT_THAT(Try(io, expander), ElementsAre(ProbeOutcome::kOpen, ProbeOutcome::kFailed));
  EXPECT_THAT(journal.Of(event::kStatesFailed), IsEmpty());
  *problem.results = {};
  runner.error = core::Error{core::ErrorCode::kCrashed, "Lean died twice"};
  EXPECT_THAT(Try(io, expander), ElementsAre(ProbeOutcome::kOpen, ProbeOutcome::kFailed));
  EXPECT_THAT(journal.Of(event::kStatesFailed),
              ElementsAre(nlohmann::json{{"why", "Lean died twice"}}));
  EXPECT_EQ(expander.result().states.failed, 1U);
  EXPECT_EQ(expander.result().states.tried, 0U);
}

TEST_F(ExpanderWithStates, ARefutedProofIsReportedOnceAndNotCheckedAgain) {
  const Services services = WithStates();
  Expander expander(services, problem, limits, io.get_executor());
  Try(io, expander);
  for (int time = 0; time < 2; ++time)
    EXPECT_FALSE(Await(io, expander.Confirm("zero", role::kBuiltin)));
  Expander next(services, problem, limits, io.get_executor());
  EXPECT_FALSE(Await(io, next.Confirm("zero", role::kBuiltin))) << "nor in the next search";
  EXPECT_EQ(pool->checks(), 1U);
  EXPECT_EQ(expander.result().states.refuted, 1U);
  EXPECT_THAT(journal.Of(event::kStatesRefuted),
              ElementsAre(nlohmann::json{{"proof", "zero"}, {"why", "1 is not 0"}}));
}

TEST_F(ExpanderWithStates, AProbeKnowsWhoseTacticsItTries) {
  const Services services = WithStates();
  Expander expander(services, problem, limits, io.get_executor());
  runner.ready = false;
  Try(io, expander);
  EXPECT_EQ(watched.Summary(), "1 builtin+tactics");
}

TEST_F(ExpanderTest, EveryCheckKnowsWhoseProposalItTries) {
  const Services services = ServicesWith(nullptr, nullptr);
  const Problem problem = ProblemOf(2);
  Expander expander(services, problem, limits, io.get_executor());
  constexpr auto kLimit = std::chrono::seconds(20);
  static_cast<void>(Await(io, expander.TraceProof("dec", role::kAgent, 0, kLimit)));
  const syntax::Proof proof{.tactics = "dec", .auxiliary = ""};
  static_cast<void>(Await(io, expander.JudgeProof(proof, kLimit)));
  EXPECT_TRUE(Await(io, expander.Confirm("dec\ndec\nzero", role::kTactics)));
  EXPECT_EQ(watched.Summary(), "1 agent, 1 prover, 1 tactics");
}

TEST_F(ExpanderTest, SearchesOfTheLibraryRunLastWithFewHeartbeats) {
  const Services services = ServicesWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  Expander expander(services, problem, limits, io.get_executor());
  std::vector<policy::Candidate> tactics(3);
  tactics[0].tactic = "rw?";
  tactics[1].tactic = "dec";
  tactics[2].tactic = "rename_i x\napply?";
  const auto tried = Await(io, expander.TryTactics("", tactics, std::chrono::seconds(2)));
  ASSERT_TRUE(tried);
  ASSERT_EQ(watched.texts.size(), 3U);
  EXPECT_THAT(watched.texts[0], HasSubstr("set_option maxHeartbeats 1000000\n"));
  EXPECT_THAT(watched.texts[0], Not(HasSubstr("rw?")));
  EXPECT_THAT(watched.texts[1], HasSubstr("set_option maxHeartbeats 10000\n"));
  EXPECT_THAT(watched.texts[1], HasSubstr("rw?"));
  EXPECT_THAT(watched.texts[2], HasSubstr("apply?"));
  EXPECT_EQ((*tried)[0].outcome, lean::ProbeResult::Outcome::kFailed);
  EXPECT_EQ((*tried)[1].outcome, lean::ProbeResult::Outcome::kOpen);
  EXPECT_EQ(expander.result().samples, 3U);
}

TEST_F(ExpanderTest, ATacticThatKillsLeanIsTriedOnce) {
  const Services services = ServicesWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  std::vector<policy::Candidate> tactics(2);
  tactics[0].tactic = "crash";
  tactics[1].tactic = "dec";
  for (int search = 0; search < 2; ++search) {
    Expander expander(services, problem, limits, io.get_executor());
    const auto tried = Await(io, expander.TryTactics("", tactics, std::chrono::seconds(20)));
    ASSERT_TRUE(tried);
    EXPECT_EQ((*tried)[0].outcome, lean::ProbeResult::Outcome::kFailed);
    EXPECT_EQ((*tried)[1].outcome, lean::ProbeResult::Outcome::kOpen);
    EXPECT_EQ(pool->stats().crashes, 2U);
  }
}

TEST_F(ExpanderTest, TheLibraryIsNotSearchedForWhatIsProved) {
  const Services services = ServicesWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  Expander expander(services, problem, limits, io.get_executor());
  std::vector<policy::Candidate> tactics(2);
  tactics[0].tactic = "exact?";
  tactics[1].tactic = "zero";
  const auto tried = Await(io, expander.TryTactics("dec", tactics, std::chrono::seconds(2)));
  ASSERT_TRUE(tried);
  EXPECT_EQ((*tried)[1].outcome, lean::ProbeResult::Outcome::kClosed);
  EXPECT_EQ((*tried)[0].outcome, lean::ProbeResult::Outcome::kUnknown);
  EXPECT_EQ(watched.texts.size(), 1U);
}

TEST_F(ExpanderTest, AutomationIsNoModels) {
  ASSERT_TRUE(Await(io, Automation(ServicesWith(nullptr, nullptr), ProblemOf(1), 1, limits)));
  ASSERT_FALSE(watched.seen.empty());
  for (const auto& roles : watched.seen) {
    EXPECT_THAT(roles, ::testing::Each(std::string(role::kBuiltin)));
  }
}

TEST_F(ExpanderTest, ConfirmationOutlivesItsPartOfTheTime) {
  const Services services = ServicesWith(nullptr, nullptr);
  const Problem problem = ProblemOf(1);
  const auto confirm_until = [&](core::Cancellation& end, const Limits& given) {
    core::testing::RunUntil(io, [&] { return pool->busy() == 0; });
    Expander expander(services, problem, given, io.get_executor());
    Started<bool> confirmed(io, expander.Confirm("dec\nzero", role::kBuiltin));
    core::testing::RunUntil(io, [&] { return pool->busy() > 0; });
    end.Request();
    return confirmed.Get();
  };
  core::Cancellation all_time, time, part_of_it;
  limits.cancellation = &all_time;
  Limits part = limits;
  part.cancellation = &time;
  EXPECT_FALSE(confirm_until(time, part));
  part.cancellation = &part_of_it;
  part.whole = &limits;
  EXPECT_TRUE(confirm_until(part_of_it, part));
  part.cancellation = nullptr;
  EXPECT_FALSE(confirm_until(all_time, part));
}

TEST(LimitsTest, FieldsOfAnEventAreMadeOnlyIfItIsRecorded) {
  testing::MemoryJournal journal;
  size_t made = 0;
  const auto append = [&](const Limits& limits) {
    limits.Append("kind", [&] { return nlohmann::json{{"number", ++made}}; });
  };
  Limits limits;
  append(limits);
  limits.journal = &journal;
  limits.silent = true;
  append(limits);
  EXPECT_EQ(made, 0U);
  limits.silent = false;
  append(limits);
  EXPECT_EQ(journal.Dump(), "kind {\"number\":1}\n");
}

}  // namespace
}  // namespace zermelo::strategy
