#include "strategy/sketch/sketch.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "llm/testing/fake_model.h"
#include "strategy/registry.h"
#include "strategy/roles.h"
#include "strategy/sketch/blueprint.h"
#include "strategy/sketch/draft.h"
#include "strategy/testing/game_fixture.h"
#include "strategy/testing/scripted_policies.h"
#include "syntax/declarations.h"

namespace zermelo::strategy {
namespace {

using llm::testing::FakeModel;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Status = StatementAnswer::Status;

/// A sketch of a theorem with lemmas `{name, number}`.
std::string SketchCode(int number, const std::vector<std::pair<std::string, int>>& lemmas,
                       const std::string& name = "game") {
  std::string code, use = "skip";
  for (const auto& [lemma, its] : lemmas) {
    code += fmt::format("theorem {} : {} := by\n  sorry\n\n", lemma, its);
    use += " " + lemma;
  }
  return fmt::format("```lean4\n{}theorem {} : {} := by\n  {}\n  close {}\n```\n", code, name,
                     number, use, number);
}

class SketchTest : public testing::GameTest {
 protected:
  static std::string Marks(int value, const std::string& veto = "") {
    return fmt::format(R"({{"veto": "{}", "alignment": 9, "value": {}, "reason": "plain"}})", veto,
                       value);
  }

  /// Recognises the request by its prompt; sketches come from `sketcher`.
  core::Result<llm::Reply> Answer(const llm::Request& request) {
    const std::string prompt = std::get<std::vector<llm::Message>>(request.prompt).back().content;
    std::string text = "Take away what there is.";
    if (prompt.find("Is it true exactly") != std::string::npos) text = judge(prompt);
    if (prompt.find("Give two marks") != std::string::npos) text = marks(prompt);
    if (prompt.find("Write a sketch in one") != std::string::npos) {
      sketch_prompts.push_back(prompt);
      text = sketcher(prompt);
    }
    return llm::testing::Answer({text});
  }

  static ProvedLemma OtherLemma() {
    return {.name = "other",
            .key = DeclarationKey("theorem", ": 6"),
            .head = "theorem other : 6",
            .value = " := by\n  close 6",
            .by = "agent 0.0",
            .uses = {}};
  }

  core::Task<core::Result<StatementAnswer>> Prove(StatementTask task) {
    const int number = std::stoi(task.theorem.signature.substr(3));
    asked.push_back(task.theorem.name);
    known_to_agent = task.known->Text();
    if (asked.back() == proves_on_the_way) task.known->Add(OtherLemma());
    most_at_once = std::max(most_at_once, ++at_once);
    core::Signal never(io.get_executor());
    co_await never.Wait(core::Deadline::After(std::chrono::milliseconds(5)));
    --at_once;
    StatementAnswer answer;
    answer.spending.calls = 2;
    answer.spending.prompt_tokens = 100;
    answer.lemma.by = "agent 0.0";
    answer.reason = "it is too large";
    answer.spent = number == spent_at;
    if (number == 7) {
      answer.status = Status::kDisproved;
      answer.lemma.head = task.negation;
      answer.lemma.value = " := by\n  close 7";
    } else if (number <= 5) {
      answer.status = Status::kProved;
      answer.lemma.head = task.theorem.head;
      answer.lemma.value = fmt::format(" := by\n  close {}", number);
    }
    co_return answer;
  }

  core::Result<SearchResult> Run() {
    model = std::make_unique<FakeModel>(
        io.get_executor(), "fake",
        [this](const llm::Request& request, size_t) { return Answer(request); });
    testing::OneModel roles(*model);
    Services services{.checker = watched};
    services.roles = &roles;
    limits.journal = &journal;
    Problem problem = ProblemOf(10);
    problem.context.theorem = syntax::TheoremOf("theorem game : 10");
    SketchProvers provers;
    provers.agent = [this](StatementTask task, const Limits&) { return Prove(std::move(task)); };
    return core::testing::Await(io, Sketch(services, problem, parameters, provers, limits));
  }

