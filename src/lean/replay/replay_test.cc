// Stand-ins for a Lean that runs replay.lean: Python scripts. tests/e2e/trust/replay_test.py has
// the real one.
#include "lean/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::lean {
namespace {

using ::testing::HasSubstr;

TEST(ReplayAnswerTest, HasThreeVerdicts) {
  const auto accepted = ParseReplayAnswer(R"({"constants":12,"verdict":"accepted"})");
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->outcome, ReplayOutcome::kAccepted);
  EXPECT_EQ(accepted->constants, 12U);
  const auto rejected =
      ParseReplayAnswer("{\"declaration\":\"a.b\",\"reason\":\"x\\ny\",\"verdict\":\"rejected\"}");
  ASSERT_TRUE(rejected);
  EXPECT_EQ(rejected->outcome, ReplayOutcome::kRejected);
  EXPECT_EQ(rejected->declaration, "a.b");
  EXPECT_EQ(rejected->reason, "x y") << "a sentence has one line";
  const auto declined =
      ParseReplayAnswer(R"({"declaration":null,"reason":"no","verdict":"declined"})");
  ASSERT_TRUE(declined);
  EXPECT_EQ(declined->outcome, ReplayOutcome::kDeclined);
  EXPECT_EQ(declined->declaration, "");
}

TEST(ReplayAnswerTest, NothingElseIsOne) {
  for (const char* line :
       {"", "accepted", "{}", "[]", "null", R"({"verdict":"accepted"})",
        R"({"verdict":"accepted","constants":"12"})", R"({"verdict":"accepted","constants":1)",
        R"({"verdict":true,"constants":1})", R"({"verdict":"sound","constants":1})",
        R"({"verdict":"rejected","declaration":"t"})", R"({"verdict":"rejected","reason":"t"})",
        R"({"verdict":"rejected","declaration":[],"reason":"t"})"}) {
    EXPECT_FALSE(ParseReplayAnswer(line)) << line;
  }
}

constexpr std::string_view kExported = "{\"imports\":[[\"Init\"]]}\n{}\n";

class ReplayTest : public ::testing::Test {
 protected:
  ~ReplayTest() override {
    core::testing::RunOut(io_);
    EXPECT_TRUE(core::testing::Children().empty()) << "everything is reaped";
  }

  core::Result<ReplayAnswer> Run(const std::string& body) {
    testing::WriteExecutable(folder_.path() / "lean.py",
                             "#!/usr/bin/python3 -IS\nimport os, sys, time\n"
                             "open('starts', 'a').write('x')\n" +
                                 body + "\n");
    Toolchain toolchain = testing::FakeToolchain(folder_.path());
    toolchain.lean = folder_.path() / "lean.py";
    return core::testing::Await(io_, Replay(toolchain, kExported, limits_, &cancellation_));
  }
  // Why it declines.
  std::string Declined(const std::string& body) {
    const auto answer = Run(body);
    EXPECT_TRUE(answer) << answer.error().message;
    if (!answer) return "";
    EXPECT_EQ(answer->outcome, ReplayOutcome::kDeclined);
    return answer->reason;
  }
  size_t Starts() const { return core::ReadTextFile(folder_.path() / "starts")->size(); }

  boost::asio::io_context io_;
  const core::TemporaryFolder folder_ = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  core::Cancellation cancellation_;
  ReplayLimits limits_;
};

constexpr const char* kAccept = R"(print('{"verdict":"accepted","constants":1}'))";

TEST_F(ReplayTest, TheProgramGetsTheExport) {
  const auto answer = Run(std::string(R"(
assert sys.argv[1] == '--run' and 'namespace Zermelo.Replay' in open(sys.argv[2]).read()
assert os.environ['LEAN_ABORT_ON_PANIC'] == '1'
assert sys.stdin.read() == '{"imports":[["Init"]]}\n{}\n'
print('replay.lean:1:0: warning: `x` has been deprecated')
)") + kAccept);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->outcome, ReplayOutcome::kAccepted) << answer->reason;
}

TEST_F(ReplayTest, TheExitCodeAfterAVerdictSaysNothing) {
  const auto answer = Run(std::string(kAccept) + "; sys.exit(144)");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->outcome, ReplayOutcome::kAccepted);
  EXPECT_EQ(Starts(), 1U);
}

TEST_F(ReplayTest, WhatIsNoVerdictDeclines) {
  EXPECT_EQ(Declined("print('replay.lean:1:0: error: unknown constant'); sys.exit(1)"),
            "Lean gave no verdict (exit code 1): replay.lean:1:0: error: unknown constant");
  EXPECT_THAT(Declined("pass"), HasSubstr("Lean gave no verdict"));
  EXPECT_THAT(Declined("sys.stdout.buffer.write(bytes(range(256)) * 9999)"),
              HasSubstr("Lean gave no verdict"));
  EXPECT_THAT(Declined(std::string(kAccept) + "; print('and more')"), HasSubstr("and more"));
}

TEST_F(ReplayTest, AVerdictBeforeADeathIsNone) {
  EXPECT_THAT(Declined(std::string(kAccept) + "; sys.stdout.flush(); os.abort()"),
              HasSubstr("Aborted"));
  EXPECT_EQ(Starts(), 2U);
}

TEST_F(ReplayTest, OneThatDiesIsStartedOnceMore) {
  const auto answer = Run(std::string("if os.path.getsize('starts') < 2: os.abort()\n") + kAccept);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, ReplayOutcome::kAccepted);
}

TEST_F(ReplayTest, OneThatIsSilentIsStartedOnceMoreAndThenGivenUp) {
  limits_.standstill = std::chrono::milliseconds(500);
  EXPECT_EQ(Declined("time.sleep(600)"), "it hung (almost no processor time used)");
  EXPECT_EQ(Starts(), 2U);
}

TEST_F(ReplayTest, TimeIsLimited) {
  limits_.time = std::chrono::seconds(1);
  EXPECT_EQ(Declined("while True: pass"), "it needs more than 1 s");
}

TEST_F(ReplayTest, ACancelledOneEnds) {
  boost::asio::post(io_, [&] { cancellation_.Request(); });
  const auto answer = Run("time.sleep(600)");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, core::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace zermelo::lean
