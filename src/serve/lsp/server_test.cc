// The server as editors use it, with jobs that end when a test says so.
#include "serve/lsp/server.h"

#include <algorithm>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/lsp/features.h"
#include "serve/testing/fake_editor.h"

namespace zermelo::serve::lsp {
namespace {

using core::testing::Await;
using core::testing::RunOut;
using core::testing::RunUntil;
using nlohmann::json;
using testing::AllAbilities;
using testing::FakeJobs;
using ::testing::HasSubstr;

const std::string kOne = "theorem one : 1 = 1 := by\n  sorry\n";
const std::string kTwo = "theorem two : 2 = 2 := by\n  sorry\n";
const std::string kBoth = "theorem both : a ∧ b := ⟨by sorry, by sorry⟩\n";

engine::TheoremResult Proved(const std::string& name, const std::string& proof) {
  engine::TheoremResult theorem;
  theorem.name = name;
  theorem.status = engine::TheoremStatus::kProved;
  theorem.proof = proof;
  return theorem;
}

engine::TheoremResult Open(const std::string& name) {
  engine::TheoremResult theorem;
  theorem.name = name;
  theorem.message = "no proof within the time limit";
  theorem.seconds = 60;
  theorem.samples = 340;
  theorem.checks = 1;
  return theorem;
}

engine::ProveResult ResultOf(std::vector<engine::TheoremResult> theorems) {
  engine::ProveResult result;
  result.theorems = std::move(theorems);
  return result;
}

class LspServerTest : public ::testing::Test {
 protected:
  LspServerTest() {
    ProjectsOptions options;
    options.base = std::filesystem::canonical(folder.path());
    options.find_lean = [this](const std::filesystem::path&) { return FindLean(); };
    projects = std::make_unique<Projects>(std::move(options));
    ServerOptions serving;
    serving.models = [this](const std::filesystem::path&) { return models; };
    server = std::make_unique<Server>(io.get_executor(), *projects, jobs, std::move(serving),
                                      [this](const json& m) { sent.push_back(m); });
  }
  void TearDown() override {
    Await(io, server->Close());
    server.reset();
    RunOut(io);
  }
  core::Task<core::Result<lean::Toolchain>> FindLean() {
    co_return lean::testing::FakeToolchain(folder.path());
  }

  void Say(const std::string& text) {
    auto message = ReadMessage(text);
    ASSERT_TRUE(message) << text;
    server->Receive(*message);
  }
  void Notify(const std::string& method, json params) {
    Say(CallMessage(nullptr, method, std::move(params)).dump());
  }
  /// The next message of the server for which `wanted` holds; others before it are dropped.
  template <class Wanted>
  json Next(Wanted wanted) {
    std::optional<json> found;
    RunUntil(io, [&] {
      while (!sent.empty() && !found) {
        if (wanted(sent.front())) found = sent.front();
        sent.pop_front();
      }
      return found.has_value();
    });
    return *found;
  }
  json NextCall(const std::string& method) {
    return Next([&](const json& m) { return m.value("method", "") == method; });
  }
  json Ask(const std::string& method, json params = nullptr) {
    const int id = next_id++;
    Say(CallMessage(id, method, std::move(params)).dump());
    return Next([&](const json& m) { return !m.contains("method") && m.at("id") == id; });
  }
  void AnswerCall(const json& request, json result) {
    Say(ResultMessage(request.at("id"), std::move(result)).dump());
  }

