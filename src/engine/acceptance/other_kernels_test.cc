// Stand-ins for the kernels of a toolchain: Python scripts that speak their command lines.
#include "engine/acceptance/other_kernels.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "core/files/file.h"
#include "core/testing/testing.h"

namespace zermelo::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using trust::Decision;
using trust::KernelVerdict;

constexpr const char* kFiles[] = {"leanchecker-paranoid", "lean4lean", "nanoda_bin", "con-leche",
                                  "con-ron"};

class OtherKernelsTest : public ::testing::Test {
 protected:
  OtherKernelsTest()
      : toolchain_folder_(*core::TemporaryFolder::Create("toolchain")),
        export_folder_(*core::TemporaryFolder::Create("export")) {
    fs::create_directory(toolchain_folder_.path() / "bin");
    toolchain_.search_path = {"/a/package", toolchain_folder_.path() / "lib/lean"};
    toolchain_.version = "4.35.0";
    toolchain_.sandbox.emplace();
    std::ofstream(Exported()) << "the export";
    limits_.time = std::chrono::seconds(60);
  }
  ~OtherKernelsTest() override {
    core::testing::RunOut(io_);
    EXPECT_TRUE(core::testing::Children().empty()) << "everything is reaped";
  }

  fs::path Exported() const { return export_folder_.path() / "candidate.ndjson"; }

