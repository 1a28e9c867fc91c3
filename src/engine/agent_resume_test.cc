// Agents and sketches that are killed at any moment and resumed.
#include <boost/asio/this_coro.hpp>

#include "engine/testing/resume_fixture.h"
#include "strategy/agent/agent.h"
#include "strategy/sketch/sketch.h"
#include "strategy/testing/scripted_policies.h"

namespace zermelo::engine {
namespace {

using core::Result;
using core::Task;
using testing::Execute;
using testing::GameJob;
using ::testing::HasSubstr;
using testing::ResumeTest;

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

llm::ToolCall Call(const std::string& tool, const std::string& code, uint64_t number) {
  llm::ToolCall call;
  call.id = "call" + std::to_string(number);
  call.name = tool;
  call.arguments = nlohmann::json{{"code", code}}.dump();
  return call;
}

/// Chats: calls tools correctly and incorrectly, sketches, judges. Answers after up to two
/// milliseconds, and logs the key of each request before. The lemmas of a sketch are judged
/// concurrently: those answers take equally long, so that they arrive in the order of the requests.
class ChattingModel : public llm::Model {
 public:
  explicit ChattingModel(std::filesystem::path log) : log_(std::move(log)) {}
  const std::string& name() const override { return name_; }

  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext) override {
    const std::string key = core::HexHash64(record::DescribeCall(name_, "", request));
    std::ofstream(log_, std::ios::app) << key + "\n";
    const uint64_t draw = std::stoull(core::HexHash64(key), {}, 16);
    const auto& messages = std::get<std::vector<llm::Message>>(request.prompt);
    const uint64_t microseconds = Has(messages.back().content, kJudging) ? 1000 : draw % 2000;
    core::Signal never(co_await boost::asio::this_coro::executor);
    co_await never.Wait(core::Deadline::After(std::chrono::microseconds(microseconds)));
    co_return Answer(messages, draw);
  }

 private:
  static llm::Reply Answer(const std::vector<llm::Message>& messages, uint64_t draw) {
    const std::string& last = messages.back().content;
    llm::Reply reply = llm::testing::Answer({"in words"});
    llm::Completion& said = reply.completions.front();
    if (Has(last, kJudging)) said.text = R"({"correct": true, "reason": ""})";
    if (Has(last, "Give two marks")) {
      said.text = R"({"veto": "", "alignment": 9, "value": 9})";
    }
    if (Has(last, "Write a sketch in one")) said.text = Sketch(last);
    const bool is_agent = Has(messages.front().content, "working with tools");
    if (is_agent && !Has(last, "Call no tool now")) said.tool_calls = Calls(messages, draw);
    return reply;
  }
  static std::string Sketch(const std::string& prompt) {
    constexpr std::string_view kBegin = "```lean4\ntheorem p : 3 := by\n  sorry\n\ntheorem ";
    if (Has(prompt, "theorem q : 9")) {
      return std::string(kBegin) + "q : 9 := by\n  skip p\n  close 9\n```";
    }
    return std::string(kBegin) +
           "q : 9 := by\n  sorry\n\ntheorem game : 12 := by\n  skip p q\n  close 12\n```";
  }
  /// Later calls are more likely to be correct; 9 is never proved directly.
  static std::vector<llm::ToolCall> Calls(const std::vector<llm::Message>& messages,
                                          uint64_t draw) {
    std::string statement;
    for (const auto& message : messages) {
      const size_t at = message.content.find("Prove this:");
      if (at != std::string::npos) statement = message.content.substr(at);
    }
    const std::string name = Has(statement, "theorem game") ? "game"
                             : Has(statement, "theorem p")  ? "p"
                                                            : "q";
    const int number = name == "game" ? 5 : name == "p" ? 3 : 9;
    const auto theorem = [&](int taken) {
      return fmt::format("theorem {} : {} := by\n  sub {}\n  zero", name, number, taken);
    };
    std::vector<llm::ToolCall> calls;
    if (draw % 3 == 0) {  // the only call, so that the order of answers is always the same
      calls.push_back(Call("python", "print(42)", 0));
      return calls;
    }
    if (draw % 4 == 0) {
      calls.push_back(
          Call("verify_lean", fmt::format("theorem aux{} : 2 := by\n  close 2", draw % 64), 1));
    }
    const bool right = messages.size() + draw % 8 > 9 && name != "q";
    calls.push_back(Call("verify_lean", theorem(right ? number : 1), 2));
    return calls;
  }

  static constexpr std::string_view kJudging = "Is it true exactly";
  const std::string name_ = "chatting";
  const std::filesystem::path log_;
};

/// Gives each call its own seed, as Models does with --seed.
class SeededModel : public llm::Model {
 public:
  explicit SeededModel(llm::Model& inner) : inner_(inner) {}
  const std::string& name() const override { return inner_.name(); }
  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext context) override {
    request.sampling.seed = next_++;
    co_return co_await inner_.Generate(std::move(request), std::move(context));
  }

