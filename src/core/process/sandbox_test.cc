#include "core/process/sandbox.h"

#include <gmock/gmock.h>

#include "core/file.h"
#include "core/process/subprocess.h"
#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

using ::testing::HasSubstr;

/// Runs Python in a sandbox and tries what a hostile document could do.
class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const SandboxAbilities abilities = DescribeSandbox();
    if (abilities.landlock_abi == 0 || !abilities.seccomp) {
      GTEST_SKIP() << "this kernel has no Landlock or no seccomp";
    }
    rules_.read = SystemFiles();
    rules_.write = {own_.path()};
    ASSERT_TRUE(WriteFileAtomically(outside_.path() / "secret", "secret"));
  }

  std::string Python(const std::string& script) {
    SubprocessOptions options{.argv = {"/usr/bin/python3", "-c", script}, .sandbox = rules_};
    options.environment["OUTSIDE"] = outside_.path();
    options.environment["OWN"] = own_.path();
    const auto ran = Run(RunProcess(options, "", Deadline::After(std::chrono::seconds(20))));
    if (!ran) return "not started: " + ran.error().message;
    return ran->out + ran->err;
  }

  template <class T>
  T Run(Task<T> task) {
    boost::asio::io_context io;
    return RunToEnd(io, std::move(task));
  }

  TemporaryFolder own_ = *TemporaryFolder::Create("zermelo-own-");
  TemporaryFolder outside_ = *TemporaryFolder::Create("zermelo-outside-");
  SandboxRules rules_;
};

constexpr char kRefused[] = "Error";

TEST_F(SandboxTest, ItsOwnFolderIsWritable) {
  EXPECT_EQ(Python("import os; p = os.environ['OWN'] + '/a'; open(p, 'w').write('x')\n"
                   "os.rename(p, p + 'b'); print(open(p + 'b').read())"),
            "x\n");
}

TEST_F(SandboxTest, ThreadsCanBeStarted) {
  EXPECT_EQ(Python("import threading; t = threading.Thread(target=lambda: print('ran'))\n"
                   "t.start(); t.join()"),
            "ran\n");
}

TEST_F(SandboxTest, PasswordsCannotBeRead) {
  EXPECT_THAT(Python("print(open('/etc/passwd').read())"), HasSubstr("PermissionError"));
}

TEST_F(SandboxTest, OtherFoldersCannotBeReadOrListed) {
  EXPECT_THAT(Python("import os; print(open(os.environ['OUTSIDE'] + '/secret').read())"),
              HasSubstr("PermissionError"));
  EXPECT_THAT(Python("import os; os.listdir(os.environ['OUTSIDE'])"), HasSubstr("PermissionError"));
}

TEST_F(SandboxTest, OtherFoldersCannotBeReachedThroughLinksOrProc) {
  EXPECT_THAT(Python("import os; os.symlink(os.environ['OUTSIDE'], os.environ['OWN'] + '/link')"),
              HasSubstr(kRefused));
  EXPECT_THAT(Python("import os; print(open('/proc/self/root' + os.environ['OUTSIDE'] + '/secret')"
                     ".read())"),
              HasSubstr("PermissionError"));
}

TEST_F(SandboxTest, OtherFoldersCannotBeChanged) {
  EXPECT_THAT(Python("import os; open(os.environ['OUTSIDE'] + '/new', 'w')"),
              HasSubstr("PermissionError"));
  EXPECT_THAT(Python("import os; os.remove(os.environ['OUTSIDE'] + '/secret')"),
              HasSubstr("PermissionError"));
  EXPECT_THAT(Python("import os; os.truncate(os.environ['OUTSIDE'] + '/secret', 0)"),
              HasSubstr("PermissionError"));
}

TEST_F(SandboxTest, SocketsCannotBeOpened) {
  for (const char* family : {"AF_INET", "AF_INET6", "AF_UNIX"}) {
    EXPECT_THAT(Python(std::string("import socket; socket.socket(socket.") + family + ")"),
                HasSubstr("PermissionError"));
  }
}

TEST_F(SandboxTest, ProcessesCannotBeStarted) {
  EXPECT_THAT(Python("import os; os.fork()"), HasSubstr("PermissionError"));
  EXPECT_THAT(Python("import subprocess; subprocess.run(['/bin/true'])"), HasSubstr(kRefused));
  rules_.processes = true;
  EXPECT_EQ(Python("import subprocess; print(subprocess.run(['/bin/true']).returncode)"), "0\n");
}

TEST_F(SandboxTest, ChildrenAreConfinedToo) {
  rules_.processes = true;
  EXPECT_THAT(Python("import subprocess; subprocess.run(['/bin/cat', '/etc/passwd'])"),
              HasSubstr("Permission denied"));
}

TEST_F(SandboxTest, ItCannotLeaveItsProcessGroup) {
  EXPECT_THAT(Python("import os; os.setsid()"), HasSubstr("PermissionError"));
}

TEST_F(SandboxTest, TheParentCannotBeKilled) {
  if (DescribeSandbox().landlock_abi < 6) GTEST_SKIP() << "needs Landlock 6";
  EXPECT_THAT(Python("import os; os.kill(os.getppid(), 9)"), HasSubstr("PermissionError"));
}

TEST_F(SandboxTest, FilesHaveALimit) {
  rules_.max_file_bytes = 1 << 20;
  EXPECT_THAT(Python("import os; open(os.environ['OWN'] + '/big', 'wb').write(bytes(2 << 20))"),
              HasSubstr("File too large"));
}

TEST_F(SandboxTest, KeysInTheEnvironmentAreNotPassedOn) {
  ::setenv("SOME_API_KEY", "k123", 1);
  EXPECT_EQ(Python("import os; print(os.environ.get('SOME_API_KEY'), 'PATH' in os.environ)"),
            "None True\n");
  ::unsetenv("SOME_API_KEY");
}

}  // namespace
}  // namespace zermelo::core
