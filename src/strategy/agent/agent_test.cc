#include "strategy/agent/agent.h"

#include "llm/testing/fake_model.h"
#include "llm/usage.h"
#include "retrieve/retriever.h"
#include "strategy/roles.h"
#include "strategy/testing/game_fixture.h"
#include "strategy/testing/scripted_policies.h"

namespace zermelo::strategy {
namespace {

using llm::testing::FakeModel;
using ::testing::HasSubstr;
using ::testing::Not;

/// A reply with these tool calls: (tool, code).
llm::Reply Calls(const std::vector<std::pair<std::string, std::string>>& calls) {
  llm::Reply reply = llm::testing::Answer({""});
  for (const auto& [tool, code] : calls) {
    llm::ToolCall call;
    call.id = "c" + std::to_string(reply.completions[0].tool_calls.size());
    call.name = tool;
    call.arguments = nlohmann::json{{"code", code}}.dump();
    reply.completions[0].tool_calls.push_back(call);
  }
  return reply;
}
llm::Reply Verify(const std::string& code) { return Calls({{"verify_lean", code}}); }
llm::Reply Words(const std::string& text) { return llm::testing::Answer({text}); }

const std::string kRight = "theorem game : 5 := by\n  sub 5\n  zero";
const std::string kWrong = "theorem game : 5 := by\n  sub 2\n  zero";
const std::string kLemma = "theorem three : 3 := by\n  close 3";

std::string TextOf(const llm::Request& request) {
  std::string text;
  for (const auto& message : std::get<std::vector<llm::Message>>(request.prompt)) {
    text += message.role + ": " + message.content + "\n";
  }
  return text;
}

class AgentTest : public testing::GameTest {
 protected:
  using Answers = std::function<core::Result<llm::Reply>(const llm::Request&, size_t call)>;

  Problem Five() {
    Problem problem = ProblemOf(5);
    problem.context.theorem = syntax::TheoremOf("theorem game : 5");
    return problem;
  }

  core::Result<SearchResult> Run(Answers answers) {
    model = std::make_unique<FakeModel>(io.get_executor(), "fake", std::move(answers));
    testing::OneModel roles(*model);
    Services services{.checker = watched};
    services.roles = &roles;
    services.premises = premises;
    limits.journal = &journal;
    const Problem problem = Five();
    return core::testing::Await(io, Agent(services, problem, parameters, limits));
  }

  /// Proves the statement or its negation, with the known lemmas.
  core::Result<StatementAnswer> Prove(StatementTask task, Answers answers) {
    model = std::make_unique<FakeModel>(io.get_executor(), "fake", std::move(answers));
    testing::OneModel roles(*model);
    Services services{.checker = watched};
    services.roles = &roles;
    const auto prompts = llm::PromptTemplates::Load(ZERMELO_SOURCE_DIR "/prompts/agent");
    task.theorem = Five().context.theorem;
    task.known = &known;
    const auto prover = MakeAgentProver(services, parameters, prompts.value());
    return core::testing::Await(io, prover(std::move(task), limits));
  }

