#include "core/process/sandbox.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/fd.h"

namespace zermelo::core {

namespace fs = std::filesystem;

namespace {

// Debian 12's headers define Landlock up to version 2; later constants are from linux/landlock.h.
constexpr uint64_t kTruncate = 1ULL << 14U;     // version 3
constexpr uint64_t kIoctlDevice = 1ULL << 15U;  // version 5

struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;  // version 4: bind and connect of TCP
  uint64_t scoped = 0;   // version 6: abstract Unix sockets and signals to the outside
};

constexpr uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kReadFolder = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr uint64_t kWriteFolder = kReadFolder | kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                  LANDLOCK_ACCESS_FS_MAKE_REG;

int LandlockVersion() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return static_cast<int>(std::max(version, 0L));
}

/// Everything that a version of Landlock can restrict.
RulesetAttributes Governed(int version) {
  RulesetAttributes governed;
  governed.files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;
  if (version >= 2) governed.files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) governed.files |= kTruncate;
  if (version >= 4) governed.network = 3;
  if (version >= 5) governed.files |= kIoctlDevice;
  if (version >= 6) governed.scoped = 3;
  return governed;
}

/// Older kernels accept only a shorter structure.
size_t AttributesSize(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

bool HasSeccomp() {
  uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/// Async-signal-safe.
bool Allow(int ruleset, const char* path, uint64_t access) {
  const Fd at(::open(path, O_PATH | O_CLOEXEC));
  struct stat info {};
  if (at.get() < 0 || ::fstat(at.get(), &info) != 0) return true;  // missing: nothing to allow
  if (!S_ISDIR(info.st_mode)) access &= kReadFile | kWriteFile | kIoctlDevice;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = at.get();
  return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

/// The seccomp program that refuses sockets, access to other processes, leaving the process group
/// and, unless `processes`, new processes. Empty if it cannot be built.
std::vector<sock_filter> SystemCallFilter(bool processes) {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                seccomp_release);
  if (!filter) return {};
  const auto refuse = [&](int error, int call) {
    return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(static_cast<uint16_t>(error)), call, 0);
  };
  bool ok = true;
  // io_uring can create sockets without the system call. A process must stay in its process group,
  // through which it is killed.
  for (const int call :
       {SCMP_SYS(socket), SCMP_SYS(io_uring_setup), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv),
        SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(bpf), SCMP_SYS(userfaultfd),
        SCMP_SYS(keyctl), SCMP_SYS(setsid), SCMP_SYS(setpgid)}) {
    ok = ok && refuse(EPERM, call) == 0;
  }
  if (!processes) {
    ok = ok && refuse(EPERM, SCMP_SYS(fork)) == 0 && refuse(EPERM, SCMP_SYS(vfork)) == 0;
    // Threads need clone. clone3's flags are behind a pointer, which a filter cannot follow; on
    // ENOSYS the C library falls back to clone.
    ok = ok && refuse(ENOSYS, SCMP_SYS(clone3)) == 0;
    ok = ok && seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0;
  }
  if (!ok) return {};
  const Fd file(::memfd_create("seccomp", MFD_CLOEXEC));
  if (file.get() < 0 || seccomp_export_bpf(filter.get(), file.get()) != 0) return {};
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::vector<sock_filter> program(static_cast<size_t>(size) / sizeof(sock_filter));
  if (::pread(file.get(), program.data(), static_cast<size_t>(size), 0) != size) return {};
  return program;
}

}  // namespace

struct Sandbox::Impl {
  Fd ruleset;                        // -1: this kernel has no Landlock
  uint64_t own_process = 0;          // rights in /proc/self, which only the child can open
  std::vector<sock_filter> program;  // empty: this kernel has no seccomp
  uint64_t max_file_bytes = 0;
};

Sandbox::Sandbox(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&&) noexcept = default;
Sandbox::~Sandbox() = default;

Result<Sandbox> Sandbox::Prepare(const SandboxRules& rules) {
  auto impl = std::make_unique<Impl>();
  impl->max_file_bytes = rules.max_file_bytes;
  const auto failed = [](const char* what) {
    return Fail(ErrorCode::kEnvironment,
                std::string("cannot prepare the sandbox: ") + what + ": " + std::strerror(errno));
  };
  if (const int version = LandlockVersion(); version > 0) {
    const RulesetAttributes governed = Governed(version);
    impl->ruleset = Fd(static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &governed, AttributesSize(version), 0)));
    impl->own_process = kReadFolder & governed.files;
    if (impl->ruleset.get() < 0) return failed("Landlock");
    bool ok = true;
    for (const auto& path : rules.read) {
      ok = ok && Allow(impl->ruleset.get(), path.c_str(), kReadFolder & governed.files);
    }
    for (const auto& path : rules.write) {
      ok = ok && Allow(impl->ruleset.get(), path.c_str(), kWriteFolder & governed.files);
    }
    // Many programs write to /dev/null.
    ok = ok && Allow(impl->ruleset.get(), "/dev/null", (kReadFile | kWriteFile) & governed.files);
    if (!ok) return failed("Landlock rule");
  }
  if (HasSeccomp()) {
    impl->program = SystemCallFilter(rules.processes);
    if (impl->program.empty()) return failed("seccomp");
  }
  return Sandbox(std::move(impl));
}

bool Sandbox::Enter() const {
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = impl_->max_file_bytes;
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  limit.rlim_cur = limit.rlim_max = 0;
  if (::setrlimit(RLIMIT_CORE, &limit) != 0) return false;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (impl_->ruleset.get() >= 0 &&
      (!Allow(impl_->ruleset.get(), "/proc/self", impl_->own_process) ||
       ::syscall(SYS_landlock_restrict_self, impl_->ruleset.get(), 0) != 0)) {
    return false;
  }
  if (impl_->program.empty()) return true;
  sock_fprog program{};
  program.len = static_cast<unsigned short>(impl_->program.size());
  program.filter = const_cast<sock_filter*>(impl_->program.data());
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

std::vector<fs::path> SystemFiles() {
  return {"/usr",
          "/lib",
          "/lib32",
          "/lib64",
          "/bin",
          "/nix/store",
          "/etc/ld.so.cache",
          "/etc/ld.so.preload",
          "/etc/localtime",
          "/etc/alternatives",
          "/dev/zero",
          "/dev/random",
          "/dev/urandom",
          "/proc/meminfo",
          "/proc/cpuinfo",
          "/proc/stat",
          "/proc/version",
          "/proc/sys/vm",
          "/sys/devices/system/cpu",
          "/sys/fs/cgroup"};
}

SandboxAbilities DescribeSandbox() {
  return {.landlock_abi = LandlockVersion(), .seccomp = HasSeccomp()};
}

}  // namespace zermelo::core
