// The tools as agents call them, with fake_lean.py instead of Lean.
#include "serve/mcp/tools.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "core/testing/testing.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::serve::mcp {
namespace {

namespace fs = std::filesystem;
using core::testing::Await;
using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using lean::testing::Fake;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kGame = "theorem game : 3 := by\n  sorry\n";

class FakeRetriever : public retrieve::Retriever {
 public:
  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(
      retrieve::PremiseQuery query, core::Deadline /*deadline*/) override {
    std::vector<retrieve::Premise> found;
    if (query.text == "no index") {
      co_return core::Fail(core::ErrorCode::kEnvironment, "there is no index", "zermelo index");
    }
    if (query.text == "add") {
      retrieve::Premise premise;
      premise.name = "Nat.add_comm";
      premise.module = query.imports ? query.imports->at(0) : "";
      found.push_back(premise);
    }
    co_return found;
  }
};

class McpToolsTest : public ::testing::Test {
 protected:
  McpToolsTest() : McpToolsTest(std::vector<fs::path>()) {}
  explicit McpToolsTest(std::vector<fs::path> roots) {
    lean::PoolOptions limits;
    limits.workers = 2;
    pool = std::make_unique<lean::Pool>(executor, lean::Toolchain(), limits);
    ProjectsOptions options;
    options.base = fs::canonical(folder.path());
    options.roots = std::move(roots);
    options.find_lean = [this](fs::path near) { return FindLean(std::move(near)); };
    projects = std::make_unique<Projects>(std::move(options));
    LeanToolsOptions for_lean;
    for_lean.axioms = [](const fs::path&) { return trust::StandardAxioms(); };
    for_lean.premises = [](const Project&) { return std::make_shared<FakeRetriever>(); };
    for_lean.states = [this](const Source&) { return states; };
    lean_tools = std::make_unique<LeanTools>(executor, *projects, *pool, std::move(for_lean));
    JobsOptions for_jobs;
    for_jobs.waiting = 1;
    for_jobs.kept = 2;
    for_jobs.claim_place = [this] { return lean_tools->ClaimPlace(); };
    for_jobs.means = [this](const JobRequest& request) -> core::Result<ProofMeans> {
      if (!request.budget.models.empty())
        return core::Fail(core::ErrorCode::kUsage, "no such model");
      ProofMeans means;
      means.axioms = trust::StandardAxioms();
      means.states = states;
      return means;
    };
    jobs = std::make_unique<Jobs>(executor, *projects, *pool, std::move(for_jobs));
    tools = std::make_unique<ServerTools>(*lean_tools, *jobs, ServerToolsOptions{8});
  }
  void TearDown() override {
    pool->Close();
    Await(io, jobs->Close());
    Await(io, lean_tools->Close());
    tools.reset();
    jobs.reset();
    lean_tools.reset();
    pool.reset();
    RunOut(io);
    EXPECT_TRUE(core::testing::Children().empty());
  }