  void Install(const std::string& file, const std::string& body) {
    const fs::path path = toolchain_folder_.path() / "bin" / file;
    std::ofstream(path) << "#!/usr/bin/python3 -ISB\nimport os, sys\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }

  // Programs that look at their arguments and accept.
  void InstallAll() {
    const std::string read = "assert open(sys.argv[-1]).read() == 'the export', 'not the export'\n";
    Install(kFiles[0],
            "assert sys.argv[1:-1] == ['--silent', '--from-export'], sys.argv[1:]\n" + read);
    Install(kFiles[1], "assert sys.argv[1:-1] == ['--import'], sys.argv[1:]\n" + read);
    Install(kFiles[2], R"(import json
config = json.load(open(sys.argv[1]))
assert config['unsafe_permit_all_axioms'] and not config['use_stdin'], config
assert open(config['export_file_path']).read() == 'the export'
print('Checked 1 declarations with no errors'))");
    Install(kFiles[3], "assert len(sys.argv) == 2\n" + read + "print('accepted 1 declarations')");
    Install(kFiles[4],
            "assert len(sys.argv) == 2\n" + read + "print('con-ron: accepted 1 declarations')");
  }

  std::vector<KernelVerdict> Run(const std::string& obstacle = "") {
    auto verdicts = core::testing::Await(
        io_, RunOtherKernels(toolchain_, Exported(), obstacle, limits_, nullptr));
    EXPECT_TRUE(verdicts) << verdicts.error().message;
    return verdicts.value_or(std::vector<KernelVerdict>());
  }

  // "accepted", "rejected: why".
  static std::string Said(const KernelVerdict& verdict) {
    return Name(verdict.outcome) + (verdict.reason.empty() ? "" : ": " + verdict.reason);
  }

  // The verdict of the only program that does something else.
  std::string Of(const std::string& file, const std::string& body) {
    InstallAll();
    Install(file, body);
    std::string said = "nothing";
    for (const KernelVerdict& verdict : Run()) {
      const bool is_it =
          verdict.kernel == file || (verdict.kernel == "nanoda" && file == "nanoda_bin");
      if (is_it) said = Said(verdict);
      if (!is_it) {
        EXPECT_EQ(Said(verdict), "accepted") << verdict.kernel << " is not disturbed";
      }
    }
    return said;
  }

  boost::asio::io_context io_;
  core::TemporaryFolder toolchain_folder_, export_folder_;
  lean::Toolchain toolchain_;
  OtherKernels limits_;
};

TEST_F(OtherKernelsTest, EachIsAskedInItsOwnWords) {
  InstallAll();
  std::vector<std::string> names, started;
  limits_.on_start = [&](const std::string& name) { started.push_back(name); };
  for (const KernelVerdict& verdict : Run()) {
    EXPECT_EQ(Said(verdict), "accepted") << verdict.kernel;
    EXPECT_EQ(verdict.version, "4.35.0");
    names.push_back(verdict.kernel);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("leanchecker-paranoid", "lean4lean", "nanoda",
                                            "con-leche", "con-ron"));
  EXPECT_EQ(started, names);
}

TEST_F(OtherKernelsTest, ARejectionIsToldFromADecline) {
  const std::string said = "print('t: type mismatch\\x1b[0m', file=sys.stderr);";
  for (const char* file : kFiles) {
    EXPECT_EQ(Of(file, said + "sys.exit(1)"), "rejected: t: type mismatch[0m") << file;
    EXPECT_EQ(Of(file, said + "sys.exit(2)"), "declined: t: type mismatch[0m") << file;
  }
  EXPECT_EQ(Of("lean4lean", "sys.exit(1)"), "rejected: it gives no reason");
}

TEST_F(OtherKernelsTest, APanicOfNanodaIsARejection) {
  EXPECT_EQ(Of("nanoda_bin", R"(print("""thread 'main' panicked at src/tc.rs:12:5:
assertion failed: t
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace""", file=sys.stderr)
sys.exit(101))"),
            "rejected: assertion failed: t");
}

TEST_F(OtherKernelsTest, WhatHangsCrashesOrFailsDeclines) {
  // Python may need more than the short limit to start.
  limits_.on_start = [&](const std::string& name) {
    limits_.time = std::chrono::seconds(name == "con-ron" ? 1 : 60);
  };
  EXPECT_EQ(Of("con-ron", "import time\ntime.sleep(600)"), "declined: it needs more than 1 s");
  limits_.on_start = {};
  limits_.time = std::chrono::seconds(60);
  EXPECT_EQ(Of("lean4lean", "print('oh', file=sys.stderr, flush=True)\nos.abort()"),
            "declined: it crashed (killed by signal Aborted): oh");
  EXPECT_EQ(Of("con-leche", "print('con-leche: malformed input', file=sys.stderr)\nsys.exit(3)"),
            "declined: it failed (exit code 3): con-leche: malformed input");
}

TEST_F(OtherKernelsTest, MemoryIsLimited) {
  limits_.bytes = 100U << 20U;
  EXPECT_EQ(Of("nanoda_bin", "x = b'x' * (300 << 20)\nimport time\ntime.sleep(600)"),
            "declined: it needs more than 100 MB of memory");
  EXPECT_EQ(Of("con-leche", "print('INTERNAL PANIC: out of memory', file=sys.stderr)\nsys.exit(1)"),
            "declined: there is not enough memory for it");
}

// The candidate chooses the names in a message.
TEST_F(OtherKernelsTest, ARejectionThatMentionsMemoryIsARejection) {
  EXPECT_THAT(Of("con-leche", R"(print("""con-leche: rejected: unknown constant
INTERNAL PANIC: out of memory""", file=sys.stderr)
sys.exit(1))"),
              HasSubstr("rejected"));
}

TEST_F(OtherKernelsTest, ExitCodeZeroWithoutAVerdictIsNone) {
  for (const char* file : {"nanoda_bin", "con-leche", "con-ron"}) {
    EXPECT_EQ(Of(file, "print('parse only')"), "declined: it ended without a verdict: parse only")
        << file;
  }
  EXPECT_EQ(Of("con-ron", "sys.stdout.buffer.write(bytes(range(256)) * 20000)").substr(0, 40),
            "declined: it ended without a verdict:  !");
}

TEST_F(OtherKernelsTest, WhatIsMissingOrNoProgramDeclines) {
  InstallAll();
  fs::remove(toolchain_folder_.path() / "bin" / "con-ron");
  std::ofstream(toolchain_folder_.path() / "bin" / "lean4lean") << "not a program";
  const auto verdicts = Run();
  ASSERT_EQ(verdicts.size(), 5U);
  EXPECT_EQ(Said(verdicts[4]), "declined: this toolchain does not have it");
  EXPECT_THAT(Said(verdicts[1]), HasSubstr("declined: cannot start"));
  EXPECT_EQ(Said(verdicts[2]), "accepted");
}

TEST_F(OtherKernelsTest, AToolchainWithoutAnyIsAnError) {
  const auto search_path = toolchain_.search_path;
  for (const auto& folders : {search_path, std::vector<fs::path>()}) {
    toolchain_.search_path = folders;
    const auto status = CheckHasOtherKernels(toolchain_);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, core::ErrorCode::kEnvironment);
    EXPECT_THAT(status.error().message, HasSubstr("Lean 4.35.0 comes without other kernels"));
  }
  toolchain_.search_path = search_path;
  Install("nanoda_bin", "");
  EXPECT_TRUE(CheckHasOtherKernels(toolchain_));
}

TEST_F(OtherKernelsTest, NoneIsAskedAboutWhatNoKernelCouldJudge) {
  InstallAll();
  for (const char* file : kFiles) Install(file, "sys.exit(1)");
  for (const KernelVerdict& verdict : Run("`x` is hidden"))
    EXPECT_EQ(Said(verdict), "declined: `x` is hidden");
}

TEST_F(OtherKernelsTest, TheyCanNeitherWriteNorStartProcesses) {
  if (core::DescribeSandbox().landlock_abi == 0 || !core::DescribeSandbox().seccomp)
    GTEST_SKIP() << "this kernel cannot confine a program";
  EXPECT_EQ(Of("con-ron", R"(
for attempt in (lambda: open(os.path.join(os.path.dirname(sys.argv[1]), 'new'), 'w'),
                lambda: open(sys.argv[1], 'a'), lambda: open('/etc/passwd'), os.fork):
    try:
        attempt()
        print('allowed', file=sys.stderr)
        sys.exit(1)
    except OSError:
        pass
print('accepted 1 declarations'))"),
            "accepted");
}

TEST_F(OtherKernelsTest, ACancelledJudgementEndsThem) {
  InstallAll();
  Install("leanchecker-paranoid", "import time\ntime.sleep(600)");
  core::Cancellation cancellation;
  limits_.on_start = [&](const std::string&) {
    boost::asio::post(io_, [&] { cancellation.Request(); });
  };
  const auto verdicts = core::testing::Await(
      io_, RunOtherKernels(toolchain_, Exported(), "", limits_, &cancellation));
  ASSERT_FALSE(verdicts);
  EXPECT_EQ(verdicts.error().code, core::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace zermelo::engine
