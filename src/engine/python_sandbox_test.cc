// Runs harmless and hostile programs in the sandbox.
#include "engine/python_sandbox.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/files/file.h"
#include "core/process/sandbox.h"
#include "core/testing/testing.h"

namespace zermelo::engine {
namespace {

using core::PythonResult;
using core::PythonTask;
using ::testing::HasSubstr;
using ::testing::Not;

class PythonSandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!python) GTEST_SKIP() << "this kernel cannot confine a program, so none is run";
  }
  ~PythonSandboxTest() override {
    python.reset();
    core::testing::RunOut(io);
    EXPECT_TRUE(core::testing::Children().empty()) << "everything is reaped";
  }

  PythonResult Run(const std::string& script, double seconds = 20, uint64_t megabytes = 512) {
    PythonTask task;
    task.script = script;
    task.time = core::FromSeconds(seconds);
    task.memory = megabytes << 20U;
    auto result = core::testing::Await(io, python->Run(std::move(task), nullptr));
    if (!result) ADD_FAILURE() << result.error().message;
    return result.value_or(PythonResult());
  }

  boost::asio::io_context io;
  std::unique_ptr<PythonSandbox> python = PythonSandbox::Create(io.get_executor());
};

TEST_F(PythonSandboxTest, RunsAProgramAndReturnsItsOutput) {
  const auto result = Run(
      "import math\nprint(math.comb(10, 3))\nopen('f', 'w').write('x')\nprint(open('f').read())");
  EXPECT_EQ(result.out, "120\nx\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.ended, "");
}

TEST_F(PythonSandboxTest, ATracebackIsReturned) {
  const auto result = Run("def f():\n    return 1 / 0\nf()\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.errors, HasSubstr("main.py\", line 2"));
  EXPECT_THAT(result.errors, HasSubstr("ZeroDivisionError"));
  EXPECT_EQ(Run("import sys; sys.exit(7)").code, 7);
  EXPECT_THAT(Run("print(").errors, HasSubstr("SyntaxError"));
  EXPECT_THAT(Run(std::string("print('a\xff')\n\0", 13)).errors + "x", HasSubstr("x"));
}

TEST_F(PythonSandboxTest, AnEndlessLoopIsKilled) {
  const auto started = core::Clock::now();
  const auto result = Run("print('begun', flush=True)\nwhile True: pass", 3);
  EXPECT_EQ(result.out, "begun\n") << "earlier output is returned";
  EXPECT_THAT(result.ended, HasSubstr("after"));
  EXPECT_LT(core::Clock::now() - started, std::chrono::seconds(60));
}

TEST_F(PythonSandboxTest, CannotStartAProcess) {
  const auto result =
      Run("import os, subprocess\n"
          "def tried(f):\n"
          "  try: f(); print('done')\n"
          "  except OSError as e: print(e.strerror)\n"
          "tried(os.fork)\n"
          "tried(lambda: subprocess.run(['/bin/true']))\n"
          "tried(lambda: os.posix_spawn('/bin/true', ['true'], {}))\n"
          "tried(os.setsid)\n"
          "tried(lambda: os.kill(os.getppid(), 9))\n");
  EXPECT_THAT(result.out, Not(HasSubstr("done")));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 5) << result.errors;
}

TEST_F(PythonSandboxTest, CannotReadEtcOrForeignFiles) {
  const auto secret = core::TemporaryFolder::Create("zermelo-secret-");
  ASSERT_TRUE(secret);
  std::ofstream(secret->path() / "key") << "the key";
  const auto result =
      Run("import os\n"
          "for path in ['/etc/passwd', '/etc/hostname', '/proc/1/environ', '/root/.profile', '" +
          (secret->path() / "key").string() +
          "', '/proc/self/root/etc/passwd']:\n"
          "  try: print(open(path).read())\n"
          "  except OSError as e: print('refused')\n"
          "for path in ['/etc', '/home', '/tmp', '" +
          secret->path().string() +
          "']:\n"
          "  try: print(os.listdir(path))\n"
          "  except OSError as e: print('refused')\n"
          "for path in ['/tmp/zermelo-left-behind', '../left-behind']:\n"
          "  try: open(path, 'w'); print('written')\n"
          "  except OSError as e: print('refused')\n"
          "print(sorted(k for k in os.environ if 'KEY' in k))\n");
  std::string expected;
  for (int i = 0; i < 12; ++i) expected += "refused\n";
  EXPECT_EQ(result.out, expected + "[]\n") << result.errors;
}