  core::Task<core::Result<lean::Toolchain>> FindLean(fs::path near) {
    ++searches;
    if (near.filename() == "broken") {
      co_return core::Fail(core::ErrorCode::kEnvironment, "no Lean here", "install one");
    }
    lean::Toolchain toolchain = lean::testing::FakeToolchain(folder.path());
    if (states) toolchain.lean = BothFakes();
    co_return toolchain;
  }
  /// fake_lean.py, and with `--run` fake_states.py, which then leaves the file "started".
  fs::path BothFakes() const {
    const fs::path fakes = lean::testing::FakeLeanPath().parent_path();
    fs::path both = folder.path() / "both";
    const auto quoted = [](const fs::path& path) { return "'" + path.string() + "'"; };
    lean::testing::WriteExecutable(both, "#!/bin/sh\n[ \"$1\" = --run ] || exec " +
                                             quoted(fakes / "fake_lean.py") + " \"$@\"\n: > " +
                                             quoted(folder.path() / "started") + "\nexec " +
                                             quoted(fakes / "fake_states.py") + " \"$@\"\n");
    return both;
  }
  std::string Write(const std::string& name, const std::string& text) {
    const fs::path path = folder.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  ToolAnswer Call(const std::string& tool, json arguments) {
    return Await(io, tools->Call(tool, std::move(arguments), cancellation));
  }
  /// Calls a tool, checks what every answer must have, and returns the answer's content.
  json Ask(const std::string& tool, json arguments) {
    ToolAnswer answer = Call(tool, std::move(arguments));
    const auto status = answer.content.value("status", "");
    EXPECT_TRUE(status == "ok" || status == "partial" || status == "failed" ||
                status == "timed_out")
        << answer.content;
    if (status != "ok") {
      EXPECT_NE(answer.content.value("reason", ""), "") << answer.content;
    }
    if (answer.is_error) {
      EXPECT_NE(status, "ok");
    }
    return std::move(answer.content);
  }
  std::string ReasonOf(const std::string& tool, json arguments) {
    const ToolAnswer answer = Call(tool, std::move(arguments));
    EXPECT_TRUE(answer.is_error) << answer.content;
    EXPECT_EQ(answer.content["status"], "failed");
    return answer.content.value("reason", "");
  }

  boost::asio::io_context io;
  const core::Executor executor = io.get_executor();
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  core::Cancellation cancellation;
  int searches = 0;
  bool states = false;  // jobs and try_proofs use a state server
  std::unique_ptr<lean::Pool> pool;
  std::unique_ptr<Projects> projects;
  std::unique_ptr<LeanTools> lean_tools;
  std::unique_ptr<Jobs> jobs;
  std::unique_ptr<ServerTools> tools;
};

TEST_F(McpToolsTest, EveryToolHasTheFieldsThatTheProtocolRequires) {
  std::vector<std::string> names;
  for (const json& tool : tools->List()) {
    names.push_back(tool.at("name"));
    EXPECT_EQ(tool.at("inputSchema").at("type"), "object");
    EXPECT_EQ(tool.at("inputSchema").at("additionalProperties"), false);
    EXPECT_EQ(tool.at("outputSchema").at("required"), json({"status"}));
    EXPECT_GT(tool.at("description").get<std::string>().size(), 10u);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"check", "goals", "try_proofs", "premise_search",
                                             "prove_start", "prove_status", "prove_result",
                                             "prove_cancel", "disprove", "verdict"}));
}

TEST_F(McpToolsTest, ReportsWrongArgumentsToTheModel) {
  EXPECT_EQ(ReasonOf("check", {{"text", 7}}), "text must be a string");
  EXPECT_EQ(ReasonOf("check", {{"txt", ""}}), "unknown property txt; did you mean `text`?");
  EXPECT_EQ(ReasonOf("check", json::object()), "pass either file or text");
  EXPECT_EQ(ReasonOf("check", {{"text", ""}, {"file", "x"}}), "pass either file or text");
  EXPECT_EQ(ReasonOf("goals", {{"text", ""}}), "line is missing");
  EXPECT_EQ(ReasonOf("goals", {{"text", ""}, {"line", 0}}), "line must be at least 1");
  EXPECT_EQ(ReasonOf("try_proofs", {{"text", kGame}, {"proofs", {1}}}),
            "proofs[0] must be a string");
  EXPECT_EQ(ReasonOf("prove_status", {{"job", "0123"}}), "no job has this handle");
  EXPECT_EQ(ReasonOf("check", {{"text", ""}, {"timeout_seconds", -1}}),
            "timeout_seconds must be at least 0.1");
}

TEST_F(McpToolsTest, ReportsUnreadableFiles) {
  EXPECT_THAT(ReasonOf("check", {{"file", "nowhere.lean"}}), HasSubstr("nowhere.lean"));
  EXPECT_THAT(ReasonOf("check", {{"file", "."}}), HasSubstr("directory"));
  EXPECT_THAT(ReasonOf("check", {{"file", Write("zero", std::string("a\0b", 3))}}),
              HasSubstr("zero"));
  EXPECT_THAT(ReasonOf("check", {{"text", ""}, {"project", "nowhere"}}), HasSubstr("not a folder"));
  EXPECT_EQ(ReasonOf("check", {{"file", Write("broken/a.lean", "")}}), "no Lean here");
}

