#include "core/process/sandbox.h"

#include <csignal>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/syscall.h>

#include "core/files/file.h"
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

  /// The name of the error with which a system call fails. `arguments`: in Python.
  std::string ErrorOf(long call, const std::string& arguments) {
    return Python(
        "import ctypes, errno, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "numbers = [" +
        std::to_string(call) + ", " + arguments +
        "]\n"
        "result = libc.syscall(*map(ctypes.c_long, numbers))\n"
        "print(errno.errorcode[ctypes.get_errno()] if result < 0 else 'no error')");
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

TEST_F(SandboxTest, APairOfSocketsReachesNobodyElse) {
  const std::string pair =
      "import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n";
  EXPECT_EQ(Python(pair + "a.send(b'x'); print(b.recv(1))"), "b'x'\n");
  for (const char* attempt : {"a.sendto(b'x', '/run/systemd/notify')", "a.connect('\\0other')",
                              "a.bind('\\0own')", "a.sendmsg([b'x'])"}) {
    EXPECT_THAT(Python(pair + attempt), HasSubstr("PermissionError")) << attempt;
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

TEST_F(SandboxTest, OtherProcessesCannotBeSignalled) {
  for (const char* attempt :
       {"os.kill(os.getppid(), 9)", "os.kill(0, 0)", "os.kill(-1, 0)", "os.kill(1, 0)",
        "os.pidfd_open(os.getppid())", "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
        "fcntl.fcntl(0, fcntl.F_SETSIG, 9)",
        "fcntl.ioctl(socket.socketpair()[0], 0x8901, struct.pack('i', os.getppid()))",
        "fcntl.ioctl(socket.socketpair()[0], 0x8902, struct.pack('i', os.getppid()))"}) {
    EXPECT_THAT(Python(std::string("import fcntl, os, socket, struct; ") + attempt),
                HasSubstr("PermissionError"))
        << attempt;
  }
  for (const long call : {SYS_tgkill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    EXPECT_EQ(ErrorOf(call, "os.getppid(), os.getppid(), 0, 0"), "EPERM\n") << call;
}

TEST_F(SandboxTest, OtherProcessesCannotBeReadOrTraced) {
  for (const bool processes : {false, true}) {
    rules_.processes = processes;
    // 0: PTRACE_TRACEME. None of these would be an EPERM otherwise.
    for (const long call : {SYS_ptrace, SYS_pidfd_getfd, SYS_pidfd_send_signal})
      EXPECT_EQ(ErrorOf(call, "0, 0, 0, 0"), "EPERM\n") << call;
    for (const long call : {SYS_process_vm_readv, SYS_process_vm_writev})
      EXPECT_EQ(ErrorOf(call, "os.getpid(), 0, 0, 0, 0, 0"), "EPERM\n") << call;
  }
}

TEST_F(SandboxTest, ItDiesWithItsParentAndSharesNothingWithOthers) {
  EXPECT_EQ(ErrorOf(SYS_prctl, "1, 0, 0, 0, 0"), "EPERM\n");  // PR_SET_PDEATHSIG
  for (const long call : {SYS_shmget, SYS_shmat, SYS_semget, SYS_msgget, SYS_mq_open, SYS_add_key,
                          SYS_request_key, SYS_keyctl})
    EXPECT_EQ(ErrorOf(call, "0, 0, 0, 0, 0"), "EPERM\n") << call;
}

TEST_F(SandboxTest, WhatRootMayDoToTheMachineIsRefused) {
  constexpr int kMountSetattr = 442, kQuotactlFd = 443, kOpenTreeAttr = 467;
  for (const long call :
       {SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot,
        SYS_swapoff, SYS_clock_settime, SYS_settimeofday, SYS_mount, SYS_umount2, SYS_chroot,
        SYS_sethostname, SYS_syslog, SYS_open_by_handle_at, SYS_mknodat, SYS_fanotify_init,
        kMountSetattr, kQuotactlFd, kOpenTreeAttr})
    EXPECT_EQ(ErrorOf(call, "0, 0, 0, 0, 0"), "EPERM\n") << call;
  // FIFREEZE and FITHAW of standard input, a pipe.
  for (const char* command : {"0xc0045877", "0xc0045878"})
    EXPECT_EQ(ErrorOf(SYS_ioctl, "0, " + std::string(command) + ", 0"), "EPERM\n") << command;
}

TEST_F(SandboxTest, ItsOwnThreadsCanBeSignalled) {
  EXPECT_EQ(Python("import os, signal, threading\n"
                   "signal.signal(signal.SIGUSR1, lambda *_: print('caught'))\n"
                   "os.kill(os.getpid(), signal.SIGUSR1)\n"
                   "signal.raise_signal(signal.SIGUSR1)\n"
                   "signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)"),
            "caught\ncaught\ncaught\n");
}

TEST_F(SandboxTest, WithProcessesSignalsStayInside) {
  if (DescribeSandbox().landlock_abi < 6) GTEST_SKIP() << "needs Landlock 6";
  rules_.processes = true;
  EXPECT_THAT(Python("import os; os.kill(os.getppid(), 9)"), HasSubstr("PermissionError"));
  EXPECT_EQ(Python("import subprocess; child = subprocess.Popen(['/bin/sleep', '60'])\n"
                   "child.kill(); print(child.wait())"),
            "-9\n");
}

TEST_F(SandboxTest, LimitsOfOtherProcessesCannotBeChanged) {
  for (const char* attempt :
       {"resource.prlimit(os.getppid(), resource.RLIMIT_CORE)",
        "os.sched_setaffinity(os.getppid(), {0})", "os.setpriority(os.PRIO_PROCESS, 1, 19)",
        "os.setpriority(os.PRIO_USER, 0, 19)", "os.setpriority(os.PRIO_PGRP, 0, 19)",
        "os.sched_setscheduler(os.getppid(), os.SCHED_BATCH, os.sched_param(0))",
        "os.sched_setparam(os.getppid(), os.sched_param(0))"}) {
    EXPECT_THAT(Python(std::string("import os, resource; ") + attempt),
                HasSubstr("PermissionError"))
        << attempt;
  }
  for (const long call : {SYS_sched_setattr, SYS_ioprio_set, SYS_kcmp, SYS_move_pages,
                          SYS_migrate_pages, SYS_process_madvise})
    EXPECT_EQ(ErrorOf(call, "os.getppid(), os.getppid(), 0, 0, 0, 0"), "EPERM\n") << call;
}

TEST_F(SandboxTest, ItsOwnLimitsCanBeLowered) {
  EXPECT_EQ(Python("import os, resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
                   "os.sched_setaffinity(0, os.sched_getaffinity(0))\n"
                   "os.setpriority(os.PRIO_PROCESS, 0, 19); print('lowered')"),
            "lowered\n");
}

TEST_F(SandboxTest, AttributesOfFilesCannotBeChanged) {
  for (const char* folder : {"OWN", "OUTSIDE"}) {
    const std::string path =
        "import os; path = os.environ['" + std::string(folder) + "'] + '/secret'; ";
    ASSERT_TRUE(WriteFileAtomically(own_.path() / "secret", "secret"));
    for (const char* attempt :
         {"os.truncate(path, 0)", "os.chown(path, 0, 0)", "os.lchown(path, 0, 0)", "os.utime(path)",
          "os.utime(path, (0, 0))", "os.setxattr(path, 'user.a', b'b')",
          "os.setxattr(path, 'user.a', b'b', follow_symlinks=False)",
          "os.removexattr(path, 'user.a')"}) {
      EXPECT_THAT(Python(path + attempt), HasSubstr("PermissionError")) << folder << attempt;
    }
    // The embedded Lean needs that it is no error.
    EXPECT_EQ(Python(path + "before = os.stat(path).st_mode; os.chmod(path, 0o777)\n"
                            "print(os.stat(path).st_mode == before)"),
              "True\n");
  }
  EXPECT_THAT(Python("import os; path = os.environ['OWN'] + '/secret'\n"
                     "os.fchown(os.open(path, os.O_RDONLY), 0, 0)"),
              HasSubstr("PermissionError"));
  constexpr long kSetxattrat = 463, kRemovexattrat = 466, kFileSetattr = 469;
  for (const long call : {kSetxattrat, kRemovexattrat, kFileSetattr})
    EXPECT_EQ(ErrorOf(call, "0, 0, 0, 0, 0, 0"), "EPERM\n") << call;
}

TEST_F(SandboxTest, FlagsOfFilesCannotBeChanged) {
  ASSERT_TRUE(WriteFileAtomically(own_.path() / "secret", "secret"));
  const auto error_of = [&](const std::string& command) {
    return ErrorOf(SYS_ioctl, "os.open(os.environ['OWN'] + '/secret', os.O_RDONLY), " + command +
                                  ", ctypes.addressof(buffer := ctypes.create_string_buffer(64))");
  };
  // FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY and
  // BTRFS_IOC_SUBVOL_SETFLAGS; the kernel ignores the upper half.
  for (const char* command : {"0x40086602", "0x40046602", "0x401c5820", "0x40806685", "0x4008941a",
                              "(7 << 32) + 0x40086602"})
    EXPECT_EQ(error_of(command), "EPERM\n") << command;
  EXPECT_EQ(error_of("0x541b"), "no error\n");  // FIONREAD
}

TEST_F(SandboxTest, OpeningAFileToReadDoesNotCutIt) {
  const std::string path = "import os; path = os.environ['OWN'] + '/a'; open(path, 'w').close()\n";
  for (const char* mode : {"os.O_RDONLY | os.O_TRUNC", "os.O_ACCMODE"})
    EXPECT_THAT(Python(path + "os.open(path, " + mode + ")"), HasSubstr("PermissionError")) << mode;
  EXPECT_EQ(Python(path + "os.open(path, os.O_RDWR | os.O_TRUNC); print('open')"), "open\n");
}

TEST_F(SandboxTest, AnOpenFileOfItsOwnCanBeCut) {
  EXPECT_EQ(Python("import os; file = open(os.environ['OWN'] + '/a', 'w+'); file.write('long')\n"
                   "file.truncate(2); file.seek(0); print(file.read())"),
            "lo\n");
}

TEST_F(SandboxTest, NamespacesAndCountersOfEventsAreRefused) {
  for (const bool processes : {false, true}) {
    rules_.processes = processes;
    EXPECT_EQ(ErrorOf(SYS_unshare, std::to_string(CLONE_NEWUSER)), "EPERM\n");
    EXPECT_EQ(ErrorOf(SYS_setns, "0, 0"), "EPERM\n");
    EXPECT_EQ(ErrorOf(SYS_perf_event_open, "0, 0, -1, -1, 0"), "EPERM\n");
    for (const int flag : {CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS, CLONE_NEWNET})
      EXPECT_EQ(ErrorOf(SYS_clone, std::to_string(flag | SIGCHLD) + ", 0, 0, 0, 0"), "EPERM\n");
  }
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
