// The whole service over HTTP, with fake_lean.py instead of Lean.
#include "serve/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/files/file.h"
#include "lean/testing/fake_lean.h"
#include "serve/testing/http_client.h"

namespace zermelo::serve {
namespace {

using core::testing::RunOut;
using core::testing::RunUntil;
using core::testing::Started;
using lean::testing::Fake;
using nlohmann::json;
using testing::BodyOf;
using testing::Client;
using ::testing::EndsWith;
using testing::Get;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Post;
using testing::StatusOf;

struct Answer {
  int status = 0;
  std::string raw;
  json body;
};

class ServiceTest : public ::testing::Test {
 protected:
  void Open(const VerifierOptions& options = {.workers = 1}, const std::string& key = "",
            bool opaque = false) {
    const auto executor = io->get_executor();
    verifier =
        std::make_unique<Verifier>(executor, lean::testing::FakeToolchain(folder.path()), options);
    const auto log = [this](const std::string& line) { logged.push_back(json::parse(line)); };
    ServiceOptions service_options{key, log};
    service_options.opaque_reasons = opaque;
    service = std::make_unique<Service>(executor, *verifier, service_options);
    server = std::move(*HttpServer::Listen(executor, "127.0.0.1", 0, HttpLimits(), *service));
    running = std::make_unique<Started<bool>>(*io, core::testing::ThenTrue(server->Run()));
  }
  void TearDown() override {
    server->Stop();
    EXPECT_TRUE(running->Get());
    EXPECT_EQ(verifier->accepted(), 0u);
    server.reset();
    service.reset();
    verifier.reset();
    RunOut(*io);
    EXPECT_TRUE(core::testing::Children().empty());
  }