TEST_F(McpToolsTest, ACheckHasTheVersionOfItsText) {
  const std::string text = "theorem t : True := trivial\n";
  const std::string file = Write("a.lean", text);
  const json answer = Ask("check", {{"file", "a.lean"}});
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_EQ(answer["verdict"], "accepted");
  EXPECT_EQ(answer["version"]["sha256"], core::Sha256Hex(text));
  EXPECT_EQ(answer["version"]["file"], fs::canonical(file).string());
  EXPECT_EQ(answer["version"]["bytes"], text.size());
  EXPECT_EQ(answer["lean"]["version"], "4.28.0-pre");
  const json of_text = Ask("check", {{"text", text}});
  EXPECT_EQ(of_text["version"]["sha256"], answer["version"]["sha256"]);
  EXPECT_FALSE(of_text["version"].contains("file"));
}

TEST_F(McpToolsTest, ACheckWithErrorsFails) {
  const json answer = Ask("check", {{"text", "def a := 1\n" + Fake("error 1 it is wrong")}});
  EXPECT_EQ(answer["status"], "failed");
  EXPECT_EQ(answer["verdict"], "rejected");
  EXPECT_EQ(answer["reason"], "1 error");
  EXPECT_EQ(answer["messages"][0]["severity"], "error");
  EXPECT_EQ(answer["messages"][0]["line"], 2);
  EXPECT_EQ(answer["messages"][0]["text"], "it is wrong");
}

TEST_F(McpToolsTest, ASorryIsNotAccepted) {
  const json answer = Ask("check", {{"text", kGame}});
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_EQ(answer["verdict"], "sorry");
  EXPECT_EQ(answer["sorries"][0]["theorem"], "game");
  EXPECT_EQ(answer["sorries"][0]["line"], 2);
  EXPECT_EQ(answer["sorries"][0]["column"], 3);
  EXPECT_EQ(answer["sorries"][0]["goal"], "n : Nat\n⊢ 3");
  EXPECT_THAT(answer["summary"], HasSubstr("sorry"));
}

TEST_F(McpToolsTest, NamesConstructionsThatNoHonestProofNeeds) {
  const json answer = Ask("check", {{"text", "axiom cheat : False\n"}});
  EXPECT_EQ(answer["verdict"], "accepted") << "this is Lean's verdict";
  EXPECT_EQ(answer["findings"].size(), 1u);
  EXPECT_THAT(answer["summary"], HasSubstr("findings"));
}

TEST_F(McpToolsTest, ATimeoutKeepsTheResultsBeforeIt) {
  const std::string text = "def a := 1\n" + Fake("stall 4") + Fake("error 0 known") +
                           "theorem t : True := trivial\ntheorem slow : True := trivial\n";
  const json answer = Ask("check", {{"text", text}, {"timeout_seconds", 0.7}});
  EXPECT_EQ(answer["status"], "partial");
  EXPECT_EQ(answer["verdict"], "unknown");
  EXPECT_THAT(answer["reason"], HasSubstr("slow (line 5)"));
  EXPECT_EQ(answer["messages"][0]["text"], "known");
}

TEST_F(McpToolsTest, ATimeoutBeforeAnyResultIsReported) {
  const json answer =
      Ask("check", {{"text", "#eval x\n" + Fake("hang")}, {"timeout_seconds", 0.5}});
  EXPECT_EQ(answer["status"], "timed_out");
  EXPECT_TRUE(answer.contains("version"));
}

TEST_F(McpToolsTest, ACrashOfLeanIsAFailure) {
  const json answer = Ask("check", {{"text", Fake("crash stack overflow")}});
  EXPECT_EQ(answer["status"], "failed");
  EXPECT_THAT(answer["reason"], HasSubstr("stack overflow"));
}

TEST_F(McpToolsTest, ReportsAFileThatChangesDuringACheck) {
  const std::string file = Write("a.lean", Fake("slow 300") + "theorem t : True := trivial\n");
  Started<ToolAnswer> check(io, tools->Call("check", {{"file", file}}, cancellation));
  RunUntil(io, [&] { return pool->busy() == 1; });
  Write("a.lean", "theorem other : True := trivial\n");
  const json answer = check.Get().content;
  EXPECT_EQ(answer["status"], "partial");
  EXPECT_EQ(answer["changed_meanwhile"], true);
  EXPECT_THAT(answer["reason"], HasSubstr("changed"));
}

