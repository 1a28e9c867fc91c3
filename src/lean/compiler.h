// A fresh Lean process for one file: what acceptance rests on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/file.h"
#include "core/subprocess.h"
#include "lean/diagnostic.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

struct CompileResult {
  bool ok = false;  // Lean ended by itself with exit code 0
  std::vector<Diagnostic> diagnostics;
  std::string output;  // what Lean printed that is not a diagnostic, and its stderr; cut
};

/// `lean --stdin --json -o FILE`, started before its text is known so that Lean is up by then.
/// Serves one Compile and is then spent. The kernel checks everything.
class Compiler {
 public:
  static constexpr uint64_t kMaxWritten = 4ULL << 30U;

  /// A Lean whose folder holds more than `max_written` bytes is ended with kCrashed.
  static core::Result<std::unique_ptr<Compiler>> Start(const core::Executor& executor,
                                                       const Toolchain& toolchain,
                                                       uint64_t max_written = kMaxWritten);
  ~Compiler();
  /// kTimeout past the deadline; kCancelled as asked (`cancellation` may be null); kCrashed when
  /// Lean died or ended without writing its .olean although it reported no error. A text with
  /// errors is a result, with ok == false.
  core::Task<core::Result<CompileResult>> Compile(std::string text, core::Deadline deadline,
                                                  core::Cancellation* cancellation = nullptr);
  /// The .olean that Compile wrote, in a folder that lives as long as this object.
  const std::filesystem::path& olean() const { return olean_; }

 private:
  Compiler(core::Executor executor, core::TemporaryFolder folder, uint64_t max_written);
  core::Task<void> WatchFolder(core::Subprocess& process);

  core::Executor executor_;
  const uint64_t max_written_;
  core::Signal ended_;
  bool has_ended_ = false;   // the process, by itself or not
  bool overflowed_ = false;  // it was ended for what it wrote
  core::TemporaryFolder folder_;
  std::filesystem::path olean_;
  std::unique_ptr<core::Subprocess> process_;
};

}  // namespace zermelo::lean
