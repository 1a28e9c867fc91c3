#include "core/process/sandbox.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/btrfs.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "core/files/fd.h"

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

/// Stands in a seccomp program for the number of the process, which is known only after fork.
constexpr uint32_t kOwnProcess = 0x5A45524D;

// Calls that libseccomp may have no names for; they have the same numbers on all architectures.
constexpr int kMountSetattr = 442, kQuotactlFd = 443, kFchmodat2 = 452, kSetxattrat = 463,
              kRemovexattrat = 466, kOpenTreeAttr = 467, kFileSetattr = 469;

scmp_arg_cmp Argument(unsigned position, scmp_compare comparison, uint64_t a, uint64_t b = 0) {
  scmp_arg_cmp argument{};
  argument.arg = position;
  argument.op = comparison;
  argument.datum_a = a;
  argument.datum_b = b;
  return argument;
}
/// The kernel looks at the lower half of such an argument only.
scmp_arg_cmp HasBits(unsigned position, uint32_t mask, uint32_t bits) {
  return Argument(position, SCMP_CMP_MASKED_EQ, mask, bits);
}
/// Also true if the upper half is not zero, although the kernel ignores that: rather too strict.
scmp_arg_cmp IsNot(unsigned position, uint32_t value) {
  return Argument(position, SCMP_CMP_NE, value);
}

/// System calls that fail with an error; all others are allowed.
class CallFilter {
 public:
  CallFilter() : filter_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release), ok_(filter_ != nullptr) {}

  void Refuse(std::initializer_list<int> calls, int error = EPERM) {
    for (const int call : calls) Add(call, error, nullptr);
  }
  void RefuseIf(const scmp_arg_cmp& condition, std::initializer_list<int> calls) {
    for (const int call : calls) Add(call, EPERM, &condition);
  }

  /// Empty if something went wrong.
  std::vector<sock_filter> Program() const {
    const Fd file(ok_ ? ::memfd_create("seccomp", MFD_CLOEXEC) : -1);
    if (file.get() < 0 || seccomp_export_bpf(filter_.get(), file.get()) != 0) return {};
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> program(static_cast<size_t>(size) / sizeof(sock_filter));
    if (::pread(file.get(), program.data(), static_cast<size_t>(size), 0) != size) return {};
    return program;
  }

 private:
  void Add(int call, int error, const scmp_arg_cmp* condition) {
    const unsigned conditions = condition == nullptr ? 0 : 1;
    ok_ = ok_ && seccomp_rule_add_array(filter_.get(), SCMP_ACT_ERRNO(static_cast<uint16_t>(error)),
                                        call, conditions, condition) == 0;
  }

  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter_;
  bool ok_;
};

/// Other processes: their memory, signals and limits. fcntl can have a signal sent to the owner of
/// a pipe.
void RefuseOtherProcesses(CallFilter& filter, bool processes) {
  filter.Refuse({SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
                 SCMP_SYS(process_madvise), SCMP_SYS(process_mrelease), SCMP_SYS(kcmp),
                 SCMP_SYS(move_pages), SCMP_SYS(migrate_pages), SCMP_SYS(pidfd_open),
                 SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(ioprio_set)});
  for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG}) {
    filter.RefuseIf(HasBits(1, UINT32_MAX, static_cast<uint32_t>(command)), {SCMP_SYS(fcntl)});
  }
  // 0: the calling process or thread.
  filter.RefuseIf(IsNot(0, 0),
                  {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler),
                   SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr), SCMP_SYS(setpriority)});
  filter.RefuseIf(IsNot(1, 0), {SCMP_SYS(setpriority)});
  // A signal for the owner of a descriptor, as by F_SETOWN, and life without the parent.
  for (const int command : {FIOSETOWN, SIOCSPGRP})
    filter.RefuseIf(HasBits(1, UINT32_MAX, static_cast<uint32_t>(command)), {SCMP_SYS(ioctl)});
  filter.RefuseIf(HasBits(0, UINT32_MAX, PR_SET_PDEATHSIG), {SCMP_SYS(prctl)});
  // Memory, messages and keys of the same user's other processes.
  filter.Refuse({SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(shmctl), SCMP_SYS(semget),
                 SCMP_SYS(semop), SCMP_SYS(semctl), SCMP_SYS(msgget), SCMP_SYS(msgsnd),
                 SCMP_SYS(msgrcv), SCMP_SYS(msgctl), SCMP_SYS(mq_open), SCMP_SYS(mq_unlink),
                 SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key)});
  if (processes) return;  // they signal each other; version 6 of Landlock keeps the signals inside
  // A pair of sockets, which event loops need, could reach others by their addresses.
  filter.Refuse({SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg)});
  filter.RefuseIf(IsNot(4, 0), {SCMP_SYS(sendto)});
  // The C library uses tgkill for its own threads; tkill does not say whose thread it is.
  filter.Refuse({SCMP_SYS(tkill)});
  filter.RefuseIf(IsNot(0, kOwnProcess), {SCMP_SYS(kill), SCMP_SYS(tgkill),
                                          SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)});
}