  void Start(const std::string& text_, json abilities = AllAbilities()) {
    ASSERT_TRUE(Ask("initialize", std::move(abilities)).contains("result"));
    Notify("initialized", json::object());
    text = text_;
    Notify("textDocument/didOpen",
           {{"textDocument",
             {{"uri", uri}, {"languageId", "lean4"}, {"version", version}, {"text", text}}}});
  }
  /// The user changes the text.
  void Edit(const std::string& now) {
    text = now;
    Notify("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", ++version}}},
                                      {"contentChanges", {{{"text", text}}}}});
  }
  json About() const { return {{"textDocument", {{"uri", uri}}}}; }
  json Here(size_t line, size_t character) const {
    json params = About();
    params["position"] = {{"line", line}, {"character", character}};
    return params;
  }
  json Execute(const char* command, json argument) {
    argument["uri"] = uri;
    return Ask("workspace/executeCommand",
               {{"command", command}, {"arguments", {std::move(argument)}}});
  }
  json ExecuteAt(const char* command, size_t line, size_t character) {
    return Execute(command, {{"position", {{"line", line}, {"character", character}}}});
  }
  /// Begins a job and its progress.
  void Prove(size_t line, size_t character, const char* name = command::kProve) {
    const size_t before = jobs.requests.size();
    const json answer = name == command::kProveAll ? Execute(name, json::object())
                                                   : ExecuteAt(name, line, character);
    ASSERT_TRUE(answer.contains("result")) << answer;
    const json created = NextCall("window/workDoneProgress/create");
    token = created["params"]["token"];
    AnswerCall(created, nullptr);
    RunUntil(io, [&] { return jobs.requests.size() > before; });
  }
  /// Applies the edit that the server asks for, if it is one of this version.
  void ApplyEdit(const json& request) {
    const json change = request["params"]["edit"]["documentChanges"][0];
    const bool current = change["textDocument"]["version"] == version;
    if (current) {
      const core::LineIndex lines(text);
      std::string now = text;
      for (size_t i = change["edits"].size(); i-- > 0;) {
        const json& edit = change["edits"][i];
        const size_t begin = OffsetIn(lines, edit["range"]["start"], Encoding::kUtf16);
        const size_t end = OffsetIn(lines, edit["range"]["end"], Encoding::kUtf16);
        now.replace(begin, end - begin, edit["newText"].get<std::string>());
      }
      Edit(now);
    }
    AnswerCall(request, {{"applied", current}});
  }
  std::string EndOfProgress() {
    const json end = Next([](const json& m) {
      return m.value("method", "") == "$/progress" && m["params"]["value"]["kind"] == "end";
    });
    return end["params"]["value"]["message"];
  }
  std::string Shown() { return NextCall("window/showMessage")["params"]["message"]; }
  std::vector<std::string> Titles(const json& answer) {
    std::vector<std::string> titles;
    for (const json& item : answer["result"]) {
      titles.push_back(item.contains("title") ? item["title"] : item["command"]["title"]);
    }
    return titles;
  }

  boost::asio::io_context io;
  core::TemporaryFolder folder = *core::TemporaryFolder::Create("zermelo-lsp-test");
  FakeJobs jobs{io.get_executor()};
  std::unique_ptr<Projects> projects;
  std::vector<std::string> models;
  std::deque<json> sent;
  std::unique_ptr<Server> server;
  const std::string uri = "untitled:one";
  std::string text;
  int version = 1;
  int next_id = 1;
  std::string token;
};

// ---- the life of a session

TEST_F(LspServerTest, NothingIsAnsweredBeforeInitializeOrAfterShutdown) {
  EXPECT_EQ(Ask("textDocument/hover", About())["error"]["code"], -32002);
  Start(kOne);
  EXPECT_EQ(Ask("initialize", AllAbilities())["error"]["code"], kInvalidRequest);
  const json shut_down = Ask("shutdown");
  EXPECT_TRUE(shut_down.contains("result") && shut_down["result"].is_null()) << shut_down;
  EXPECT_EQ(Ask("textDocument/hover", About())["error"]["code"], kInvalidRequest);
  EXPECT_FALSE(server->exited());
  Notify("exit", nullptr);
  EXPECT_TRUE(server->exited() && server->shut_down());
}

TEST_F(LspServerTest, PositionsAreUtf16UnlessTheEditorPrefersBytes) {
  json abilities = AllAbilities();
  EXPECT_EQ(Ask("initialize", abilities)["result"]["capabilities"]["positionEncoding"], "utf-16");
  json general = {{"positionEncodings", {"utf-32", "utf-8", "utf-16"}}};
  abilities["capabilities"]["general"] = general;
  FakeJobs other(io.get_executor());
  Server second(io.get_executor(), *projects, other, {},
                [this](const json& m) { sent.push_back(m); });
  second.Receive(*ReadMessage(CallMessage(50, "initialize", abilities).dump()));
  const json answer = Next([](const json& m) { return m.at("id") == 50; });
  EXPECT_EQ(answer["result"]["capabilities"]["positionEncoding"], "utf-8");
  Await(io, second.Close());
}