TEST_F(PythonSandboxTest, CannotOpenASocket) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const auto result =
      Run("import socket\n"
          "for make in (lambda: socket.create_connection(('127.0.0.1', " +
          std::to_string(ntohs(address.sin_port)) +
          ")), lambda: socket.socket(socket.AF_UNIX), lambda: socket.socketpair()):\n"
          "  try: make(); print('open')\n"
          "  except OSError as e: print('refused')\n");
  EXPECT_THAT(result.out, ::testing::StartsWith("refused\nrefused\n")) << result.errors;
  ::close(listener);
}

TEST_F(PythonSandboxTest, AGigabyteOfOutputIsTruncatedInTheMiddle) {
  const auto result =
      Run("import sys\nprint('begin')\nfor _ in range(1024): sys.stdout.write('x' * (1 << 20))\n"
          "print('end')",
          40);
  EXPECT_LT(result.out.size(), 20'000U);
  EXPECT_THAT(result.out, ::testing::StartsWith("begin\nxxx"));
  EXPECT_THAT(result.out, HasSubstr("bytes left out"));
  EXPECT_LT(core::testing::ResidentBytes(), 400ULL << 20U);
  if (!result.ended.empty()) GTEST_SKIP() << "contained, but this machine is too slow to print all";
  EXPECT_THAT(result.out, ::testing::EndsWith("xxxend\n"));
  EXPECT_EQ(result.code, 0);
}

TEST_F(PythonSandboxTest, MemoryIsLimited) {
  EXPECT_THAT(Run("x = bytearray(10 << 30)").errors, HasSubstr("MemoryError"));
  // Root can lift the limit; then the watcher ends the program.
  const auto result =
      Run("import resource, time\n"
          "try: resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\n"
          "except (ValueError, OSError): pass\n"
          "x = []\n"
          "while True: x.append(bytearray(b'x' * (1 << 20))); time.sleep(0.001)\n",
          20, 128);
  EXPECT_TRUE(result.ended == "at 128 MiB of memory" || result.code != 0) << result.ended;
}

TEST_F(PythonSandboxTest, FilesThatFillTheDiskEndTheProgram) {
  const auto result =
      Run("import time\n"
          "for i in range(100000):\n"
          "  open(str(i), 'wb').write(b'x' * (1 << 20)); time.sleep(0.001)\n");
  EXPECT_EQ(result.ended, "because its files are too large or too many");
}

TEST_F(PythonSandboxTest, ACancelledProgramIsKilled) {
  core::Cancellation cancellation;
  PythonTask task;
  task.script = "import time\ntime.sleep(100)";
  core::testing::Started run(io, python->Run(std::move(task), &cancellation));
  core::testing::RunUntil(io, [&] { return !core::testing::Children().empty(); });
  cancellation.Request();
  const auto result = run.Get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, core::ErrorCode::kCancelled);
}

TEST_F(PythonSandboxTest, ThreeProgramsShareTwoSlots) {
  PythonTask task;
  task.script = "print('here')";
  std::vector<std::unique_ptr<core::testing::Started<core::Result<PythonResult>>>> runs;
  for (int i = 0; i < 3; ++i) {
    runs.push_back(std::make_unique<core::testing::Started<core::Result<PythonResult>>>(
        io, python->Run(task, nullptr)));
  }
  for (const auto& run : runs) {
    const PythonResult result = run->Get().value();
    EXPECT_EQ(result.out, "here\n") << result.code << result.ended << result.errors;
  }
}

}  // namespace
}  // namespace zermelo::engine