/// What Landlock does not govern: sizes by path (before its version 3), modes, owners, times, flags
/// and extended attributes.
void RefuseFileAttributes(CallFilter& filter) {
  for (const int call : {SCMP_SYS(truncate), SCMP_SYS(chown), SCMP_SYS(fchown), SCMP_SYS(lchown),
                         SCMP_SYS(fchownat), SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(utimensat),
                         SCMP_SYS(futimesat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr),
                         SCMP_SYS(fsetxattr), SCMP_SYS(removexattr), SCMP_SYS(lremovexattr),
                         SCMP_SYS(fremovexattr), kSetxattrat, kRemovexattrat, kFileSetattr}) {
    filter.Refuse({call});
  }
  // Flags such as "immutable", projects of quotas, checksums that forbid to write, and subvolumes
  // that may only be read: for these, a file need only be open to read.
  for (const unsigned long command : {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR,
                                      FS_IOC_ENABLE_VERITY, BTRFS_IOC_SUBVOL_SETFLAGS})
    filter.RefuseIf(HasBits(1, UINT32_MAX, static_cast<uint32_t>(command)), {SCMP_SYS(ioctl)});
  // Before version 3 of Landlock, a file that may only be read could be cut while it is opened.
  // openat2's flags are behind a pointer.
  for (const auto& [position, call] : {std::pair(1U, SCMP_SYS(open)), {2U, SCMP_SYS(openat)}}) {
    filter.RefuseIf(HasBits(position, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC), {call});
    filter.RefuseIf(HasBits(position, O_ACCMODE, O_ACCMODE), {call});
  }
  filter.Refuse({SCMP_SYS(openat2)}, ENOSYS);
  // Without effect, but no error: the embedded Lean sets the mode of each file that it has created
  // again, and could write nothing.
  filter.Refuse({SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), kFchmodat2}, 0);
}

/// New processes, unless they are allowed, and namespaces.
void RefuseNewProcesses(CallFilter& filter, bool processes) {
  filter.Refuse({SCMP_SYS(unshare), SCMP_SYS(setns)});
  // Threads need clone. clone3's flags are behind a pointer, which a filter cannot follow; on
  // ENOSYS the C library falls back to clone.
  filter.Refuse({SCMP_SYS(clone3)}, ENOSYS);
  for (const int flag : {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER,
                         CLONE_NEWPID, CLONE_NEWNET}) {
    const auto bit = static_cast<uint32_t>(flag);
    filter.RefuseIf(HasBits(0, bit, bit), {SCMP_SYS(clone)});
  }
  if (processes) return;
  filter.Refuse({SCMP_SYS(fork), SCMP_SYS(vfork)});
  filter.RefuseIf(HasBits(0, CLONE_THREAD, 0), {SCMP_SYS(clone)});
}

/// What root may do to the machine.
void RefuseAdministration(CallFilter& filter) {
  filter.Refuse({SCMP_SYS(init_module),
                 SCMP_SYS(finit_module),
                 SCMP_SYS(delete_module),
                 SCMP_SYS(kexec_load),
                 SCMP_SYS(kexec_file_load),
                 SCMP_SYS(reboot),
                 SCMP_SYS(swapon),
                 SCMP_SYS(swapoff),
                 SCMP_SYS(clock_settime),
                 SCMP_SYS(settimeofday),
                 SCMP_SYS(adjtimex),
                 SCMP_SYS(clock_adjtime),
                 SCMP_SYS(iopl),
                 SCMP_SYS(ioperm),
                 SCMP_SYS(mount),
                 SCMP_SYS(umount2),
                 SCMP_SYS(pivot_root),
                 SCMP_SYS(chroot),
                 SCMP_SYS(fsopen),
                 SCMP_SYS(fspick),
                 SCMP_SYS(fsmount),
                 SCMP_SYS(move_mount),
                 SCMP_SYS(open_tree),
                 kOpenTreeAttr,
                 kMountSetattr,
                 SCMP_SYS(fanotify_init),
                 SCMP_SYS(sethostname),
                 SCMP_SYS(setdomainname),
                 SCMP_SYS(acct),
                 SCMP_SYS(quotactl),
                 kQuotactlFd,
                 SCMP_SYS(syslog),
                 SCMP_SYS(open_by_handle_at),
                 SCMP_SYS(mknod),
                 SCMP_SYS(mknodat)});
  // Whole file systems, by any file of theirs.
  for (const unsigned long command : {FIFREEZE, FITHAW})
    filter.RefuseIf(HasBits(1, UINT32_MAX, static_cast<uint32_t>(command)), {SCMP_SYS(ioctl)});
}

/// The seccomp program of a sandbox. Empty if it cannot be built.
std::vector<sock_filter> SystemCallFilter(bool processes) {
  CallFilter filter;
  // io_uring can create sockets without the system call. A process must stay in its process group,
  // through which it is killed.
  filter.Refuse({SCMP_SYS(socket), SCMP_SYS(io_uring_setup), SCMP_SYS(bpf), SCMP_SYS(userfaultfd),
                 SCMP_SYS(setsid), SCMP_SYS(setpgid), SCMP_SYS(perf_event_open)});
  RefuseOtherProcesses(filter, processes);
  RefuseFileAttributes(filter);
  RefuseNewProcesses(filter, processes);
  RefuseAdministration(filter);
  return filter.Program();
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
  const auto own = static_cast<uint32_t>(::getpid());
  for (sock_filter& step : impl_->program) {  // the child's copy
    if (step.code == (BPF_JMP | BPF_JEQ | BPF_K) && step.k == kOwnProcess) step.k = own;
  }
  sock_fprog program{};
  program.len = static_cast<unsigned short>(impl_->program.size());
  program.filter = impl_->program.data();
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