 private:
  llm::Model& inner_;
  uint64_t next_ = 0;
};

class QuickPython : public core::PythonRunner {
 public:
  Task<Result<core::PythonResult>> Run(core::PythonTask, core::Cancellation*) override {
    core::Signal never(co_await boost::asio::this_coro::executor);
    co_await never.Wait(core::Deadline::After(std::chrono::microseconds(500)));
    core::PythonResult result;
    result.out = "42\n";
    co_return result;
  }
};

strategy::Problem Game(int number) {
  strategy::Problem problem{.site = lean::testing::GameSite(number), .goals = {}, .context = {}};
  problem.context.theorem = syntax::TheoremOf(fmt::format("theorem game : {}", number));
  return problem;
}

/// Runs an agent, then a sketch whose lemmas the agent proves; the second lemma is sketched again.
Task<void> PlayAgents(const GameJob& job, const testing::GameServices& with,
                      strategy::Limits limits, std::string& result) {
  SeededModel seeded(with.model);
  strategy::testing::OneModel roles(seeded);
  QuickPython inner;
  const auto python = record::MakeRecorded(inner, with.journal);
  strategy::Services services{.checker = with.checker};
  services.roles = &roles;
  services.python = python.get();
  strategy::AgentParameters agent;
  agent.trajectories = job.lanes;
  agent.tool_calls = 6;
  agent.rounds = 3;
  const strategy::Problem five = Game(5), twelve = Game(12);
  const auto first = co_await strategy::Agent(services, five, agent, limits);
  const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "agent");
  if (!prompts) {
    result = prompts.error().message;
    co_return;
  }
  agent.rounds = 2;
  strategy::SketchProvers provers;
  provers.agent = strategy::MakeAgentProver(services, agent, *prompts);
  strategy::SketchParameters sketch;
  sketch.lemmas = job.lanes;
  const auto second = co_await strategy::Sketch(services, twelve, sketch, provers, limits);
  result = testing::Describe(first) + testing::Describe(second);
}

class AgentResumeTest : public ResumeTest {
 protected:
  GameJob NewAgents(size_t lanes) {
    GameJob job = NewJob(lanes);
    job.play = PlayAgents;
    job.make_model = [](const std::filesystem::path& log) -> std::unique_ptr<llm::Model> {
      return std::make_unique<ChattingModel>(log);
    };
    return job;
  }
};

TEST_F(AgentResumeTest, AFinishedRunIsReplayedWithoutAnyRequest) {
  const GameJob job = NewAgents(1);
  const std::string result = Execute(job);
  EXPECT_THAT(result, HasSubstr("skip game_p game_q"));
  const auto asked = Asked(job);
  const auto story = Story(job);
  EXPECT_GT(asked.size(), 12U);
  EXPECT_EQ(Execute(job), result);
  EXPECT_EQ(Asked(job), asked);
  EXPECT_EQ(Difference(job, story), "");
  std::set<std::string> kinds;
  for (const store::Event& event : Events(job)) kinds.insert(event.kind);
  for (const auto kind :
       {event::kMessage, event::kRoundBegun, event::kLemmaProved, event::kComputed,
        event::kSketched, event::kBlueprint, event::kProofFound}) {
    EXPECT_TRUE(kinds.contains(std::string(kind))) << kind;
  }
}

TEST_F(AgentResumeTest, ARunKilledAt50RandomMomentsEqualsAnUndisturbedRun) {
  KillOftenAndCompare([this] { return NewAgents(1); }, 2);  // two lemmas are judged at once
}

TEST_F(AgentResumeTest, WithThreeTrajectoriesNoRecordedAnswerIsRequestedAgain) {
  const GameJob job = NewAgents(3);
  std::uniform_int_distribution<int> moment(1000, 60'000);
  for (int kills = 0; kills < 10; ++kills) {
    const auto before = Story(job);
    const auto paid = Paid(job);
    const size_t asked_before = Asked(job).size();
    testing::ExecuteAndKill(job, std::chrono::microseconds(moment(random)));
    const auto asked = Asked(job);
    for (size_t i = asked_before; i < asked.size(); ++i) EXPECT_FALSE(paid.contains(asked[i]));
    const auto after = Story(job);
    ASSERT_GE(after.size(), before.size());
    EXPECT_EQ(std::vector(after.begin(), after.begin() + static_cast<long>(before.size())), before);
  }
  const std::string result = Execute(job);
  EXPECT_THAT(result, HasSubstr("skip game_p game_q"));
  EXPECT_EQ(Execute(job), result);
}

}  // namespace
}  // namespace zermelo::engine
