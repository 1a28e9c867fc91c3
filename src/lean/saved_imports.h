// Imports that a compiler loads from one file instead of their modules.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/deadline.h"
#include "core/file.h"
#include "core/process/sandbox.h"

namespace zermelo::lean {

struct Toolchain;

/// The state after the imports of texts that are compiled often, as Lean 4.32 and later saves it
/// (`lean --incr-header-save`) and loads it again (`--incr-load`; lean4#13965, experimental). What
/// an image says decides what texts mean, so it is made by a Lean that sees the imports alone, lies
/// where no other Lean may write, and is used only while neither it nor a module has changed; and a
/// text and an error have to compile with it as they do without it. ADR 22.
///
/// One for each toolchain of a process. Life cycle of an image: counted -> being saved -> ready or
/// not usable. Call only on the executor's thread.
class SavedImports {
 public:
  /// After so many compilations with the same header, saving pays.
  static constexpr int kWorthSaving = 6;

  /// Null where this Lean saves no imports, or where something else that it runs could change the
  /// image.
  static std::shared_ptr<SavedImports> For(const Toolchain& toolchain,
                                           const core::SandboxAbilities& machine);

  /// The image for a text with this header (syntax::HeaderEnd); empty: there is none. Counts a
  /// compilation.
  std::filesystem::path Use(const std::string& header);
  /// Saves the imports of this header if that is worth it and they are not saved yet. Whatever goes
  /// wrong means that there is no image.
  core::Task<void> Save(core::Executor executor, const Toolchain& toolchain, std::string header,
                        core::Deadline deadline, core::Cancellation* cancellation);

 private:
  enum class State { kCounted, kBeingSaved, kReady, kNotUsable };
  struct Image {
    State state = State::kCounted;
    int compilations = 0;
    std::filesystem::path file;
    /// The image, and the modules into which it points.
    std::vector<std::pair<std::filesystem::path, core::FileIdentity>> files;
  };

  explicit SavedImports(core::TemporaryFolder folder) : folder_(std::move(folder)) {}
  core::Task<bool> Make(core::Executor executor, const Toolchain& toolchain, std::string header,
                        core::Deadline deadline, core::Cancellation* cancellation, Image& image);

  const core::TemporaryFolder folder_;   // for this user alone
  std::map<std::string, Image> images_;  // by header
};

}  // namespace zermelo::lean