  Answer Send(const std::string& request) {
    Answer answer;
    answer.raw = Client(*io, server->url()).Exchange(request);
    answer.status = StatusOf(answer.raw);
    answer.body = json::parse(BodyOf(answer.raw), nullptr, false);
    return answer;
  }
  Answer Check(const json& body) { return Send(Post("/api/check", body.dump())); }
  /// Checks one snippet and returns its result.
  json CheckOne(const std::string& code, json body = json::object()) {
    json snippet;
    snippet["id"] = "it";
    snippet["code"] = code;
    body["snippets"] = json::array({snippet});
    const auto answer = Check(body);
    EXPECT_EQ(answer.status, 200) << answer.raw;
    return answer.status == 200 ? answer.body["results"][0] : json();
  }
  std::string File(const std::string& name) const { return (folder.path() / name).string(); }
  /// A snippet that creates a file when it has a worker, then hangs.
  std::string Hang(const std::string& name) const {
    return "def a := 1\n" + Fake("touch " + File(name)) + Fake("hang");
  }
  static std::string Request(const std::string& code) {
    json snippet;
    snippet["id"] = "it";
    snippet["code"] = code;
    json body;
    body["snippets"] = json::array({snippet});
    return Post("/api/check", body.dump());
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
  std::vector<json> logged;
  std::unique_ptr<Verifier> verifier;
  std::unique_ptr<Service> service;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<Started<bool>> running;
};

TEST_F(ServiceTest, IsHealthy) {
  Open();
  for (const char* path : {"/", "/health", "/health/", "/health?now"}) {
    const auto answer = Send(Get(path));
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(BodyOf(answer.raw), R"({"status":"ok"})");
  }
}

TEST_F(ServiceTest, RefusesUnknownPathsAndMethods) {
  Open();
  EXPECT_EQ(Send(Get("/nothing")).status, 404);
  const auto wrong = Send(Get("/api/check"));
  EXPECT_EQ(wrong.status, 405);
  EXPECT_THAT(wrong.raw, HasSubstr("Allow: POST"));
}

TEST_F(ServiceTest, RequiresTheKey) {
  Open({.workers = 1}, "secret");
  EXPECT_EQ(Send(Get("/health")).status, 200);
  EXPECT_EQ(Send(Get("/metrics")).status, 401);
  for (const char* wrong : {"", "Authorization: Bearer secre\r\n", "Authorization: secret\r\n",
                            "Authorization: Bearer secrets\r\n", "Authorization: Bearer \r\n"}) {
    EXPECT_EQ(Send(Post("/api/check", "{}", wrong)).status, 401) << wrong;
  }
  EXPECT_EQ(Send(Post("/api/check", "{}", "Authorization: Bearer secret\r\n")).status, 422);
}

TEST_F(ServiceTest, ReportsWhatIsWrongWithARequest) {
  Open();
  const auto complaint = [&](const std::string& body, int status) {
    const auto answer = Send(Post("/api/check", body));
    EXPECT_EQ(answer.status, status) << body;
    return answer.body.value("detail", "");
  };
  EXPECT_THAT(complaint("{\"snippets\": [", 400), HasSubstr("not JSON"));
  EXPECT_THAT(complaint("\xff\xfe", 400), HasSubstr("not JSON"));
  EXPECT_THAT(complaint("", 400), HasSubstr("not JSON"));
  EXPECT_THAT(complaint(std::string(100'000, '['), 400), HasSubstr("nested"));
  EXPECT_THAT(complaint("[]", 422), HasSubstr("object"));
  EXPECT_THAT(complaint("{}", 422), HasSubstr("snippets: is missing"));
  EXPECT_THAT(complaint(R"({"snippets":[]})", 422), HasSubstr("must not be empty"));
  EXPECT_THAT(complaint(R"({"snippets":[7]})", 422), HasSubstr("snippets[0]"));
  EXPECT_THAT(complaint(R"({"snippets":[{"id":"a"}]})", 422), HasSubstr("snippets[0].code"));
  EXPECT_THAT(complaint(R"({"snippets":[{"id":1,"code":""}]})", 422), HasSubstr("snippets[0].id"));
  EXPECT_THAT(complaint(R"({"snippets":[{"id":"a","code":""},{"id":"a","code":""}]})", 422),
              HasSubstr("unique"));
  EXPECT_THAT(complaint(R"({"snippets":[{"id":"a","code":""}],"timeout":"soon"})", 422),
              HasSubstr("timeout"));
  EXPECT_THAT(complaint(R"({"snippets":[{"id":"a","code":""}],"timeout":-1})", 422),
              HasSubstr("timeout"));
  EXPECT_THAT(complaint(R"({"snippets":[{"id":"a","code":""}],"reuse":1})", 422),
              HasSubstr("reuse"));
  EXPECT_THAT(complaint(R"({"snippets":[{"id":"a","code":""}],"infotree":"all"})", 422),
              HasSubstr("infotree"));
}

TEST_F(ServiceTest, OmitsEmptyFields) {
  Open();
  const json result = CheckOne("theorem t : True := trivial\n");
  EXPECT_EQ(result["id"], "it");
  EXPECT_GE(result["time"].get<double>(), 0);
  EXPECT_EQ(result["outcome"], "accepted");
  EXPECT_EQ(result.size(), 4u) << result;
  EXPECT_EQ(result["response"], json({{"env", 0}})) << result;
}

TEST_F(ServiceTest, CountsLinesFromOneAndColumnsInCodePoints) {
  Open();
  const json result = CheckOne("import A\n\n/- 𝔸 -/ example : 𝔸 := sorry -- 𝔸\n" +
                               Fake("error 3 wrong") + Fake("warning 0 odd"));
  const json& messages = result["response"]["messages"];
  ASSERT_EQ(messages.size(), 3u) << "one of them is about the sorry";
  EXPECT_EQ(messages[0]["severity"], "warning");
  EXPECT_EQ(messages[1]["pos"], json({{"line", 4}, {"column", 0}}));
  EXPECT_EQ(messages[1]["data"], "wrong");
  const json& sorry = result["response"]["sorries"][0];
  EXPECT_EQ(sorry["pos"], json({{"line", 3}, {"column", 23}}));
  EXPECT_EQ(sorry["endPos"], json({{"line", 3}, {"column", 28}}));
  EXPECT_THAT(sorry["goal"].get<std::string>(), HasSubstr("⊢"));
}

TEST_F(ServiceTest, FindsHiddenSorries) {
  Open();
  const json hidden = CheckOne(Fake("warning 0 declaration uses 'sorry'"));
  EXPECT_EQ(hidden["response"]["sorries"].size(), 1u) << hidden;
  const json named = CheckOne("theorem t : False := sorryAx _\n");
  EXPECT_EQ(named["response"]["sorries"].size(), 1u) << named;
  EXPECT_EQ(named["response"]["messages"][0]["data"], "declaration uses 'sorry'") << named;
}

TEST_F(ServiceTest, TheWarningAboutSorryHasTheTextThatClientsLookFor) {
  Open();
  const json result = CheckOne(Fake("warning 0 declaration uses `sorry`"));
  ASSERT_EQ(result["response"]["messages"].size(), 1u) << result;
  EXPECT_EQ(result["response"]["messages"][0]["data"], "declaration uses 'sorry'");
}

TEST_F(ServiceTest, ACheatIsAnErrorUnlessTheRulesAreOff) {
  Open();
  const std::string cheat = "axiom a : False\ntheorem t : False := a\n";
  const json strict = CheckOne(cheat);
  EXPECT_EQ(strict["response"]["messages"][0]["severity"], "error");
  EXPECT_THAT(strict["response"]["messages"][0]["data"].get<std::string>(), HasSubstr("axiom"));
  const json lenient = CheckOne(cheat, {{"rules", false}});
  EXPECT_EQ(lenient["response"]["messages"][0]["severity"], "warning");
}

TEST_F(ServiceTest, CodeThatRunsWhileLeanElaboratesGetsItsOwnProcess) {
  Open();
  const auto pid = [&](const std::string& text, json body = json::object()) {
    return CheckOne(text + Fake("pid"), std::move(body))["response"]["messages"][0]["data"];
  };
  const auto shared = pid("");
  const auto tainted = pid("#eval 1\n");
  EXPECT_NE(tainted, shared);
  EXPECT_NE(pid("#eval 1\n"), tainted);
  EXPECT_NE(pid("", {{"reuse", false}}), shared);
  EXPECT_EQ(pid(""), shared);
}

TEST_F(ServiceTest, TimeoutsAndCrashesAreErrorsOfTheirSnippetOnly) {
  Open();
  json body;
  body["timeout"] = 3;
  const auto add = [&](const std::string& id, const std::string& code) {
    json snippet;
    snippet["id"] = id;
    snippet["code"] = code;
    body["snippets"].push_back(snippet);
  };
  add("slow", "def a := 1\n" + Fake("hang"));
  add("fatal", Fake("crash out of memory"));
  add("fine", "theorem t : True := trivial\n");
  const auto answer = Check(body);
  ASSERT_EQ(answer.status, 200) << answer.raw;
  const json& results = answer.body["results"];
  EXPECT_EQ(results[0]["error"], "Lean REPL command timed out in 3.0 seconds");
  EXPECT_FALSE(results[0].contains("response"));
  EXPECT_THAT(results[1]["error"].get<std::string>(), HasSubstr("out of memory"));
  EXPECT_THAT(results[1]["error"].get<std::string>(), Not(HasSubstr("timed out")));
  EXPECT_FALSE(results[2].contains("error"));
  EXPECT_EQ(results[0]["outcome"], "timed_out");
  EXPECT_EQ(results[1]["outcome"], "crashed");
  EXPECT_EQ(results[2]["outcome"], "accepted");
}

TEST_F(ServiceTest, TheTimeLimitStartsWhenAWorkerHasTheSnippet) {
  Open();
  json body;
  body["timeout"] = 3;
  for (int i = 0; i < 5; ++i) {
    json snippet;
    snippet["id"] = std::to_string(i);
    snippet["code"] = Fake("slow 1000") + Fake("info 0 " + std::to_string(i));
    body["snippets"].push_back(snippet);
  }
  const auto answer = Check(body);
  for (const json& result : answer.body["results"])
    EXPECT_FALSE(result.contains("error")) << result;
}

TEST_F(ServiceTest, VerifyAnswersWithCustomIdsAndTheTimeInside) {
  Open();
  json body;
  body["codes"] = json::array();
  body["codes"].push_back({{"custom_id", 7}, {"proof", Fake("error 0 wrong")}});
  body["codes"].push_back({{"custom_id", "x"}, {"code", "text"}, {"proof", nullptr}});
  for (const char* path : {"/verify", "/one_pass_verify_batch"}) {
    const auto answer = Send(Post(path, body.dump()));
    ASSERT_EQ(answer.status, 200) << answer.raw;
    const json& results = answer.body["results"];
    EXPECT_EQ(results[0]["custom_id"], "7");
    EXPECT_EQ(results[0]["response"]["messages"][0]["data"], "wrong");
    EXPECT_TRUE(results[0]["response"]["time"].is_number());
    EXPECT_EQ(results[1]["custom_id"], "x");
    EXPECT_FALSE(results[1]["response"].contains("messages"));
  }
}

TEST_F(ServiceTest, AFullQueueIs429WithRetryAfter) {
  Open({.workers = 1, .queue = 2});
  Client first(*io, server->url());
  first.Send(Request(Hang("one")));
  RunUntil(*io, [&] { return std::filesystem::exists(File("one")); });
  Client second(*io, server->url());
  second.Send(Request("waits\n"));
  RunUntil(*io, [&] { return verifier->accepted() == 2; });
  const auto refused = Send(Request("more\n"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.raw, HasSubstr("Retry-After: "));
  first.Leave();
  EXPECT_EQ(StatusOf(second.Receive()), 200);
}

TEST_F(ServiceTest, ABatchThatNeverFitsIs413) {
  Open({.workers = 1, .queue = 1});
  json body;
  for (const char* id : {"a", "b"}) body["snippets"].push_back({{"id", id}, {"code", ""}});
  EXPECT_EQ(Check(body).status, 413);
}

TEST_F(ServiceTest, NoFreeWorkerInTimeIs429) {
  Open({.workers = 1, .max_wait = std::chrono::milliseconds(100)});
  Client first(*io, server->url());
  first.Send(Request(Hang("one")));
  RunUntil(*io, [&] { return std::filesystem::exists(File("one")); });
  json body;
  body["timeout"] = 0;
  body["snippets"].push_back({{"id", "a"}, {"code", "fine"}});
  const auto answer = Check(body);
  EXPECT_EQ(answer.status, 429);
  EXPECT_THAT(answer.raw, HasSubstr("Retry-After: "));
  first.Leave();
}

TEST_F(ServiceTest, ADisconnectCancelsItsChecks) {
  Open({.workers = 1, .queue = 3});
  Client client(*io, server->url());
  json body;
  for (const char* id : {"a", "b", "c"}) {
    body["snippets"].push_back({{"id", id}, {"code", Hang(id)}});
  }
  client.Send(Post("/api/check", body.dump()));
  RunUntil(*io, [&] { return std::filesystem::exists(File("a")); });
  client.Leave();
  RunUntil(*io, [&] { return verifier->accepted() == 0; });
  EXPECT_FALSE(std::filesystem::exists(File("b")));
  EXPECT_EQ(verifier->checks(VerificationStatus::kCancelled), 3u);
  EXPECT_EQ(CheckOne("fine\n")["response"], json({{"env", 0}}));
}

TEST_F(ServiceTest, ADisconnectCancelsItsJudgement) {
  Open();
  Client client(*io, server->url());
  json body;
  body["query"] = {"```lean4\ntheorem t : True := by\n  trivial\n```"};
  body["labels"] = {"theorem t : True := by\n  sorry\n" + Hang("judging")};
  client.Send(Post("/get_reward", body.dump()));
  RunUntil(*io, [&] { return std::filesystem::exists(File("judging")); });
  client.Leave();
  RunUntil(*io, [&] { return verifier->accepted() == 0; });
  EXPECT_EQ(verifier->checks(VerificationStatus::kCancelled), 1u);
  EXPECT_EQ(core::testing::Children().size(), 1u) << "the worker, but no compiler";
}

TEST_F(ServiceTest, UnderLoadEveryRequestIsAnsweredCorrectlyOrRefused) {
  constexpr int kClients = 60;
  constexpr int kEach = 10;
  Open({.workers = 2, .queue = 8});
  const auto body = [](int number) {
    json snippet;
    snippet["id"] = std::to_string(number);
    snippet["code"] = Fake("error 0 " + std::to_string(number)) + Fake("slow 3");
    json all;
    all["snippets"] = json::array({snippet});
    return all.dump();
  };
  std::vector<std::unique_ptr<Client>> clients;
  for (int c = 0; c < kClients; ++c)
    clients.push_back(std::make_unique<Client>(*io, server->url()));
  int answered = 0;
  int refused = 0;
  for (int round = 0; round < kEach; ++round) {
    for (int c = 0; c < kClients; ++c) {
      clients[c]->Send(Post("/api/check", body(round * kClients + c)));
    }
    for (int c = 0; c < kClients; ++c) {
      const std::string raw = clients[c]->Receive();
      if (StatusOf(raw) == 429) {
        EXPECT_THAT(raw, HasSubstr("Retry-After: "));
        ++refused;
        continue;
      }
      ASSERT_EQ(StatusOf(raw), 200) << raw;
      const json result = json::parse(BodyOf(raw))["results"][0];
      EXPECT_EQ(result["id"], std::to_string(round * kClients + c));
      EXPECT_EQ(result["response"]["messages"][0]["data"], result["id"]);
      ++answered;
    }
  }
  EXPECT_EQ(answered + refused, kClients * kEach);
  EXPECT_GE(answered, 8 * kEach) << "at least as many as fit into the queue";
  EXPECT_GT(refused, 0);
}

TEST_F(ServiceTest, LeanDoesNotInheritClientSockets) {
  Open();
  Client client(*io, server->url());
  EXPECT_EQ(StatusOf(client.Exchange(Request("starts a worker\n"))), 200);
  for (const int pid : verifier->pool().pids()) {
    const auto folder = std::filesystem::path("/proc") / std::to_string(pid) / "fd";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string target = std::filesystem::read_symlink(entry.path());
      EXPECT_THAT(target, Not(HasSubstr("socket:")));
    }
  }
}

TEST_F(ServiceTest, AMissingLeanIs503) {
  Open();
  auto toolchain = lean::testing::FakeToolchain(folder.path());
  toolchain.lean = folder.path() / "no-lean-here";
  Verifier broken(io->get_executor(), toolchain, {.workers = 1});
  Service on_top(io->get_executor(), broken, {});
  HttpRequest request;
  request.method = "POST";
  request.path = "/execute";
  request.body = R"({"generated_code":""})";
  core::Cancellation never;
  const auto answer = core::testing::Await(*io, on_top.Handle(request, never));
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_EQ(json::parse(answer.body)["outcome"], "infrastructure");
}

TEST_F(ServiceTest, AnAnswerOnWhichLeanDiesHasNoReward) {
  Open();
  json body;
  const std::string code = "```lean4\ntheorem t : True := by\n  skip\n";
  body["query"] = {code + Fake("crash out of memory") + "```",
                   code + Fake("error 1 wrong") + "```"};
  const std::string statement = "theorem t : True := by\n  sorry\n";
  body["labels"] = {statement, statement};
  const auto answer = Send(Post("/get_reward", body.dump()));
  ASSERT_EQ(answer.status, 200) << answer.raw;
  EXPECT_EQ(answer.body["rewards"], json::array({nullptr, 0.0}));
  EXPECT_EQ(answer.body["scores"], answer.body["rewards"]);
  EXPECT_EQ(answer.body["outcomes"], json::array({"crashed", "rejected"}));
}

TEST_F(ServiceTest, NoLeanNeedsMoreThanTheMemoryLimit) {
  VerifierOptions options{.workers = 1};
  options.max_total_bytes = uint64_t{200} << 20U;
  Open(options);
  for (const bool shared : {true, false}) {
    const json result = CheckOne(Fake("eat 300"), {{"reuse", shared}});
    EXPECT_EQ(result["outcome"], "crashed") << result;
    EXPECT_THAT(result.dump(), HasSubstr("limit of 200 MiB"));
  }
  json body;
  const std::string proof = "theorem t : True := by\n  skip\n";
  body["query"] = json::array({"```lean4\n" + proof + Fake("compiler-eats 300") + "```"});
  body["labels"] = json::array({"theorem t : True := by\n  sorry\n"});
  const auto answer = Send(Post("/get_reward", body.dump()));
  ASSERT_EQ(answer.status, 200) << answer.raw;
  EXPECT_EQ(answer.body["rewards"], json::array({nullptr}));
  EXPECT_EQ(answer.body["outcomes"], json::array({"crashed"}));
  EXPECT_THAT(answer.raw, HasSubstr("more than 200 MiB of memory"));
}

TEST_F(ServiceTest, ExecuteAnswersLikeTheSandbox) {
  Open();
  json body;
  body["generated_code"] = Fake("error 0 wrong");
  body["language"] = "lean4";
  body["timeout"] = 5.0;
  body["max_output_characters"] = 1000;
  const auto answer = Send(Post("/execute", body.dump()));
  EXPECT_EQ(answer.body["process_status"], "failed") << answer.raw;
  EXPECT_THAT(answer.body["stdout"].get<std::string>(), HasSubstr(":1:0: error: wrong"));
}

TEST_F(ServiceTest, TheRewardIsZeroForAProofThatLeanRejects) {
  Open();
  json body;
  body["query"] = {"```lean4\ntheorem t : True := by\n  skip\n" + Fake("error 1 unsolved") + "```"};
  body["labels"] = {"theorem t : True := by\n  sorry\n"};
  const auto answer = Send(Post("/get_reward", body.dump()));
  ASSERT_EQ(answer.status, 200) << answer.raw;
  EXPECT_EQ(answer.body["rewards"], json::array({0.0}));
  EXPECT_EQ(answer.body["verdicts"][0], "rejected");
  EXPECT_THAT(answer.body["reasons"][0][0].get<std::string>(), HasSubstr("unsolved"));
}

TEST_F(ServiceTest, OpaqueRewardsHaveVerdictsAndTheLogHasTheReasons) {
  Open({.allow_programs = true, .workers = 1}, "", /*opaque=*/true);
  json body;
  body["query"] = {"```lean4\ntheorem t : True := by\n  skip\n" + Fake("error 1 unsolved") + "```"};
  body["labels"] = {"theorem t : True := by\n  sorry\n"};
  const auto answer = Send(Post("/get_reward", body.dump()));
  ASSERT_EQ(answer.status, 200) << answer.raw;
  EXPECT_EQ(answer.body["rewards"], json::array({0.0}));
  EXPECT_EQ(answer.body["verdicts"], json::array({"rejected"}));
  EXPECT_EQ(answer.body["reasons"], json::parse("[[]]"));
  EXPECT_EQ(answer.body["kernels"], json::parse("[[]]"));
  EXPECT_EQ(answer.body["runs_programs"], json::parse("[false]"));
  EXPECT_EQ(answer.body["lean"]["warnings"], json::array());
  EXPECT_THAT(answer.raw, Not(HasSubstr("unsolved")));
  EXPECT_EQ(logged.at(0)["verdict"], "rejected");
  EXPECT_THAT(logged.at(0)["reasons"].dump(), HasSubstr("unsolved"));
}

TEST_F(ServiceTest, OpaqueChecksTellAProofAnErrorAndACheatApartOnlyByTheirVerdict) {
  Open({.workers = 1}, "", /*opaque=*/true);
  json lax;
  lax["rules"] = false;
  const json error = CheckOne(Fake("error 0 wrong"));
  const json cheat = CheckOne("axiom c : False\n", lax);
  EXPECT_EQ(error["response"], cheat["response"]);
  EXPECT_EQ(error["response"]["messages"][0]["data"], "rejected");
  EXPECT_EQ(CheckOne("theorem t : True := trivial\n")["response"], json::parse(R"({"env": 0})"));
  const json open = CheckOne("theorem t : True := by\n  sorry\n")["response"];
  EXPECT_EQ(open["messages"][0]["severity"], "warning");
  EXPECT_EQ(open["sorries"].size(), 1u);
  EXPECT_EQ(open["sorries"][0]["goal"], "");
  EXPECT_THAT(logged.at(0)["reasons"][0].get<std::string>(), HasSubstr("wrong"));
  EXPECT_EQ(Send(Get("/api/runs")).status, 404);
}

TEST_F(ServiceTest, CountsAndLogsRequests) {
  Open();
  CheckOne("theorem t : True := trivial\n");
  CheckOne(Fake("error 0 wrong"));
  Send(Get("/no/such/path"));
  const std::string metrics = Send(Get("/metrics")).raw;
  for (const char* line : {
           "zermelo_checks_total{verdict=\"accepted\"} 1\n",
           "zermelo_checks_total{verdict=\"rejected\"} 1\n",
           "zermelo_queue_length 0\n",
           "zermelo_workers_busy 0\n",
           "zermelo_check_seconds_bucket{le=\"+Inf\"} 2\n",
           "zermelo_check_seconds_count 2\n",
           "zermelo_requests_total{path=\"/api/check\",status=\"200\"} 2\n",
           "zermelo_requests_total{path=\"other\",status=\"404\"} 1\n",
           "zermelo_request_seconds_count{path=\"/api/check\"} 2\n",
           "# TYPE zermelo_prefix_reuse_ratio gauge\n",
       }) {
    EXPECT_THAT(metrics, HasSubstr(line));
  }
  ASSERT_EQ(logged.size(), 4u);
  EXPECT_EQ(logged[0]["path"], "/api/check");
  EXPECT_EQ(logged[0]["status"], 200);
  EXPECT_THAT(logged[0]["time"].get<std::string>(), EndsWith("Z"));
}

}  // namespace
}  // namespace zermelo::serve