TEST_F(McpToolsTest, ReturnsTheGoalsAtAPosition) {
  const std::string text = "theorem game : 3 := by\n  dec\n  sorry\n";
  const json at = Ask("goals", {{"text", text}, {"line", 3}, {"column", 3}});
  EXPECT_EQ(at["status"], "ok");
  EXPECT_EQ(at["goals"], json({"n : Nat\n⊢ 2"}));
  const json around = Ask("goals", {{"text", text}, {"line", 2}});
  EXPECT_EQ(around["goals_before"], json({"n : Nat\n⊢ 3"}));
  const json on_one_line = Ask("goals", {{"text", "theorem game : 3 := by sorry\n"}, {"line", 1}});
  EXPECT_EQ(on_one_line["goals_before"][0], "⊢ at 0:23") << "where the tactic begins";
}

TEST_F(McpToolsTest, GoalsHaveTheirPartsAndSayWhatTheLineChanged) {
  const std::string text = "theorem game : 3 := by\n  dec\n  sorry\n";
  const json around = Ask("goals", {{"text", text}, {"line", 2}});
  const json before =
      json::parse(R"([{"hypotheses": [{"names": ["n"], "type": "Nat"}], "target": "3"}])");
  EXPECT_EQ(around["structured_before"], before);
  EXPECT_EQ(around["structured_after"].size(), around["goals_after"].size());
  EXPECT_TRUE(around["change"].contains("closed"));
  const json at = Ask("goals", {{"text", text}, {"line", 3}, {"column", 3}});
  EXPECT_EQ(at["structured"][0]["target"], "2");
  EXPECT_FALSE(at.contains("change"));
}

TEST_F(McpToolsTest, AGoalThatIsCutHasNoParts) {
  EXPECT_TRUE(Structured("h : " + std::string(5000, 'p') + "\n⊢ q").is_null());
  EXPECT_TRUE(Structured("no goal").is_null());
}

TEST_F(McpToolsTest, APositionOutsideAProofIsAFailureNotAnEmptyList) {
  const json answer = Ask("goals", {{"text", "def a := 1\n\ndef b := 2\n"}, {"line", 2}});
  EXPECT_EQ(answer["status"], "failed");
  EXPECT_FALSE(answer.contains("goals"));
  EXPECT_FALSE(answer.contains("goals_before"));
  EXPECT_EQ(ReasonOf("goals", {{"text", "a\n"}, {"line", 9}}), "the text has 2 lines");
}

TEST_F(McpToolsTest, NoGoalsTogetherWithAnErrorIsPartial) {
  const std::string text =
      "theorem game : 3 := by\n  close 3\n  skip\n" + Fake("error 1 it is wrong");
  const json answer = Ask("goals", {{"text", text}, {"line", 3}, {"column", 3}});
  EXPECT_EQ(answer["goals"], json::array());
  EXPECT_EQ(answer["status"], "partial");
  EXPECT_EQ(answer["errors"][0]["text"], "it is wrong");
}

TEST_F(McpToolsTest, TriesSeveralProofsAtOnce) {
  const json proofs{"sub 3\nzero", "by dec", "nonsense", "sorry", "zero)", "```lean\nclose 3\n```"};
  const json answer = Ask("try_proofs", {{"text", kGame}, {"proofs", proofs}});
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_EQ(answer["accepted"], json({0, 5}));
  const json& attempts = answer["attempts"];
  EXPECT_EQ(attempts[1]["status"], "open");
  EXPECT_EQ(attempts[1]["goals"], json({"n : Nat\n⊢ 2"}));
  EXPECT_EQ(attempts[2]["status"], "failed");
  EXPECT_THAT(attempts[2]["messages"][0]["text"], HasSubstr("nonsense"));
  EXPECT_EQ(attempts[2]["messages"][0]["line"], 1);
  EXPECT_EQ(attempts[3]["status"], "failed");
  EXPECT_THAT(attempts[3]["reason"], HasSubstr("unproved"));
  EXPECT_EQ(attempts[4]["status"], "failed");
  EXPECT_EQ(answer["theorem"], "game");
}