  AgentParameters parameters;
  testing::MemoryJournal journal;
  LemmaStore known;
  std::unique_ptr<FakeModel> model;
  retrieve::Retriever* premises = nullptr;
};

TEST_F(AgentTest, ErrorsAreReturnedToTheModelAndAcceptedLemmasAreKept) {
  const auto result = Run([](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
    if (call == 0) return Verify(kWrong);
    const std::string last = std::get<std::vector<llm::Message>>(request.prompt).back().content;
    if (call == 1) {
      EXPECT_THAT(last, HasSubstr("3 is not 0"));
      EXPECT_THAT(last, HasSubstr("error at line 3, column 1:\n    zero"));
      return Verify(kLemma);
    }
    EXPECT_THAT(last, HasSubstr("Lean accepts `three`"));
    return Verify(kRight);
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->proof, "sub 5\nzero");
  EXPECT_EQ(result->auxiliary, "") << "a lemma that is not needed is left out";
  EXPECT_EQ(model->requests.size(), 3U);
  EXPECT_EQ(journal.Of("message").size(), 2U + 6);
  EXPECT_EQ(journal.Of("lemma_proved").at(0)["name"], "three");
  EXPECT_EQ(watched.Summary(), "4 agent") << "its calls, and the proof in the file";
}

TEST_F(AgentTest, LemmaThatTheProofNeedsIsIncluded) {
  const auto result = Run([](const llm::Request&, size_t call) -> core::Result<llm::Reply> {
    if (call == 0) return Verify(kLemma);
    return Verify("theorem game : 5 := by\n  skip three\n  close 5");
  });
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(result->proof, "skip game_three\nclose 5");
  EXPECT_EQ(result->auxiliary, "theorem game_three : 3 := by\n  close 3\n");
}

TEST_F(AgentTest, WhatATacticLeavesOpenIsNeitherProvedNorKept) {
  const auto result = Run([](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
    const std::string open = "theorem helper : 3 := by\n  sorry\n\n";
    if (call == 0) return Verify(open + "theorem game : 5 := by\n  apply?");
    EXPECT_THAT(std::get<std::vector<llm::Message>>(request.prompt).back().content,
                HasSubstr("left open here with `sorry`, though the word is not there"));
    if (call == 1) return Verify(open + "theorem three : 3 := by\n  apply?");
    if (call == 2) return Verify("theorem three : 3 := by\n  apply?");
    return Verify(kRight);
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->proof, "sub 5\nzero");
  EXPECT_THAT(journal.Of("lemma_proved"), ::testing::IsEmpty());
}

TEST_F(AgentTest, TheWarningThatFindsSorryCannotBeSwitchedOff) {
  const auto result = Run([](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
    if (call == 0) return Verify("set_option warn.sorry false in\n" + kLemma);
    EXPECT_THAT(std::get<std::vector<llm::Message>>(request.prompt).back().content,
                HasSubstr("the option `warn.sorry` may not be set"));
    return Verify(kRight);
  });
  ASSERT_TRUE(result && result->proof);
}

TEST_F(AgentTest, SecondRoundStartsFromTheSummaryAndTheLemmas) {
  parameters.tool_calls = 2;
  const auto result = Run([](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
    if (call == 0)
      return Calls({{"verify_lean", kLemma}, {"verify_lean", kWrong}, {"verify_lean", kRight}});
    if (call == 1) {
      EXPECT_THAT(TextOf(request), HasSubstr("the calls of this trajectory are used up"));
      return Words("five minus five is zero");
    }
    const std::string text = TextOf(request);
    EXPECT_THAT(text, HasSubstr("five minus five is zero"));
    EXPECT_THAT(text, HasSubstr("theorem three : 3"));
    EXPECT_THAT(text, Not(HasSubstr("3 is not 0"))) << "the first conversation is over";
    return Verify(kRight);
  });
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(model->requests.size(), 3U);
  const auto rounds = journal.Of("round_begun");
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_FALSE(rounds[0].contains("notes"));
  EXPECT_EQ(rounds[1].at("notes"), "five minus five is zero");
}

/// A reply of a model that has read and written so many tokens.
llm::Reply Counted(llm::Reply reply, int64_t prompt, int64_t completion) {
  reply.usage.prompt_tokens = prompt;
  reply.usage.completion_tokens = completion;
  return reply;
}

TEST_F(AgentTest, RoundEndsWhenItsContextHoldsItsTokens) {
  parameters.tokens = 1000;
  parameters.rounds = 2;
  int64_t turns = 0;
  const auto result = Run([&](const llm::Request& request, size_t) -> core::Result<llm::Reply> {
    if (TextOf(request).find("Call no tool now") != std::string::npos) {
      turns = 0;
      return Counted(Words("nothing works"), 0, 0);
    }
    return Counted(Verify(kWrong), 300 * ++turns, 100);
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reason, "exhausted");
  EXPECT_EQ(journal.Of("round_begun").size(), 2U);
  EXPECT_EQ(model->requests.size(), 3U + 1 + 3) << "300 + 100, 600 + 100, 900 + 100; a summary";
}

TEST_F(AgentTest, AnswersFitIntoTheTokensThatAreLeft) {
  parameters.tokens = 1000;
  parameters.rounds = 2;
  int64_t turns = 0;
  const auto outcome = Run([&](const llm::Request& request, size_t) -> core::Result<llm::Reply> {
    if (TextOf(request).find("Call no tool now") != std::string::npos) {
      return Counted(Words("nothing works"), 0, 0);
    }
    return Counted(Verify(kWrong), 300 * ++turns, 100);
  });
  ASSERT_TRUE(outcome);
  const auto answer_of = [&](size_t request) {
    const auto& messages = std::get<std::vector<llm::Message>>(model->requests.at(request).prompt);
    return static_cast<int>(llm::EstimateTokens(messages.back().content));
  };
  const auto most = [&](size_t request) { return model->requests.at(request).sampling.max_tokens; };
  EXPECT_LT(most(0), 1000 - answer_of(0)) << "the prompt is estimated, all of its messages";
  EXPECT_EQ(most(1), 1000 - 400 - answer_of(1));
  EXPECT_EQ(most(2), 1000 - 700 - answer_of(2));
  EXPECT_EQ(most(3), std::nullopt) << "a summary may go beyond them";
}

TEST_F(AgentTest, ThinkingThatLeavesTheContextIsNotCounted) {
  parameters.tokens = 1000;
  parameters.rounds = 1;
  parameters.tool_calls = 6;
  const auto result = Run([&](const llm::Request&, size_t call) -> core::Result<llm::Reply> {
    return Counted(Verify(kWrong), 100 + 10 * static_cast<int64_t>(call), 500);
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(model->requests.size(), 6U) << "up to the limit of calls";
}

/// Finds one theorem with a long type.
class LongRetriever : public retrieve::Retriever {
 public:
  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery,
                                                                  core::Deadline) override {
    retrieve::Premise premise;
    premise.name = "long";
    premise.signature = std::string(4500, 'x');
    co_return std::vector<retrieve::Premise>(1, premise);
  }
};

TEST_F(AgentTest, AnswersOfToolsCountBeforeTheNextRequest) {
  LongRetriever retriever;
  premises = &retriever;
  parameters.tokens = 1500;
  parameters.rounds = 1;
  const auto result = Run([&](const llm::Request&, size_t) -> core::Result<llm::Reply> {
    llm::Reply reply = Calls({{"premise_search", ""}});
    reply.completions[0].tool_calls[0].arguments = R"({"query": "long"})";
    return Counted(std::move(reply), 100, 10);
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(model->requests.size(), 1U) << "110 tokens, and 1500 of the answer";
}

TEST_F(AgentTest, CuttingTheContextGivesNoTokensBack) {
  parameters.context = 1024;
  parameters.keep = 1;
  parameters.tokens = 2500;
  parameters.rounds = 1;
  int64_t after = 400;
  const auto result = Run([&](const llm::Request& request, size_t) -> core::Result<llm::Reply> {
    const std::string text = TextOf(request);
    if (text.find("Call no tool now") != std::string::npos) {
      return Counted(Words("SHORT"), 2000, 5);
    }
    if (text.find("SHORT") == std::string::npos) return Counted(Verify(kWrong), 2000, 5);
    return Counted(Verify(kWrong), after += 200, 5);
  });
  ASSERT_TRUE(result);
  // 2 turns and a summary at 2005 tokens; then 600, 800, 1000 and 1200 with 1405 cut out.
  EXPECT_EQ(model->requests.size(), 3U + 4);
}

TEST_F(AgentTest, HalfAFullContextIsPruned) {
  parameters.context = 1024;
  const auto cuts = [&](int64_t prompt) {
    bool left_out = false;
    journal.events.clear();
    const auto result =
        Run([&](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
          left_out = TextOf(request).find("(left out: attempts at") != std::string::npos;
          if (call == 0) return Counted(Verify("theorem three : 3 := by\n  zero"), prompt, 12);
          return Counted(Verify(call == 1 ? kLemma : kRight), prompt, 12);
        });
    EXPECT_TRUE(result && result->proof);
    const auto events = journal.Of("context_cut");
    EXPECT_EQ(left_out, !events.empty());
    return events.empty() ? std::string() : events.at(0)["how"].get<std::string>();
  };
  EXPECT_EQ(cuts(499), "");
  EXPECT_EQ(cuts(500), "pruned") << "500 + 12 are half of 1024";
  parameters.context = 0;
  EXPECT_EQ(cuts(100'000), "");
}

TEST_F(AgentTest, EarlierSearchesAreLeftOutOfAHalfFullContext) {
  LongRetriever retriever;
  premises = &retriever;
  parameters.context = 8192;
  parameters.keep = 1;
  std::vector<std::string> texts;
  const auto result =
      Run([&](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
        texts.push_back(TextOf(request));
        llm::Reply reply = call == 1 ? Verify(kLemma) : Verify(kRight);
        if (call == 0) {
          reply = Calls({{"premise_search", ""}});
          reply.completions[0].tool_calls[0].arguments = R"({"query": "long"})";
        }
        return Counted(std::move(reply), 5000, 12);
      });
  ASSERT_TRUE(result && result->proof);
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_THAT(texts[1], HasSubstr("xxxx")) << "the last exchange is kept";
  EXPECT_THAT(texts[2], Not(HasSubstr("xxxx")));
  EXPECT_THAT(texts[2], HasSubstr("(left out: an earlier search or computation)"));
}

TEST_F(AgentTest, TrajectoriesShareProvedLemmas) {
  parameters.trajectories = 2;
  bool told = false;
  const auto result =
      Run([&](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
        if (call == 0) return Verify(kLemma);
        const std::string text = TextOf(request);
        told = told || text.find("Meanwhile these were proved elsewhere") != std::string::npos;
        if (!told) return Calls({{"verify_lean", "#check Nat"}});
        return Verify(kRight);
      });
  ASSERT_TRUE(result && result->proof);
  EXPECT_TRUE(told);
}

TEST_F(AgentTest, IndependentTrajectoriesDoNotSeeEachOthersLemmas) {
  parameters.trajectories = 2;
  parameters.rounds = 1;
  parameters.tool_calls = 100'000;
  parameters.share_lemmas = false;
  bool refused = false;
  const auto result =
      Run([&](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
        const std::string text = TextOf(request);
        EXPECT_THAT(text, Not(HasSubstr("Meanwhile")));
        if (call == 0) return Verify(kLemma);
        if (text.find("Lean accepts `three`") != std::string::npos) {
          // Until the other one has been refused, what the memory answers without Lean.
          return Verify(refused ? "theorem game : 5 := by\n  skip three\n  close 5" : kLemma);
        }
        refused = refused || text.find("error at") != std::string::npos;
        return refused ? Words("It is too hard.") : Verify("theorem copy : 3 := by\n  exact three");
      });
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->proof);
  EXPECT_TRUE(refused);
  EXPECT_EQ(result->auxiliary, "theorem game_three : 3 := by\n  close 3\n");
}

TEST_F(AgentTest, LemmasOfAnIndependentTrajectoryGetFreeNames) {
  parameters.share_lemmas = false;
  const auto answer = Prove({}, [&](const llm::Request&, size_t call) -> core::Result<llm::Reply> {
    if (call == 0) return Verify(kLemma);
    ProvedLemma other;  // of another statement, proved meanwhile
    other.name = "three";
    other.key = DeclarationKey("theorem", ": 4");
    other.head = "theorem three : 4";
    other.value = " := by\n  close 4";
    known.Add(other);
    return Verify("theorem game : 5 := by\n  skip three\n  close 5");
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->lemma.Text(), "theorem game : 5 := by\n  skip three_2\n  close 5");
  ASSERT_EQ(known.all().size(), 2U);
  EXPECT_EQ(known.all()[1].Text(), "theorem three_2 : 3 := by\n  close 3");
}

TEST(AgentParametersTest, DefaultsArePinned) {
  const nlohmann::json defaults = {{"trajectories", 1},
                                   {"rounds", 8},
                                   {"share_lemmas", true},
                                   {"tokens", 65536},
                                   {"tool_calls", 28},
                                   {"context", 49152},
                                   {"keep", 6},
                                   {"backtrack_after", 10},
                                   {"protocol", "auto"},
                                   {"informal", false},
                                   {"check_seconds", 60.0},
                                   {"premises", 10},
                                   {"python_seconds", 20.0},
                                   {"python_megabytes", 512},
                                   {"answer_bytes", 6000}};
  EXPECT_EQ(nlohmann::json(AgentParameters()), defaults);
}

TEST_F(AgentTest, ToolsAreCalledInPlainTextIfTheServerRejectsThem) {
  const auto result = Run([](const llm::Request& request, size_t) -> core::Result<llm::Reply> {
    if (!request.tools.empty())
      return core::Fail(core::ErrorCode::kUsage, "tools are not supported");
    const std::string text = TextOf(request);
    EXPECT_THAT(text, HasSubstr("```verify_lean"));
    if (text.find("Result of call 1") == std::string::npos) {
      return Words("I try.\n```verify_lean\n" + kWrong + "\n```\n");
    }
    return Words("Now.\n```verify_lean\n" + kRight + "\n```\n");
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->proof);
  EXPECT_EQ(model->requests.size(), 3U) << "tools are offered only once";
}

TEST_F(AgentTest, CallWaitsForAnotherOfTheSameTurnThatItNeeds) {
  const auto result = Run([](const llm::Request&, size_t) -> core::Result<llm::Reply> {
    return Calls({{"verify_lean", kLemma},
                  {"verify_lean", "theorem game : 5 := by\n  skip three\n  close 5"}});
  });
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(model->requests.size(), 1U);
}

TEST_F(AgentTest, ForbiddenSubmissionsAreRejectedWithAReason) {
  std::vector<std::string> answers;
  parameters.rounds = 1;
  parameters.backtrack_after = 0;
  const std::vector<std::string> submissions{
      "theorem game : 4 := by\n  close 4",
      "axiom a : 3",
      "macro \"x\" : term => `(1)",
      "open Foo\ntheorem x : 3 := by\n  close 3",
      "theorem x : 3 := by (\n  close 3",
      "close 5",
      "theorem x : 3 := by\n  native_decide",
      "set_option debug.skipKernelTC true in\ntheorem x : 3 := by\n  cheat",
      "-- nothing"};
  const auto result =
      Run([&](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
        if (call > 0)
          answers.push_back(std::get<std::vector<llm::Message>>(request.prompt).back().content);
        if (call < submissions.size()) return Verify(submissions[call]);
        return Verify(kRight);
      });
  ASSERT_TRUE(result && result->proof);
  const std::vector<std::string> reasons{
      "the statement of `game` was changed. It is:\ntheorem game : 5",
      "`axiom` has no place here",
      "`macro` has no place here",
      "`open Foo in`",
      "left open",
      "whole declarations",
      "native_decide",
      "`debug.skipKernelTC` is not allowed",
      "there is no code"};
  ASSERT_EQ(answers.size(), reasons.size());
  for (size_t i = 0; i < reasons.size(); ++i) EXPECT_THAT(answers[i], HasSubstr(reasons[i]));
  EXPECT_EQ(pool->checks(), 2U) << "Lean does not check these";
}

TEST_F(AgentTest, KnownStatementIsNotProvedAgain) {
  parameters.rounds = 1;
  const auto result = Run([](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
    if (call == 0) return Verify(kLemma);
    if (call == 1) return Verify("lemma other :  3 := by -- once more\n  sub 3\n  zero");
    EXPECT_THAT(TextOf(request), HasSubstr("proved already, as `three`"));
    return Verify(kRight);
  });
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(pool->checks(), 3U);
}

/// Finds one theorem; records its queries.
class OnePremise : public retrieve::Retriever {
 public:
  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline) override {
    queries.push_back(query);
    if (query.text == "broken") co_return core::Fail(core::ErrorCode::kEnvironment, "no index");
    retrieve::Premise premise;
    premise.name = "Nat.add_comm";
    premise.kind = "theorem";
    premise.signature = "(n m : Nat) : n + m = m + n";
    std::vector<retrieve::Premise> found(query.text == "nothing" ? 0 : 1, premise);
    co_return found;
  }
  std::vector<retrieve::PremiseQuery> queries;
};

TEST_F(AgentTest, LibraryIsSearchedIfThereIsOne) {
  OnePremise library;
  premises = &library;
  std::vector<std::string> answers;
  const std::vector<std::string> queries{"addition commutes", "⊢ n + m = m + n", "nothing",
                                         "broken"};
  const auto result = Run([&](const llm::Request& request,
                              size_t call) -> core::Result<llm::Reply> {
    EXPECT_EQ(request.tools.size(), 2U);
    if (call > 0)
      answers.push_back(std::get<std::vector<llm::Message>>(request.prompt).back().content);
    if (call >= queries.size()) return Verify(kRight);
    llm::Reply reply = Calls({{"premise_search", ""}});
    reply.completions[0].tool_calls[0].arguments = nlohmann::json{{"query", queries[call]}}.dump();
    return reply;
  });
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(answers.at(0), "theorem Nat.add_comm (n m : Nat) : n + m = m + n\n");
  EXPECT_THAT(answers.at(2), HasSubstr("Nothing was found"));
  EXPECT_THAT(answers.at(3), HasSubstr("the search failed: no index"));
  EXPECT_FALSE(library.queries.at(0).formal);
  EXPECT_TRUE(library.queries.at(1).formal);
  EXPECT_THAT(library.queries.at(0).imports, ::testing::Optional(::testing::ElementsAre("Init")));
}

TEST_F(AgentTest, StatementMayBeDisproved) {
  StatementTask task;
  task.negation = "set_option autoImplicit false in\ntheorem game_is_false : ¬ (5)";
  const auto answer =
      Prove(task, [](const llm::Request& request, size_t) -> core::Result<llm::Reply> {
        EXPECT_THAT(TextOf(request), HasSubstr("or, if it is false:"));
        return Verify("theorem refutation : ¬ (5) := by\n  close 5");
      });
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, StatementAnswer::Status::kDisproved);
  EXPECT_EQ(answer->lemma.Text(),
            "set_option autoImplicit false in\ntheorem game_is_false : ¬ (5) := by\n  close 5");
  EXPECT_EQ(answer->lemma.by, "agent 0.0");
}

TEST_F(AgentTest, WithoutAProofItGivesAReason) {
  parameters.rounds = 1;
  parameters.tool_calls = 1;
  StatementTask task;
  task.informal = "Take away five.";
  task.notes = "Three does not work.";
  task.wants_reason = true;
  const auto answer =
      Prove(task, [](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
        if (call == 1) return Words("two and two are four");
        EXPECT_THAT(TextOf(request), HasSubstr("Take away five."));
        EXPECT_THAT(TextOf(request), HasSubstr("Three does not work."));
        return Verify(kWrong);
      });
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, StatementAnswer::Status::kOpen);
  EXPECT_EQ(answer->reason, "two and two are four");
  EXPECT_EQ(answer->spending.calls, 2);
}

TEST_F(AgentTest, FullContextIsSummarisedAndTheLastExchangesAreKept) {
  parameters.context = 1024;
  parameters.keep = 1;
  bool compacted = false;
  const auto result =
      Run([&](const llm::Request& request, size_t call) -> core::Result<llm::Reply> {
        const std::string text = TextOf(request);
        compacted = compacted || text.find("SHORT") != std::string::npos;
        llm::Reply reply = compacted ? Verify(kRight) : Verify(kWrong);
        if (text.find("Call no tool now") != std::string::npos) reply = Words("SHORT");
        reply.usage.prompt_tokens = call >= 2 && !compacted ? 2000 : 100;
        return reply;
      });
  ASSERT_TRUE(result && result->proof);
  EXPECT_TRUE(compacted);
  EXPECT_EQ(journal.Of("context_cut").back()["how"], "compacted");
  EXPECT_EQ(journal.Of("round_begun").size(), 1U) << "it is the same trajectory";
}

TEST_F(AgentTest, BacktracksAfterManyRejections) {
  parameters.backtrack_after = 3;
  const auto result = Run([&](const llm::Request& request, size_t) -> core::Result<llm::Reply> {
    const std::string text = TextOf(request);
    if (text.find("Take another way") == std::string::npos) return Verify(kWrong);
    EXPECT_THAT(text, Not(HasSubstr("tool: ")));
    return Verify(kRight);
  });
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(model->requests.size(), 4U);
  EXPECT_EQ(journal.Of("context_cut").at(0)["how"], "backtracked");
}

TEST_F(AgentTest, UsedUpBudgetEndsTheRunWithTheProvedLemmas) {
  const auto result = Run([](const llm::Request&, size_t call) -> core::Result<llm::Reply> {
    if (call == 0) return Verify(kLemma);
    return core::Fail(core::ErrorCode::kCancelled, "the budget of fake is used up");
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reason, "budget");
  ASSERT_EQ(result->lemmas.size(), 1U);
  EXPECT_EQ(result->lemmas[0].Text(), kLemma);
}

TEST_F(AgentTest, ModelThatNeverCallsAToolEndsItsRounds) {
  parameters.rounds = 2;
  const auto result = Run([](const llm::Request&, size_t) -> core::Result<llm::Reply> {
    return Words("Let me think.");
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reason, "exhausted");
  EXPECT_EQ(model->requests.size(), 2U + 1 + 2);
}

TEST_F(AgentTest, ConversationThatIsTooLongForTheServerEndsItsRound) {
  const auto result = Run([](const llm::Request& request, size_t) -> core::Result<llm::Reply> {
    const std::string text = TextOf(request);
    if (text.find("Call no tool now") != std::string::npos) return Words("shorter");
    if (text.find("shorter") != std::string::npos) return Verify(kRight);
    const size_t messages = std::get<std::vector<llm::Message>>(request.prompt).size();
    if (messages > 4) return core::Fail(core::ErrorCode::kRefused, "the prompt is too long");
    return Verify(kWrong);
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->proof);
  EXPECT_EQ(journal.Of("round_begun").size(), 2U);
}

TEST_F(AgentTest, ModelErrorIsReturned) {
  parameters.protocol = ToolProtocol::kNative;
  const auto result = Run([](const llm::Request&, size_t) -> core::Result<llm::Reply> {
    return core::Fail(core::ErrorCode::kUsage, "wrong key");
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "wrong key");
}

}  // namespace
}  // namespace zermelo::strategy
