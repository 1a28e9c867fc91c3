// Against a stand-in for llama-server; tests/e2e/data/llama_cpp_test.py has the real one.
#include "engine/models/gguf_model.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "core/files/file.h"
#include "core/testing/testing.h"

namespace zermelo::engine {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;
using ::testing::Not;

class GgufModelTest : public ::testing::Test {
 protected:
  GgufModelTest() {
    std::ofstream(file_) << "GGUF and the rest";
    Set("ZERMELO_LLAMA_SERVER", ZERMELO_SOURCE_DIR "/src/engine/testing/fake_llama_server.py");
    Set("FAKE_LLAMA_LOG", log_);
    Set("FAKE_LLAMA", "");
  }
  ~GgufModelTest() override {
    for (const char* variable : {"ZERMELO_LLAMA_SERVER", "FAKE_LLAMA_LOG", "FAKE_LLAMA"}) {
      ::unsetenv(variable);
    }
  }
  static void Set(const char* variable, const std::string& value) {
    ::setenv(variable, value.c_str(), 1);
  }

  core::Result<std::shared_ptr<LlamaServer>> Serve() {
    return LlamaServer::Of(io_.get_executor(), file_);
  }
  std::unique_ptr<GgufModel> Make() {
    auto server = Serve();
    EXPECT_TRUE(server);
    (*server)->Expect(8000);
    llm::ClientConfig client;
    client.name = "tiny";
    client.endpoints.emplace_back().dialect = llm::DialectKind::kLlamaCpp;
    client.endpoints.front().model = "tiny";
    return std::make_unique<GgufModel>(http_, *std::move(server), client);
  }
  static llm::Request Question() {
    llm::Request request;
    request.prompt = std::vector<llm::Message>{{.role = "user", .content = "1 + 1 = ?"}};
    request.sampling.max_tokens = 4;
    return request;
  }
  core::Result<llm::Reply> Ask(GgufModel& model) {
    llm::CallContext context;
    context.deadline = core::Deadline::After(core::testing::kHang);
    return core::testing::Await(io_, model.Generate(Question(), std::move(context)));
  }
  core::Status Load(LlamaServer& server, core::Duration limit,
                    core::Cancellation* cancellation = nullptr) {
    return core::testing::Await(io_, server.Load(core::Deadline::After(limit), cancellation));
  }
  /// A line for each start of a server.
  std::string Starts() const {
    std::stringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

  boost::asio::io_context io_;
  llm::HttpClient http_{io_.get_executor()};
  core::TemporaryFolder folder_ = core::TemporaryFolder::Create("gguf").value();
  const std::string file_ = folder_.path() / "tiny.gguf";
  const std::string log_ = folder_.path() / "starts";
};

TEST_F(GgufModelTest, AServerIsStartedByTheFirstCallAndServesAllModelsOfTheFile) {
  const auto model = Make();
  const auto other = Make();
  EXPECT_EQ(Starts(), "") << "nothing has been asked";
  for (GgufModel* each : {model.get(), other.get(), model.get()}) {
    const auto reply = Ask(*each);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->completions.at(0).text, "simp");
  }
  EXPECT_EQ(Starts(), "30144/3 tiny.gguf\n") << "three slots for 8000 tokens and a prompt";
}

TEST_F(GgufModelTest, AProxyIsNotUsed) {
  Set("http_proxy", "http://127.0.0.1:1");
  const auto model = Make();
  const auto reply = Ask(*model);
  ::unsetenv("http_proxy");
  EXPECT_TRUE(reply) << reply.error().message;
}

TEST_F(GgufModelTest, AServerThatHasDiedIsStartedAgain) {
  Set("FAKE_LLAMA", "mortal");
  const auto model = Make();
  ASSERT_TRUE(Ask(*model));
  core::Signal never(io_.get_executor());
  core::testing::Await(io_, never.Wait(core::Deadline::After(std::chrono::milliseconds(300))));
  const auto again = Ask(*model);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(Starts(), "30144/3 tiny.gguf\n30144/3 tiny.gguf\n");
}

TEST_F(GgufModelTest, AnErrorHasTheReasonFromTheServersLogAndIsFinal) {
  Set("FAKE_LLAMA", "broken");
  const auto model = Make();
  for (int i = 0; i < 2; ++i) {
    const auto reply = Ask(*model);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kEnvironment);
    EXPECT_THAT(reply.error().message, HasSubstr("'output.weight' is missing"));
    EXPECT_THAT(reply.error().message, HasSubstr("exit code 1"));
    EXPECT_THAT(reply.error().message, Not(HasSubstr("build: 1")));
  }
  EXPECT_EQ(Starts(), "30144/3 tiny.gguf\n");
}

TEST_F(GgufModelTest, APortThatAnotherProgramTookIsReplaced) {
  Set("FAKE_LLAMA", "taken");
  const auto server = Serve();
  ASSERT_TRUE(server);
  const auto loaded = Load(**server, core::testing::kHang);
  EXPECT_TRUE(loaded) << loaded.error().message;
}

TEST_F(GgufModelTest, LoadingEndsAtTheDeadlineOrWhenItIsCancelled) {
  Set("FAKE_LLAMA", "slow");
  const auto server = Serve();
  ASSERT_TRUE(server);
  EXPECT_EQ(Load(**server, std::chrono::milliseconds(10)).error().code, ErrorCode::kTimeout);
  core::Cancellation cancellation;
  cancellation.Request();
  EXPECT_EQ(Load(**server, core::testing::kHang, &cancellation).error().code,
            ErrorCode::kCancelled);
}

TEST_F(GgufModelTest, AnyPartStandsForASplitModelAndNoneMayBeMissing) {
  const auto part = [this](int i) {
    return folder_.path() / ("big-0000" + std::to_string(i) + "-of-00002.gguf");
  };
  std::ofstream(part(2)) << "GGUF, second part";
  const auto incomplete = LlamaServer::Of(io_.get_executor(), part(2));
  ASSERT_FALSE(incomplete);
  EXPECT_THAT(incomplete.error().message, HasSubstr("big-00001-of-00002.gguf"));
  EXPECT_THAT(incomplete.error().hint, HasSubstr("2 files"));
  std::ofstream(part(1)) << "GGUF, first part";
  const auto server = LlamaServer::Of(io_.get_executor(), part(2));
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_EQ((*server)->file(), part(1));
  EXPECT_EQ((*server)->bytes(), 33U);
}

TEST_F(GgufModelTest, OtherFilesAndAMissingServerAreErrors) {
  std::ofstream(file_) << "PK not a model";
  EXPECT_EQ(Serve().error().code, ErrorCode::kInput);
  std::ofstream(file_) << "GGUF";
  Set("ZERMELO_LLAMA_SERVER", "/nonexistent");
  EXPECT_EQ(Serve().error().code, ErrorCode::kEnvironment);
  ::unsetenv("ZERMELO_LLAMA_SERVER");
  const std::string path = std::getenv("PATH");
  Set("PATH", folder_.path());
  const auto server = Serve();
  Set("PATH", path);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kEnvironment);
  EXPECT_THAT(server.error().hint, HasSubstr("llama.cpp"));
}

}  // namespace
}  // namespace zermelo::engine