TEST_F(McpToolsTest, TryingFailsIfNoProofIsAccepted) {
  EXPECT_EQ(Ask("try_proofs", {{"text", kGame}, {"proofs", {"dec", "zero"}}})["status"], "failed");
  const json some = Ask("try_proofs", {{"text", kGame}, {"proofs", {"dec", "crash"}}});
  EXPECT_EQ(some["status"], "partial") << "one proof could not be judged";
  EXPECT_EQ(some["attempts"][1]["status"], "crashed");
}

/// The answer without what differs from call to call.
json WithoutTimes(json answer) {
  answer.erase("in_states");
  for (json& attempt : answer["attempts"]) attempt.erase("seconds");
  return answer;
}

TEST_F(McpToolsTest, StatesAndWorkersGiveTheSameAnswers) {
  const json proofs{"zero", "dec\nzero", "slow", "dec\ndec\nzero", "dec\ndec\ndec\nzero", "dec"};
  const json call{{"text", kGame}, {"proofs", proofs}, {"timeout_seconds", 2}};
  const json by_workers = Ask("try_proofs", call);
  EXPECT_FALSE(by_workers.contains("in_states"));
  states = true;
  Write("lean-toolchain", "with states\n");  // Lean is found anew
  const json some{{"text", kGame}, {"proofs", {"zero", "dec\nzero", "dec\ndec\nzero"}}};
  RunUntil(io, [&] { return Ask("try_proofs", some).contains("in_states"); });
  json answer = Ask("try_proofs", call);
  // Workers are asked about the first that throws, the proof, and goals, which the fakes show
  // differently.
  EXPECT_EQ(answer["in_states"], 3);
  EXPECT_EQ(answer["accepted"], json({4}));
  EXPECT_EQ(WithoutTimes(std::move(answer)), WithoutTimes(by_workers));
}

TEST_F(McpToolsTest, AJobGetsThePlaceOfTheToolsStateServer) {
  states = true;
  const json call{{"text", kGame}, {"proofs", {"zero", "dec\nzero", "dec\ndec\nzero"}}};
  RunUntil(io, [&] { return Ask("try_proofs", call).contains("in_states"); });
  const json job = Ask("prove_start", {{"text", kGame + Fake("hang")}});
  // A state server of its own, and a worker.
  RunUntil(io, [&] { return pool->busy() == 2 && pool->pids().size() == 1; });
  Ask("prove_cancel", {{"job", job["job"]}});
  RunUntil(io, [&] { return Ask("try_proofs", call).contains("in_states"); });
}

TEST_F(McpToolsTest, AttemptsShareTheWorkersUnlessTheirCodeRunsInsideLean) {
  const json call{{"text", kGame}, {"proofs", {"zero", "dec", "close 3", "close 2", "dec\ndec"}}};
  Ask("try_proofs", call);
  Ask("try_proofs", call);
  EXPECT_LE(pool->stats().started, 2U);
  Ask("try_proofs", {{"text", kGame}, {"proofs", {"run_tac x", "run_tac x"}}});
  EXPECT_GE(pool->stats().started, 3U);
}

TEST_F(McpToolsTest, ReportsAProofThatTheKernelRejects) {
  const json answer = Ask("try_proofs", {{"text", kGame}, {"proofs", {"cheat"}}});
  EXPECT_EQ(answer["status"], "failed");
  EXPECT_THAT(answer["attempts"][0]["messages"][0]["text"], HasSubstr("kernel"));
}

TEST_F(McpToolsTest, ReplacesTheProofOfANamedTheorem) {
  const std::string text = "theorem game : 3 := by\n  zero\n";
  const json answer =
      Ask("try_proofs", {{"text", text}, {"theorem", "game"}, {"proofs", {"close 3"}}});
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_THAT(answer["note"], HasSubstr("removed"));
}

TEST_F(McpToolsTest, FindsTheSelectedSorry) {
  const std::string text = "theorem one : 1 := by\n  sorry\ntheorem two : 2 := by\n  sorry\n";
  const auto ask = [&](json arguments) {
    arguments["text"] = text;
    arguments["proofs"] = {"close 2"};
    return Ask("try_proofs", std::move(arguments));
  };
  EXPECT_THAT(ask(json::object())["reason"], HasSubstr("more than one"));
  EXPECT_THAT(ask(json::object())["hint"], HasSubstr("line 2 (one), line 4 (two)"));
  EXPECT_EQ(ask({{"theorem", "two"}})["status"], "ok");
  EXPECT_EQ(ask({{"line", 4}})["theorem"], "two");
  EXPECT_EQ(ask({{"theorem", "one"}})["status"], "failed");
  EXPECT_THAT(ask({{"theorem", "too"}})["hint"], HasSubstr("did you mean"));
  EXPECT_THAT(ask({{"line", 1}})["reason"], HasSubstr("line 1"));
}