  /// The last event of every lemma, by name.
  std::map<std::string, nlohmann::json> Blueprint() const {
    std::map<std::string, nlohmann::json> lemmas;
    for (const auto& fields : journal.Of("blueprint")) lemmas[fields["name"]] = fields;
    return lemmas;
  }

  SketchParameters parameters;
  testing::MemoryJournal journal;
  std::unique_ptr<FakeModel> model;
  std::function<std::string(const std::string&)> sketcher,
      judge = [](const auto&) { return R"({"correct": true, "reason": "plain"})"; },
      marks = [](const auto&) { return Marks(8); };
  std::vector<std::string> asked, sketch_prompts;
  std::string known_to_agent;     // at its last task
  std::string proves_on_the_way;  // then, `other` is proved, too
  int at_once = 0, most_at_once = 0, spent_at = -1;
};

TEST_F(SketchTest, LemmasAreProvedAndTheTheoremFollows) {
  sketcher = [](const auto&) { return SketchCode(10, {{"a", 3}, {"b", 4}, {"c", 2}}); };
  const auto result = Run();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->proof, "skip game_a game_b game_c\nclose 10");
  EXPECT_THAT(result->auxiliary, HasSubstr("theorem game_b : 4 := by\n  close 4"));
  const auto lemmas = Blueprint();
  EXPECT_EQ(lemmas.at("game")["status"], "proved");
  EXPECT_EQ(lemmas.at("game")["depends"].size(), 3U);
  EXPECT_EQ(lemmas.at("a")["status"], "proved");
  EXPECT_EQ(lemmas.at("a")["by"], "agent 0.0");
  EXPECT_EQ(watched.Summary(), "2 sketcher") << "the sketch, and the whole";
  EXPECT_EQ(lemmas.at("a")["tokens"], 100);
  const auto sketches = journal.Of("sketched");
  ASSERT_EQ(sketches.size(), 1U);
  EXPECT_EQ(sketches[0]["reward"], 1);
  EXPECT_DOUBLE_EQ(sketches[0]["quality"], 0.84) << "(0.4 * 9 + 0.6 * 8) / 10";
  EXPECT_EQ(sketches[0]["structure"], 1);
  EXPECT_EQ(sketches[0]["rubric"]["value"], 8);
  EXPECT_EQ(most_at_once, 3) << "concurrently";
}

TEST_F(SketchTest, DisprovedLemmaRefinesTheSketchAndProvedLemmasAreKept) {
  sketcher = [](const std::string& prompt) {
    if (prompt.find("`b` is false. Lean accepts this") != std::string::npos) {
      EXPECT_THAT(prompt, HasSubstr("¬ (7)"));
      return SketchCode(10, {{"a", 3}, {"d", 4}});
    }
    return SketchCode(10, {{"a", 3}, {"b", 7}});
  };
  parameters.lemmas = 1;  // so that `a` is proved before `b` is disproved
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  const auto lemmas = Blueprint();
  EXPECT_EQ(lemmas.at("b")["status"], "false");
  EXPECT_THAT(lemmas.at("b")["proof"].get<std::string>(), HasSubstr("theorem b_is_false : ¬ (7)"));
  EXPECT_THAT(asked, ElementsAre("a", "b", "d"));
  EXPECT_EQ(result->auxiliary.find("b_is_false"), std::string::npos);
}

TEST_F(SketchTest, LemmaJudgedFalseIsNotSentToTheAgent) {
  sketcher = [](const std::string& prompt) {
    const bool again = prompt.find("`b` was judged to be false: try 0") != std::string::npos;
    return SketchCode(10, {{"a", 3}, again ? std::pair("d", 4) : std::pair("b", 7)});
  };
  judge = [](const std::string& prompt) {
    return prompt.find(": 7") == std::string::npos ? R"({"correct": true, "reason": ""})"
                                                   : R"({"correct": false, "reason": "try 0"})";
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(asked, ElementsAre("a", "d"));
  const auto sketches = journal.Of("sketched");
  EXPECT_EQ(sketches.at(0)["quality"], -1);
  EXPECT_EQ(sketches.at(0)["reward"], -1);
  EXPECT_EQ(sketches.at(0)["lemmas"][1]["invalid"], true);
}

TEST_F(SketchTest, ASketchWhoseTheoremATacticLeavesOpenDoesNotHold) {
  sketcher = [](const std::string& prompt) {
    std::string code = SketchCode(10, {{"a", 3}, {"b", 4}, {"c", 2}});
    if (prompt.find("Lean rejects the sketch") != std::string::npos) return code;
    return code.replace(code.find("close 10"), 8, "apply?");
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  const auto sketches = journal.Of("sketched");
  ASSERT_EQ(sketches.size(), 2U);
  EXPECT_EQ(sketches[0]["structure"], -1);
  EXPECT_EQ(sketches[0]["reward"], -1);
}

TEST_F(SketchTest, ASketchOfTooFewLemmasIsNotJudged) {
  FakeModel sketches(io.get_executor(), "fake", [](const llm::Request&, size_t) {
    return llm::testing::Answer({SketchCode(10, {{"a", 3}, {"b", 4}})});
  });
  testing::OneModel roles(sketches);
  Services services{.checker = watched};
  services.roles = &roles;
  const auto prompts = llm::PromptTemplates::Load(ZERMELO_SOURCE_DIR "/prompts/sketch").value();
  Session session(services, limits, io.get_executor(), &prompts);
  const std::string header;
  const LemmaStore known;
  sketch::Drafter drafter(session, header, known, parameters);
  syntax::Theorem theorem = syntax::TheoremOf("theorem game : 10");
  const sketch::Draft draft = core::testing::Await(
      io, drafter.Make({.target = TargetOf(theorem), .words = "so", .min_lemmas = 3}));
  EXPECT_EQ(draft.Reward(), -1);
  EXPECT_THAT(draft.problem, HasSubstr("fewer than 3 lemmas"));
  EXPECT_EQ(sketches.requests.size(), 1U);
  EXPECT_EQ(watched.Summary(), "");
}

TEST_F(SketchTest, HardLemmasAreDecomposedDownToTheDepth) {
  sketcher = [](const std::string& prompt) {
    const auto of = [&](const char* theorem) { return prompt.find(theorem) != std::string::npos; };
    if (of("theorem one : 20")) return SketchCode(20, {{"two", 19}}, "one");
    if (of("theorem two : 19")) return SketchCode(19, {{"three", 18}}, "two");
    if (of("theorem three : 18")) return SketchCode(18, {{"four", 2}}, "three");
    return SketchCode(10, {{"one", 20}});
  };
  parameters.restarts = 0;
  parameters.refinements = 1;
  auto result = Run();
  ASSERT_TRUE(result && result->proof) << "four decompositions";
  const auto lemmas = Blueprint();
  EXPECT_EQ(lemmas.at("four")["depth"], 4);
  EXPECT_EQ(lemmas.at("one")["by"], "sketch");
  EXPECT_THAT(asked, ElementsAre("one", "two", "three", "four"));
  asked.clear();
  parameters.depth = 3;
  result = Run();
  ASSERT_TRUE(result && !result->proof);
  EXPECT_THAT(asked, ElementsAre("one", "two", "three"));
  EXPECT_EQ(Blueprint().at("three")["status"], "too_hard");
}

TEST_F(SketchTest, RestartHasTheProvedLemmasInItsContext) {
  sketcher = [](const std::string& prompt) {
    const bool knows = prompt.find("proved already and stand before it") != std::string::npos;
    EXPECT_EQ(knows, prompt.find("theorem a : 3") != std::string::npos);
    return knows ? SketchCode(10, {{"a", 3}, {"c", 4}}) : SketchCode(10, {{"a", 3}, {"hard", 20}});
  };
  parameters.depth = 1;
  parameters.refinements = 1;
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  const auto rounds = journal.Of("round_begun");
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds[1]["known"], 1);
  EXPECT_THAT(asked, ElementsAre("a", "hard", "c")) << "nothing is proved twice";
}

TEST_F(SketchTest, PlannedLemmaThatWasProvedUnderAnotherNameIsUsedUnderThatName) {
  proves_on_the_way = "hard";
  sketcher = [](const std::string& prompt) {
    const bool knows = prompt.find("theorem other : 6") != std::string::npos;
    return knows ? SketchCode(10, {{"b", 6}}) : SketchCode(10, {{"b", 6}, {"hard", 20}});
  };
  parameters.depth = 1;
  parameters.refinements = 1;
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(result->proof, "skip game_other\nclose 10");
  EXPECT_EQ(result->auxiliary, "theorem game_other : 6 := by\n  close 6\n");
  EXPECT_EQ(Blueprint().at("b")["proof"], "theorem b : 6 := by\n  close 6");
}

TEST_F(SketchTest, EqualStatementsAreOneLemma) {
  sketcher = [](const std::string& prompt) {
    if (prompt.find("theorem x : 20") != std::string::npos) return SketchCode(20, {{"p", 3}}, "x");
    if (prompt.find("theorem y : 21") != std::string::npos) return SketchCode(21, {{"q", 3}}, "y");
    return SketchCode(10, {{"x", 20}, {"y", 21}});
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(
      std::count(asked.begin(), asked.end(), "p") + std::count(asked.begin(), asked.end(), "q"), 1);
  EXPECT_EQ(Blueprint().size(), 4U);
}

TEST_F(SketchTest, InvalidSketchIsRequestedAgainWithTheReason) {
  const std::map<size_t, std::string> bad{
      {0, "I cannot."},
      {1, SketchCode(10, {{"a", 10}})},
      {2,
       "```lean4\ntheorem a : 3 := by\n  sorry\n\ntheorem game : 10 := "
       "by\n  skip a\n  close 9\n```"}};
  sketcher = [&](const std::string&) {
    const auto found = bad.find(sketch_prompts.size() - 1);
    return found == bad.end() ? SketchCode(10, {{"a", 3}}) : found->second;
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  ASSERT_EQ(sketch_prompts.size(), 4U);
  EXPECT_THAT(sketch_prompts[1], HasSubstr("no code block"));
  EXPECT_THAT(sketch_prompts[2], HasSubstr("`a` only says what is to be proved"));
  EXPECT_THAT(sketch_prompts[3], HasSubstr("10 is not 9"));
  EXPECT_EQ(journal.Of("sketched").at(0)["reward"], -1);
}

TEST_F(SketchTest, LemmasInProgressAreLimited) {
  parameters.lemmas = 2;
  sketcher = [](const auto&) {
    return SketchCode(10, {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}});
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(most_at_once, 2);
}

TEST_F(SketchTest, BestOfSeveralSketchesIsUsed) {
  parameters.width = 3;
  sketcher = [&](const std::string&) {
    const char* names[] = {"poor", "good", "fair"};
    const int number = static_cast<int>(sketch_prompts.size());
    return SketchCode(10, {{names[number - 1], number}});
  };
  marks = [](const std::string& prompt) {
    if (prompt.find("theorem good") != std::string::npos) return Marks(9);
    return Marks(prompt.find("theorem fair") != std::string::npos ? 7 : 5);
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_EQ(journal.Of("sketched").size(), 3U);
  EXPECT_THAT(asked, ElementsAre("good"));
}

TEST_F(SketchTest, SketchWithLowMarksIsSentBack) {
  parameters.min_quality = 0.7;
  sketcher = [&](const std::string&) {
    return SketchCode(10, {{sketch_prompts.size() == 1 ? "poor" : "good", 2}});
  };
  marks = [](const std::string& prompt) {
    return Marks(prompt.find("theorem poor") != std::string::npos ? 5 : 6);
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(sketch_prompts.at(1), HasSubstr("The sketch was given low marks: 0.66."));
  EXPECT_THAT(asked, ElementsAre("good"));
}

TEST_F(SketchTest, VetoedSketchIsSentBack) {
  sketcher = [&](const std::string&) {
    return SketchCode(10, {{sketch_prompts.size() == 1 ? "vain" : "good", 2}});
  };
  marks = [](const std::string& prompt) {
    const bool vain = prompt.find("theorem vain") != std::string::npos;
    return Marks(10, vain ? "PROOF_BY_DELEGATION" : "");
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(sketch_prompts.at(1),
              HasSubstr("The judge rejects the sketch (PROOF_BY_DELEGATION): plain"));
  EXPECT_EQ(journal.Of("sketched").at(0)["quality"], -1);
  EXPECT_THAT(asked, ElementsAre("good"));
}

TEST_F(SketchTest, JudgeThatSaysNothingDoesNotPass) {
  sketcher = [](const auto&) { return SketchCode(10, {{"a", 3}}); };
  parameters.refinements = 2;
  parameters.restarts = 0;
  judge = [](const auto&) { return "Who knows?"; };
  auto result = Run();
  ASSERT_TRUE(result && !result->proof);
  EXPECT_THAT(sketch_prompts.at(1), HasSubstr("`a` was judged to be false: the judge gave no"));
  EXPECT_EQ(journal.Of("sketched").at(0)["quality"], -1);
  judge = [](const auto&) { return R"({"correct": true, "reason": ""})"; };
  marks = [](const auto&) { return "Fine."; };
  sketch_prompts.clear();
  result = Run();
  ASSERT_TRUE(result && !result->proof);
  EXPECT_THAT(sketch_prompts.at(1), HasSubstr("The judge gave no marks."));
  EXPECT_THAT(asked, ElementsAre());
}

TEST_F(SketchTest, UnusedLemmaCostsMarksAndIsNotProved) {
  sketcher = [](const auto&) {
    return "```lean4\ntheorem a : 3 := by\n  sorry\n\ntheorem b : 4 := by\n  sorry\n\n"
           "theorem game : 10 := by\n  skip a\n  close 10\n```";
  };
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(asked, ElementsAre("a"));
  EXPECT_DOUBLE_EQ(journal.Of("sketched").at(0)["quality"], 0.42);
}

TEST_F(SketchTest, UnusedLemmaThatIsFalseRejectsTheSketch) {  // section 3.3: "any lemma"
  sketcher = [&](const std::string&) {
    return fmt::format(
        "```lean4\ntheorem a : 3 := by\n  sorry\n\ntheorem b : {} := by\n  sorry\n\n"
        "theorem game : 10 := by\n  skip a\n  close 10\n```",
        sketch_prompts.size() == 1 ? 7 : 4);
  };
  judge = [](const std::string& prompt) {
    return prompt.find(": 7") == std::string::npos ? R"({"correct": true, "reason": ""})"
                                                   : R"({"correct": false, "reason": "try 0"})";
  };
  const auto outcome = Run();
  ASSERT_TRUE(outcome && outcome->proof);
  EXPECT_THAT(sketch_prompts.at(1), HasSubstr("`b` was judged to be false: try 0"));
  const auto sketches = journal.Of("sketched");
  EXPECT_EQ(sketches.at(0)["quality"], -1);
  EXPECT_EQ(sketches.at(0)["unused"][0]["invalid"], true);
  EXPECT_THAT(asked, ElementsAre("a")) << "`b` is judged, not proved";
}

TEST_F(SketchTest, JudgeOfASketchSeesWhatIsProvedAlready) {
  parameters.depth = 1;
  parameters.refinements = 1;
  sketcher = [](const std::string& prompt) {
    const bool knows = prompt.find("proved already and stand before it") != std::string::npos;
    return knows ? SketchCode(10, {{"a", 3}, {"c", 4}}) : SketchCode(10, {{"a", 3}, {"hard", 20}});
  };
  std::vector<std::string> marked, judged;
  marks = [&](const std::string& prompt) {
    marked.push_back(prompt);
    return Marks(8);
  };
  judge = [&](const std::string& prompt) {
    judged.push_back(prompt);
    return R"({"correct": true, "reason": "plain"})";
  };
  const auto outcome = Run();
  ASSERT_TRUE(outcome && outcome->proof);
  EXPECT_THAT(judged, Each(Not(HasSubstr("close 3")))) << "the judge of a lemma sees definitions";
  ASSERT_EQ(marked.size(), 2U);
  EXPECT_THAT(marked[0], Not(HasSubstr("proved already")));
  EXPECT_THAT(marked[1], HasSubstr("These lemmas are proved already and stand before it:\n\n"
                                   "```lean4\ntheorem a : 3"))
      << "the sketch after the restart uses `a` but does not contain it";
}

TEST_F(SketchTest, DefinitionsOfASketchStandBeforeItsLemmasAndTheProof) {
  sketcher = [](const auto&) {
    return "```lean4\ndef two : Nat := 2\n\ntheorem a : 3 := by\n  sorry\n\n"
           "theorem game : 10 := by\n  skip two a\n  close 10\n```";
  };
  const auto outcome = Run();
  ASSERT_TRUE(outcome && outcome->proof);
  EXPECT_THAT(known_to_agent, HasSubstr("def two : Nat := 2"));
  EXPECT_THAT(outcome->auxiliary, HasSubstr(": Nat := 2"));
}

TEST_F(SketchTest, RefiningShowsTheEarlierSketch) {
  sketcher = [&](const std::string&) {
    return SketchCode(10, {{sketch_prompts.size() == 1 ? "first" : "second",
                            sketch_prompts.size() == 1 ? 20 : 2}});
  };
  parameters.depth = 1;
  const auto result = Run();
  ASSERT_TRUE(result && result->proof);
  EXPECT_THAT(sketch_prompts.at(0), Not(HasSubstr("theorem first")));
  EXPECT_THAT(sketch_prompts.at(1), HasSubstr("theorem first : 20 := by\n  sorry"));
  EXPECT_THAT(sketch_prompts.at(1), HasSubstr("it is too large"));
}

/// Counts the requests of each role by what they ask for.
class CountingRoles : public Roles {
 public:
  CountingRoles(const core::Executor& executor, std::function<std::string(const std::string&)> say)
      : executor_(executor), say_(std::move(say)) {}
  llm::Model* chat(std::string_view role) override {
    auto& model = models_[std::string(role)];
    if (model) return model.get();
    model = std::make_unique<FakeModel>(
        executor_, std::string(role),
        [this, role = std::string(role)](const llm::Request& request, size_t) {
          const std::string prompt =
              std::get<std::vector<llm::Message>>(request.prompt).back().content;
          for (const char* kind : {"as a sequence of lemmas", "Write a sketch in one",
                                   "Is it true exactly", "Give two marks"}) {
            if (prompt.find(kind) != std::string::npos) asked.insert(role + ": " + kind);
          }
          return llm::testing::Answer({say_(prompt)});
        });
    return model.get();
  }
  policy::CompletionPolicy* prover(std::string_view) override { return nullptr; }
  std::set<std::string> asked;

 private:
  const core::Executor executor_;
  const std::function<std::string(const std::string&)> say_;
  std::map<std::string, std::unique_ptr<FakeModel>> models_;
};

TEST_F(SketchTest, EachRoleIsAskedForItsPartAndTheAgentHasThreeTimesThreeRounds) {
  CountingRoles roles(io.get_executor(), [](const std::string& prompt) -> std::string {
    if (prompt.find("Is it true exactly") != std::string::npos) return R"({"correct": true})";
    if (prompt.find("Give two marks") != std::string::npos) return Marks(9);
    if (prompt.find("Write a sketch in one") == std::string::npos) return "I have no idea.";
    return SketchCode(10, {{"hard", 20}});
  });
  Services services{.checker = *pool};
  services.roles = &roles;
  limits.journal = &journal;
  Problem problem = ProblemOf(10);
  problem.context.theorem = syntax::TheoremOf("theorem game : 10");
  StrategyParameters all;
  all.strategy = "sketch";
  ASSERT_TRUE(SetFromText(all, "sketch", "paper"));
  ASSERT_TRUE(SetFromText(all, "sketch.depth", "1"));
  ASSERT_TRUE(SetFromText(all, "sketch.refinements", "1"));
  ASSERT_TRUE(SetFromText(all, "sketch.restarts", "0"));
  const Job job{services, problem, all, core::Duration::zero()};
  const auto result = core::testing::Await(io, strategy::Prove(job, limits));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(roles.asked,
              ElementsAre("informal: as a sequence of lemmas", "judge: Give two marks",
                          "judge: Is it true exactly", "sketcher: Write a sketch in one"));
  std::set<std::string> rounds;
  for (const auto& round : journal.Of("round_begun")) {
    if (round["task"] == "hard") rounds.insert(round["by"]);
  }
  EXPECT_THAT(rounds, ElementsAre("hard 0.0", "hard 0.1", "hard 0.2", "hard 1.0", "hard 1.1",
                                  "hard 1.2", "hard 2.0", "hard 2.1", "hard 2.2"));
}

TEST(SketchParametersTest, DefaultsArePinned) {
  const nlohmann::json defaults = {
      {"depth", 4},           {"restarts", 1},      {"width", 1},        {"refinements", 4},
      {"lemmas", 4},          {"trajectories", 3},  {"rounds", 3},       {"judge", true},
      {"rubric", true},       {"min_quality", 0.0}, {"free_share", 1.0}, {"free_seconds", 5.0},
      {"check_seconds", 60.0}};
  EXPECT_EQ(nlohmann::json(SketchParameters()), defaults);
}

TEST(SketchParametersTest, WhatIsOutOfRangeIsAnError) {
  const auto is_valid = [](auto member, auto value) {
    SketchParameters p;
    p.*member = value;
    return Check(p).has_value();
  };
  for (const double limit : {-1.0, 1.0})
    EXPECT_TRUE(is_valid(&SketchParameters::min_quality, limit));
  for (const double share : {0.0, 1.0}) EXPECT_TRUE(is_valid(&SketchParameters::free_share, share));
  for (const double wrong : {-1.1, 1.1, std::nan("")}) {
    EXPECT_FALSE(is_valid(&SketchParameters::min_quality, wrong));
    EXPECT_FALSE(is_valid(&SketchParameters::free_share, wrong));
  }
  for (auto seconds : {&SketchParameters::check_seconds, &SketchParameters::free_seconds}) {
    EXPECT_FALSE(is_valid(seconds, 0.0));
  }
  for (auto count :
       {&SketchParameters::depth, &SketchParameters::width, &SketchParameters::refinements,
        &SketchParameters::lemmas, &SketchParameters::trajectories, &SketchParameters::rounds}) {
    EXPECT_FALSE(is_valid(count, size_t{0}));
  }
}

TEST_F(SketchTest, UsedUpBudgetLeavesTheProvedLemmas) {
  spent_at = 20;
  parameters.lemmas = 1;
  sketcher = [](const auto&) { return SketchCode(10, {{"a", 3}, {"hard", 20}}); };
  const auto result = Run();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->proof);
  EXPECT_EQ(result->reason, "budget");
  ASSERT_EQ(result->lemmas.size(), 1U);
  EXPECT_EQ(result->lemmas[0].Text(), "theorem a : 3 := by\n  close 3");
  EXPECT_EQ(Blueprint().at("hard")["status"], "open");
  EXPECT_THAT(Blueprint().at("hard")["reason"], "it is too large");
}

TEST_F(SketchTest, LemmaDoesNotWaitForItself) {
  limits.journal = nullptr;
  sketch::Blueprint blueprint(limits);
  for (const char* name : {"a", "b", "c"}) {
    sketch::Lemma lemma;
    lemma.name = lemma.key = name;
    lemma.status = sketch::LemmaStatus::kProving;
    blueprint.Add(std::move(lemma));
  }
  blueprint.Update(0, [](sketch::Lemma& lemma) { lemma.depends = {1}; });
  blueprint.Update(1, [](sketch::Lemma& lemma) { lemma.depends = {2}; });
  EXPECT_TRUE(blueprint.WaitsFor(0, {2}));
  EXPECT_FALSE(blueprint.WaitsFor(2, {0, 1}));
  blueprint.Update(1, [](sketch::Lemma& lemma) { lemma.status = sketch::LemmaStatus::kProved; });
  EXPECT_FALSE(blueprint.WaitsFor(0, {2})) << "a proved lemma waits for nothing";
}

}  // namespace
}  // namespace zermelo::strategy
