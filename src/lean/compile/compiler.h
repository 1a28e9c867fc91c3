// Compiles one file in a fresh Lean process; acceptance relies on it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/files/file.h"
#include "core/process/subprocess.h"
#include "lean/diagnostic.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

struct CompileResult {
  bool ok = false;  // Lean exited by itself with code 0
  std::vector<Diagnostic> diagnostics;
  std::string output;  // stdout without the diagnostics, then stderr; truncated
};

struct CompilerOptions {
  uint64_t max_written = 4ULL << 30U;  // bytes
  std::filesystem::path image = {};    // of the text's imports (SavedImports); empty: none
  bool saves_imports = false;          // writes such an image
};

/// A process `lean --stdin --json -o FILE`, started before its text is known so that Lean is ready
/// by then. It serves one Compile call. The kernel checks everything.
class Compiler {
 public:
  static constexpr uint64_t kMaxResident = 16ULL << 30U;  // as WorkerOptions::max_resident_bytes

  /// Starts the process. If its folder grows beyond `max_written` bytes, Lean is killed and Compile
  /// fails with kCrashed.
  static core::Result<std::unique_ptr<Compiler>> Start(const core::Executor& executor,
                                                       const Toolchain& toolchain,
                                                       const CompilerOptions& options = {});
  ~Compiler();
  /// Compiles `text`. Errors: kTimeout past the deadline; kCancelled on request (`cancellation` may
  /// be null); kCrashed when Lean died, hung (kStandstill), wrote too much, needed more resident
  /// memory than `max_resident` bytes, or ended without writing its .olean although it reported no
  /// error; kInternal on a second call. A text with errors is a result with ok == false.
  core::Task<core::Result<CompileResult>> Compile(std::string text, core::Deadline deadline,
                                                  core::Cancellation* cancellation = nullptr,
                                                  uint64_t max_resident = kMaxResident);
  /// Path of the .olean that Compile writes; its folder exists as long as this object.
  const std::filesystem::path& olean() const { return olean_; }
  /// CompilerOptions::image.
  const std::filesystem::path& image() const { return image_; }
  /// Path of the image that Compile writes with CompilerOptions::saves_imports.
  std::filesystem::path saved_imports() const { return olean_.parent_path() / "imports"; }

 private:
  Compiler(core::Executor executor, core::TemporaryFolder folder, uint64_t max_written);
  core::Task<void> WatchSize(core::Subprocess& process, uint64_t max_resident);

  core::Executor executor_;
  const uint64_t max_written_;
  core::Signal ended_;
  bool has_ended_ = false;  // the process ended or was killed
  std::string excess_;      // what it was killed for: "wrote more than 20 MiB"
  core::TemporaryFolder folder_;
  std::filesystem::path olean_, image_;
  std::unique_ptr<core::Subprocess> process_;
};

}  // namespace zermelo::lean