TEST_F(McpToolsTest, PremisesComeFromTheIndex) {
  const json found = Ask("premise_search", {{"query", "add"}});
  EXPECT_EQ(found["premises"][0]["name"], "Nat.add_comm");
  const std::string file = Write("a.lean", "import Some.Module\n");
  EXPECT_EQ(Ask("premise_search", {{"query", "add"}, {"file", file}})["premises"][0]["module"],
            "Some.Module");
  EXPECT_EQ(Ask("premise_search", {{"query", "nothing"}})["status"], "failed");
  EXPECT_EQ(ReasonOf("premise_search", {{"query", "no index"}}), "there is no index");
}

TEST_F(McpToolsTest, FindsLeanAgainWhenAProjectsToolchainChanges) {
  Write("p/lean-toolchain", "a\n");
  const std::string file = Write("p/A.lean", "def a := 1\n");
  Ask("check", {{"file", file}});
  Ask("check", {{"file", file}});
  EXPECT_EQ(searches, 1);
  Write("p/lean-toolchain", "another\n");
  Ask("check", {{"file", file}});
  EXPECT_EQ(searches, 2);
}

TEST_F(McpToolsTest, ProjectsShareTheWorkers) {
  for (const char* name : {"p", "q", "r", "s"}) {
    Write(std::string(name) + "/lean-toolchain", "a\n");
    EXPECT_EQ(
        Ask("check", {{"file", Write(std::string(name) + "/A.lean", "def a := 1\n")}})["status"],
        "ok");
    EXPECT_LE(pool->pids().size(), 2u);
  }
  EXPECT_EQ(pool->stats().started, 4u);
}

TEST_F(McpToolsTest, AFailedJobSaysWhy) {
  const json started = Ask("prove_start", {{"text", kGame}, {"models", {"nobody"}}});
  EXPECT_EQ(started["status"], "ok");
  const json result = Ask("prove_result", {{"job", started["job"]}, {"wait_seconds", 30}});
  EXPECT_EQ(result["status"], "failed");
  EXPECT_EQ(result["state"], "failed");
  EXPECT_EQ(result["reason"], "no such model");
  const json state = Ask("prove_status", {{"job", started["job"]}});
  EXPECT_EQ(state["state"], "failed");
  EXPECT_EQ(state["message"], "no such model");
  EXPECT_FALSE(state.contains("phase")) << "it has ended";
}

TEST_F(McpToolsTest, AJobCanBeStartedInspectedAndCancelled) {
  // Lean hangs, so the job runs until it is cancelled.
  const json started = Ask("prove_start", {{"text", kGame + Fake("hang")}, {"theorem", "game"}});
  EXPECT_EQ(started["status"], "ok");
  EXPECT_EQ(started["job"].get<std::string>().size(), 32u);
  RunUntil(io, [&] { return pool->busy() == 1; });
  const json state = Ask("prove_status", {{"job", started["job"]}});
  EXPECT_EQ(state["state"], "running");
  EXPECT_TRUE(state.contains("phase"));
  EXPECT_EQ(state["found"], 0);
  EXPECT_EQ(state["file"], "") << "the text was sent";
  EXPECT_TRUE(state["run"].is_null());
  const json early = Ask("prove_result", {{"job", started["job"]}, {"wait_seconds", 0.1}});
  EXPECT_EQ(early["status"], "partial");
  const json cancelled = Ask("prove_cancel", {{"job", started["job"]}});
  EXPECT_EQ(cancelled["state"], "cancelled");
  const json result = Ask("prove_result", {{"job", started["job"]}});
  EXPECT_EQ(result["status"], "failed");
  EXPECT_EQ(Ask("prove_cancel", {{"job", started["job"]}})["note"], "the job had already ended");
}