TEST_F(LspServerTest, WrongRequestsGetErrorsAndTheServerGoesOn) {
  Start(kOne);
  EXPECT_EQ(Ask("textDocument/rename", About())["error"]["code"], kMethodNotFound);
  EXPECT_EQ(Ask("textDocument/hover")["error"]["code"], kInvalidParams);
  EXPECT_EQ(Ask("textDocument/hover", {{"textDocument", 1}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(Ask("textDocument/codeAction", About())["error"]["code"], kInvalidParams);
  EXPECT_EQ(Ask("workspace/executeCommand", {{"command", 1}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(Execute("zermelo.fly", json::object())["error"]["code"], kInvalidParams);
  EXPECT_EQ(Execute(command::kProve, json::object())["error"]["code"], kInvalidParams);
  EXPECT_THAT(ExecuteAt(command::kProve, 2, 0)["error"]["message"], HasSubstr("no sorry"));
  Say(R"({"jsonrpc":"2.0","id":77,"result":1})");
  Say(R"({"jsonrpc":"2.0","id":"x","error":{}})");
  Notify("$/setTrace", {{"value", "off"}});
  EXPECT_EQ(sent.size(), 0u) << "unknown notifications and answers are ignored";
  EXPECT_EQ(Ask("textDocument/codeLens", About())["result"].size(), 2u);
}

TEST_F(LspServerTest, AfterAMessageThatCannotBeReadTheTextIsNotTrusted) {
  Start(kOne);
  server->Refuse(ReadMessage("{").error());
  EXPECT_EQ(sent.front()["error"]["code"], kParseError);
  EXPECT_THAT(Ask("textDocument/codeLens", About())["error"]["message"], HasSubstr("lost"));
  Edit(kOne);
  EXPECT_EQ(Ask("textDocument/codeLens", About())["result"].size(), 2u);
}

// ---- what is offered

TEST_F(LspServerTest, EverySorryHasLenses) {
  models = {"kimina"};
  Start(kOne + kTwo);
  const json lenses = Ask("textDocument/codeLens", About());
  EXPECT_EQ(Titles(lenses), (std::vector<std::string>{"Prove", "Prove with kimina", "Disprove",
                                                      "Prove all 2 in this file", "Prove",
                                                      "Prove with kimina", "Disprove"}));
  EXPECT_EQ(lenses["result"][1]["range"]["start"], json({{"line", 1}, {"character", 2}}));
  EXPECT_EQ(lenses["result"][1]["command"]["arguments"][0]["model"], "kimina");
}

TEST_F(LspServerTest, ActionsAreForTheSorryHereOrThoseOfTheTheorem) {
  Start(kOne + kBoth);
  const auto actions = [&](size_t line, json only = json()) {
    json params = About();
    params["range"] = {{"start", {{"line", line}, {"character", 0}}},
                       {"end", {{"line", line}, {"character", 0}}}};
    params["context"] = {{"diagnostics", json::array()}, {"only", std::move(only)}};
    return Ask("textDocument/codeAction", params);
  };
  const std::vector<std::string> of_one = {"Zermelo: Prove `one`", "Zermelo: Disprove `one`",
                                           "Zermelo: Prove all 3 in this file"};
  EXPECT_EQ(Titles(actions(1)), of_one);
  EXPECT_EQ(Titles(actions(0)), of_one) << "where Lean reports the sorry";
  EXPECT_EQ(Titles(actions(2)).size(), 5u);
  EXPECT_EQ(actions(1)["result"][0]["kind"], "quickfix");
  EXPECT_EQ(Titles(actions(1, {"quickfix"})), of_one);
  EXPECT_EQ(Titles(actions(1, {"source", "refactor"})).size(), 0u) << "not when a file is saved";
  EXPECT_EQ(Titles(actions(3)).size(), 0u);
}

TEST_F(LspServerTest, WithoutLiteralsActionsAreCommands) {
  Start(kOne, json::object());
  json params = About();
  params["range"] = {{"start", {{"line", 1}, {"character", 0}}},
                     {"end", {{"line", 1}, {"character", 9}}}};
  EXPECT_EQ(Ask("textDocument/codeAction", params)["result"][0]["command"], "zermelo.prove");
}

// ---- proofs

TEST_F(LspServerTest, AProofBecomesOneEditOfTheBuffersText) {
  Start(kOne + kTwo);
  Prove(3, 4);
  ASSERT_EQ(jobs.requests[0].text, text) << "not the file's";
  EXPECT_EQ(jobs.requests[0].hole, text.rfind("sorry"));
  jobs.End(0, ResultOf({Proved("two", "rfl")}));
  const json request = NextCall("workspace/applyEdit");
  EXPECT_EQ(request["params"]["edit"]["documentChanges"].size(), 1u);
  ApplyEdit(request);
  EXPECT_EQ(EndOfProgress(), "1 of 1 proved");
  EXPECT_EQ(text, kOne + "theorem two : 2 = 2 := by\n  rfl\n");
}

TEST_F(LspServerTest, AllProofsOfAFileAreOneEditAndTheOthersAreReported) {
  Start(kOne + kTwo + kBoth);
  Prove(0, 0, command::kProveAll);
  jobs.End(0, ResultOf({Proved("one", "rfl"), Open("two"), Proved("both", "exact ha"),
                        Open("both (line 5)")}));
  EXPECT_THAT(Shown(), HasSubstr("No proof of `two`: no proof within the time limit (60 s, 340 "
                                 "candidates, 1 check by Lean)\nNo proof of `both (line 5)`"));
  ApplyEdit(NextCall("workspace/applyEdit"));
  EXPECT_EQ(EndOfProgress(), "2 of 4 proved");
  EXPECT_EQ(text, "theorem one : 1 = 1 := by\n  rfl\n" + kTwo +
                      "theorem both : a ∧ b := ⟨by (exact ha), by sorry⟩\n");
}

TEST_F(LspServerTest, AProofIsRebasedOntoATextThatHasChanged) {
  Start(kOne);
  Prove(1, 2);
  Edit("-- ∀ a note\n" + kTwo + kOne);
  jobs.End(0, ResultOf({Proved("one", "rfl")}));
  ApplyEdit(NextCall("workspace/applyEdit"));
  EndOfProgress();
  EXPECT_EQ(text, "-- ∀ a note\n" + kTwo + "theorem one : 1 = 1 := by\n  rfl\n");
}

TEST_F(LspServerTest, AProofOfATheoremThatHasChangedIsShownNotInserted) {
  Start(kOne);
  Prove(1, 2);
  Edit("theorem one : 1 = 2 := by\n  sorry\n");
  jobs.End(0, ResultOf({Proved("one", "rfl")}));
  EXPECT_EQ(Shown(),
            "A proof of `one` was found but not inserted: its text has changed meanwhile. The "
            "proof:\nrfl");
  EXPECT_EQ(EndOfProgress(), "0 of 1 proved");
  EXPECT_EQ(text, "theorem one : 1 = 2 := by\n  sorry\n");
}

TEST_F(LspServerTest, AnEditThatCrossesAChangeIsMadeAgain) {
  Start(kOne);
  Prove(1, 2);
  jobs.End(0, ResultOf({Proved("one", "rfl")}));
  const json early = NextCall("workspace/applyEdit");
  Edit("\n\n" + kOne);  // before the editor sees the request
  ApplyEdit(early);
  ApplyEdit(NextCall("workspace/applyEdit"));
  EXPECT_EQ(EndOfProgress(), "1 of 1 proved");
  EXPECT_EQ(text, "\n\ntheorem one : 1 = 1 := by\n  rfl\n");
}

TEST_F(LspServerTest, AnEditorThatClaimsToHaveAppliedAnOldEditIsNotBelieved) {
  Start(kOne);
  Prove(1, 2);
  jobs.End(0, ResultOf({Proved("one", "rfl")}));
  const json early = NextCall("workspace/applyEdit");
  Edit("\n" + kOne);
  AnswerCall(early, {{"applied", true}});
  ApplyEdit(NextCall("workspace/applyEdit"));
  EXPECT_EQ(EndOfProgress(), "1 of 1 proved");
  EXPECT_EQ(text, "\ntheorem one : 1 = 1 := by\n  rfl\n");
}

TEST_F(LspServerTest, TwoProofsOfOneTheoremDoNotDisturbEachOther) {
  Start(kBoth);
  Prove(0, kBoth.find("sorry") - 4);  // after two characters of three bytes
  Prove(0, kBoth.rfind("sorry") - 4);
  jobs.End(0, ResultOf({Proved("both", "exact ha")}));
  ApplyEdit(NextCall("workspace/applyEdit"));
  EndOfProgress();
  jobs.End(1, ResultOf({Proved("both (line 1)", "exact hb")}));
  ApplyEdit(NextCall("workspace/applyEdit"));
  EXPECT_EQ(EndOfProgress(), "1 of 1 proved");
  EXPECT_EQ(text, "theorem both : a ∧ b := ⟨by (exact ha), by\n  exact hb⟩\n");
}

TEST_F(LspServerTest, AnEditorWithoutVersionsGetsTheProofAsAMessage) {
  Start(kOne, json::object());
  ASSERT_TRUE(ExecuteAt(command::kProve, 1, 2).contains("result"));
  RunUntil(io, [&] { return jobs.requests.size() == 1; });
  jobs.End(0, ResultOf({Proved("one", "rfl")}));
  EXPECT_THAT(Shown(), HasSubstr("The proof:\nrfl"));
}

TEST_F(LspServerTest, AnErrorIsShownWithItsHint) {
  models = {"kimina"};
  Start(kOne);
  const json at = {{"line", 1}, {"character", 2}};
  Execute(command::kProve, {{"position", at}, {"model", "kimina"}});
  AnswerCall(NextCall("window/workDoneProgress/create"), nullptr);
  RunUntil(io, [&] { return jobs.requests.size() == 1; });
  EXPECT_EQ(jobs.requests[0].budget.models, std::vector<std::string>{"kimina"});
  jobs.End(0, core::Fail(core::ErrorCode::kEnvironment, "no server", "start it"));
  EXPECT_EQ(Shown(), "Proving one with kimina: no server; start it");
  EXPECT_EQ(EndOfProgress(), "no server");
}

TEST_F(LspServerTest, ADisproofIsAJobOnTheNegationAndChangesNothing) {
  Start(kTwo + kOne);
  Prove(3, 2, command::kDisprove);
  EXPECT_THAT(jobs.requests[0].text, HasSubstr(kTwo + "set_option"));
  EXPECT_THAT(jobs.requests[0].text, HasSubstr("¬"));
  engine::ProveResult result = ResultOf({Proved("zermelo_negation", "decide")});
  result.text = kTwo + "theorem zermelo_negation : ¬ (1 = 1) := by\n  decide\n";
  jobs.End(0, result);
  EXPECT_THAT(Shown(), HasSubstr("`one` is false as stated"));
  EXPECT_EQ(EndOfProgress(), "disproved");
  const json hover = Ask("textDocument/hover", Here(3, 3));
  EXPECT_THAT(hover["result"]["contents"]["value"],
              HasSubstr("```lean\ntheorem zermelo_negation : ¬ (1 = 1) := by\n  decide\n```"));
}

// ---- hover, cancellation

TEST_F(LspServerTest, AHoverTellsTheRunningAttemptThenTheBestOne) {
  Start(kOne);
  EXPECT_EQ(Ask("textDocument/hover", Here(1, 3))["result"], nullptr);
  Prove(1, 2);
  const auto value = [&] {
    return Ask("textDocument/hover", Here(1, 3))["result"]["contents"]["value"].get<std::string>();
  };
  RunUntil(io, [&] { return value().find("proving\nsimp") != std::string::npos; });
  EXPECT_THAT(value(), HasSubstr("Proving one for"));
  engine::TheoremResult open = Open("one");
  open.lemmas.emplace_back().head = "theorem one_lemma : 1 = 1 := rfl";
  jobs.End(0, ResultOf({open}));
  EndOfProgress();
  EXPECT_THAT(value(), HasSubstr("one_lemma"));
  Prove(1, 2);
  jobs.End(1, ResultOf({Open("one")}));
  EndOfProgress();
  EXPECT_THAT(value(), HasSubstr("one_lemma")) << "the attempt with a lemma was the better one";
  Edit("theorem one : 1 = 2 := by\n  sorry\n");
  EXPECT_EQ(Ask("textDocument/hover", Here(1, 3))["result"], nullptr) << "another theorem";
}

TEST_F(LspServerTest, ASearchCanBeStoppedByItsProgressByALensAndByClosing) {
  Start(kOne + kTwo);
  Prove(1, 2);
  EXPECT_THAT(ExecuteAt(command::kProve, 1, 2)["error"]["message"], HasSubstr("already"));
  EXPECT_EQ(Titles(Ask("textDocument/codeLens", About()))[0], "Stop the search");
  Notify("window/workDoneProgress/cancel", {{"token", "other"}});
  EXPECT_TRUE(jobs.ended.empty());
  Notify("window/workDoneProgress/cancel", {{"token", token}});
  EXPECT_EQ(EndOfProgress(), "stopped");
  Prove(3, 2);
  ASSERT_TRUE(ExecuteAt(command::kCancel, 3, 2).contains("result"));
  EXPECT_EQ(EndOfProgress(), "stopped");
  Prove(3, 2);
  Notify("textDocument/didClose", About());
  EXPECT_EQ(EndOfProgress(), "stopped");
  EXPECT_EQ(jobs.ended, (std::vector<std::string>{"0", "1", "2 dropped"}));
}

TEST_F(LspServerTest, StoppingKeepsTheProofsThatWereFound) {
  Start(kOne + kTwo);
  Prove(0, 0, command::kProveAll);
  engine::TheoremResult open = Open("two");
  open.message = "stopped";
  jobs.kept = ResultOf({Proved("one", "rfl"), open});
  Notify("window/workDoneProgress/cancel", {{"token", token}});
  const json first = Next([](const json& m) { return m.value("method", "") != "$/progress"; });
  ASSERT_EQ(first["method"], "workspace/applyEdit") << "no message about what was not proved";
  ApplyEdit(first);
  EXPECT_EQ(EndOfProgress(), "stopped, 1 of 2 proved");
  EXPECT_EQ(text, "theorem one : 1 = 1 := by\n  rfl\n" + kTwo);
  Prove(3, 2);
  jobs.kept = ResultOf({open});
  Notify("window/workDoneProgress/cancel", {{"token", token}});
  EXPECT_EQ(EndOfProgress(), "stopped");
  EXPECT_EQ(Ask("textDocument/hover", Here(3, 3))["result"], nullptr);
}

TEST_F(LspServerTest, ProofsThatCannotBeVerifiedAfterAStopAreAnError) {
  Start(kOne);
  Prove(1, 2);
  jobs.kept = core::Fail(core::ErrorCode::kTimeout, "the proofs found could not be verified");
  ExecuteAt(command::kCancel, 1, 2);
  EXPECT_EQ(Shown(), "Proving one: the proofs found could not be verified");
}

TEST_F(LspServerTest, TheProgressTellsHowManyProofsAreFound) {
  Start(kOne + kTwo);
  jobs.found = 1;
  Prove(0, 0, command::kProveAll);
  const json report = Next([](const json& m) {
    return m.value("method", "") == "$/progress" && m["params"]["value"]["kind"] == "report";
  });
  EXPECT_EQ(report["params"]["value"]["message"], "1 proof found, proving simp");
}

TEST_F(LspServerTest, AnEditorThatLeavesEndsEverything) {
  Start(kOne);
  ExecuteAt(command::kProve, 1, 2);  // and the request for a progress is never answered
  Await(io, server->Close());
  EXPECT_TRUE(jobs.requests.empty());
}

}  // namespace
}  // namespace zermelo::serve::lsp
