#include "lean/compile/compiler.h"

#include <fstream>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::lean {
namespace {

using core::Deadline;
using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using std::chrono::milliseconds;
using testing::Fake;

class CompilerTest : public ::testing::Test {
 protected:
  void SetUp() override { Restart(); }
  void TearDown() override {
    compiler.reset();
    core::testing::RunOut(*io);
    EXPECT_TRUE(core::testing::Children().empty());
    io.reset();
    EXPECT_EQ(core::testing::OpenDescriptors(), descriptors_before_);
  }
  void Restart() {
    compiler =
        std::move(*Compiler::Start(io->get_executor(), testing::FakeToolchain(folder.path())));
  }
  Result<CompileResult> Compile(std::string text, Deadline deadline = Generous()) {
    return Await(*io, compiler->Compile(std::move(text), deadline));
  }
  core::Error ErrorOf(std::string text, Deadline deadline = Generous()) {
    const auto result = Compile(std::move(text), deadline);
    EXPECT_FALSE(result);
    return result ? core::Error{} : result.error();
  }

  const size_t descriptors_before_ = core::testing::OpenDescriptors();
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
  std::unique_ptr<Compiler> compiler;
};

TEST_F(CompilerTest, AGoodTextIsOkAndHasAnOlean) {
  const std::string text = "theorem t : 1 := by\n  dec\n  zero\n";
  const auto result = Compile(text);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->ok);
  EXPECT_TRUE(result->diagnostics.empty());
  std::ifstream olean(compiler->olean());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(olean), {}), "olean of " + text);
}

TEST_F(CompilerTest, ACancelledCompilationEndsAtOnce) {
  core::Cancellation cancellation;
  const auto began = folder.path() / "began";
  core::testing::Started<Result<CompileResult>> compiling(
      *io,
      compiler->Compile(Fake("touch " + began.string()) + Fake("hang"), Generous(), &cancellation));
  core::testing::RunUntil(*io, [&] { return std::filesystem::exists(began); });
  cancellation.Request();
  EXPECT_EQ(compiling.Get().error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(core::testing::Children().empty());
  Restart();
  const auto too_late = Await(*io, compiler->Compile("text\n", Generous(), &cancellation));
  EXPECT_EQ(too_late.error().code, ErrorCode::kCancelled);
}

TEST_F(CompilerTest, ADocumentThatFillsTheDiskIsKilled) {
  compiler = std::move(*Compiler::Start(io->get_executor(), testing::FakeToolchain(folder.path()),
                                        {.max_written = 20U << 20U}));
  const auto error = ErrorOf(Fake("flood"));
  EXPECT_EQ(error.code, ErrorCode::kCrashed);
  EXPECT_NE(error.message.find("more than 20 MiB"), std::string::npos) << error.message;
}

TEST_F(CompilerTest, ADocumentThatNeedsTooMuchMemoryIsKilled) {
  const auto result =
      Await(*io, compiler->Compile(Fake("eat 300"), Generous(), nullptr, uint64_t{200} << 20U));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCrashed);
  EXPECT_NE(result.error().message.find("more than 200 MiB of memory"), std::string::npos)
      << result.error().message;
}

TEST_F(CompilerTest, AWarningIsStillOk) {
  const auto result = Compile("theorem t : 1 := by\n  sorry\n");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok);
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_TRUE(SaysSorry(result->diagnostics[0]));
}

TEST_F(CompilerTest, ATextWithErrorsIsAResultThatIsNotOk) {
  const auto result = Compile("theorem t : 1 := by\n  zero\n");
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->ok);
  ASSERT_EQ(result->diagnostics.size(), 1u);
  EXPECT_EQ(result->diagnostics[0].begin, (Position{1, 0}));
  EXPECT_EQ(result->diagnostics[0].message, "1 is not 0");
}

TEST_F(CompilerTest, OtherOutputIsKept) {
  const auto result = Compile(Fake("garbage 10") + Fake("stderr 5"));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok);
  EXPECT_EQ(result->output, "gggggggggg\nxxxxx");
}

TEST_F(CompilerTest, LongOutputIsTruncated) {
  const auto result = Compile(Fake("stderr 3000000"));
  ASSERT_TRUE(result);
  EXPECT_LT(result->output.size(), 20'000u);
}

TEST_F(CompilerTest, AcceptsALargeText) {
  const auto result = Compile(std::string(3'000'000, 'x') + "\n");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok);
}

TEST_F(CompilerTest, SuccessWithoutAnOleanIsACrash) {
  EXPECT_EQ(ErrorOf(Fake("no-olean")).code, ErrorCode::kCrashed);
}

TEST_F(CompilerTest, FailureWithoutAnErrorIsACrash) {
  EXPECT_EQ(ErrorOf(Fake("exit-code 1")).code, ErrorCode::kCrashed);
}

TEST_F(CompilerTest, ErrorsWithExitCodeZeroAreSeenInTheDiagnostics) {
  const auto result = Compile(Fake("error 0 bad") + Fake("exit-code 0"));
  if (result) {
    EXPECT_FALSE(result->ok) << "no .olean, an error, and exit code 0";
  } else {
    EXPECT_EQ(result.error().code, ErrorCode::kCrashed);
  }
}

TEST_F(CompilerTest, DeathByASignalIsACrashThatNamesIt) {
  const core::Error error = ErrorOf(Fake("die 11"));
  EXPECT_EQ(error.code, ErrorCode::kCrashed);
  EXPECT_NE(error.message.find("Segmentation fault"), std::string::npos) << error.message;
}

TEST_F(CompilerTest, ACrashReportsTheEndOfStderr) {
  EXPECT_NE(ErrorOf(Fake("crash PANIC at x")).message.find("PANIC at x"), std::string::npos);
}

TEST_F(CompilerTest, PastTheDeadlineIsATimeout) {
  EXPECT_EQ(ErrorOf(Fake("hang"), Deadline::After(milliseconds(500))).code, ErrorCode::kTimeout);
}

TEST_F(CompilerTest, ALeanThatReadsNoInputIsATimeout) {
  EXPECT_EQ(ErrorOf(Fake("deaf"), Deadline::After(milliseconds(500))).code, ErrorCode::kTimeout);
}

TEST_F(CompilerTest, ServesOneText) {
  ASSERT_TRUE(Compile("a\n"));
  EXPECT_EQ(ErrorOf("b\n").code, ErrorCode::kInternal);
}

TEST_F(CompilerTest, UnusedItLeavesNothingBehind) { compiler.reset(); }

TEST_F(CompilerTest, TheOleanIsDeletedWithTheCompiler) {
  ASSERT_TRUE(Compile("a\n"));
  const auto olean = compiler->olean();
  ASSERT_TRUE(std::filesystem::exists(olean));
  compiler.reset();
  EXPECT_FALSE(std::filesystem::exists(olean.parent_path()));
}

TEST_F(CompilerTest, NoLeanIsAnEnvironmentError) {
  Toolchain toolchain = testing::FakeToolchain(folder.path());
  toolchain.lean = "/no/such/lean";
  const auto started = Compiler::Start(io->get_executor(), toolchain);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kEnvironment);
}

}  // namespace
}  // namespace zermelo::lean