TEST_F(McpToolsTest, TheStateServerOfAJobTakesThePlaceOfAWorkerUntilItsEnd) {
  states = true;
  const json slow{{"text", kGame + Fake("hang")}};
  const json job = Ask("prove_start", slow);
  RunUntil(io, [&] { return fs::exists(folder.path() / "started"); });
  RunUntil(io, [&] { return pool->busy() > 0 && pool->pids().size() == 1; });
  Started<ToolAnswer> check(io, tools->Call("check", slow, cancellation));
  RunUntil(io, [&] { return pool->waiting() == 1; });
  Ask("prove_cancel", {{"job", job["job"]}});
  RunUntil(io, [&] { return pool->pids().size() == 1 && pool->waiting() == 0; });
  Started<ToolAnswer> another(io, tools->Call("check", slow, cancellation));
  RunUntil(io, [&] { return pool->pids().size() == 2; });
  cancellation.Request();
  EXPECT_TRUE(check.Get().is_error);
  EXPECT_TRUE(another.Get().is_error);
}

TEST_F(McpToolsTest, JobsQueueInOrderUpToALimit) {
  const json slow{{"text", kGame + Fake("hang")}};
  const json first = Ask("prove_start", slow);
  RunUntil(io, [&] { return pool->busy() == 1; });
  const json second = Ask("prove_start", slow);
  EXPECT_EQ(Ask("prove_status", {{"job", second["job"]}})["state"], "queued");
  EXPECT_THAT(ReasonOf("prove_start", slow), HasSubstr("2 jobs"));
  Ask("prove_cancel", {{"job", first["job"]}});
  EXPECT_EQ(Ask("prove_cancel", {{"job", second["job"]}})["state"], "cancelled");
}

TEST_F(McpToolsTest, OldJobsAreDropped) {
  std::vector<json> handles;
  for (int i = 0; i < 3; ++i) {
    handles.push_back(Ask("prove_start", {{"text", kGame}, {"models", {"nobody"}}})["job"]);
    Ask("prove_status", {{"job", handles.back()}, {"wait_seconds", 30}});
  }
  EXPECT_EQ(ReasonOf("prove_status", {{"job", handles[0]}}), "no job has this handle");
  EXPECT_EQ(Ask("prove_status", {{"job", handles[2]}})["state"], "failed");
}

TEST_F(McpToolsTest, ACancelledCallFreesItsWorker) {
  Started<ToolAnswer> check(
      io, tools->Call("check", {{"text", "def a := 1\n" + Fake("hang")}}, cancellation));
  RunUntil(io, [&] { return pool->busy() == 1; });
  cancellation.Request();
  EXPECT_TRUE(check.Get().is_error);
  RunUntil(io, [&] { return pool->busy() == 0; });
}

TEST_F(McpToolsTest, RefusesTooManyConcurrentCalls) {
  std::vector<std::unique_ptr<Started<ToolAnswer>>> calls;
  for (int i = 0; i < 8; ++i) {
    calls.push_back(std::make_unique<Started<ToolAnswer>>(
        io, tools->Call("check", {{"text", "def a := 1\n" + Fake("hang")}}, cancellation)));
  }
  EXPECT_THAT(ReasonOf("check", {{"text", ""}}), HasSubstr("8 calls"));
  cancellation.Request();
  for (auto& call : calls) EXPECT_TRUE(call->Get().is_error);
}

class McpRootsTest : public McpToolsTest {
 protected:
  McpRootsTest() : McpToolsTest({"/usr/include", "/usr/lib/"}) {}
};

TEST_F(McpRootsTest, ReadsOnlyFilesBelowTheRoots) {
  for (const std::string& file :
       {Write("a.lean", "def a := 1\n"), std::string("/etc/passwd"),
        std::string("/usr/include/../../etc/passwd"), std::string("/usr/includes/x"),
        std::string("../../../../etc/passwd"), std::string("/usr/include/a\0b", 16)}) {
    const std::string reason = ReasonOf("check", {{"file", file}});
    EXPECT_TRUE(reason.find("none of the folders") != reason.npos ||
                reason.find("zero") != reason.npos)
        << file << ": " << reason;
  }
  EXPECT_EQ(ReasonOf("check", {{"file", "/usr/include/nowhere"}}).find("none of"),
            std::string::npos);
}

}  // namespace
}  // namespace zermelo::serve::mcp
