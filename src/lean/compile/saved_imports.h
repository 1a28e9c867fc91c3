// Imports that a compiler loads from one file instead of their modules.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/async.h"
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
/// not usable; a ready one is forgotten when something has changed. Call only on the executor's
/// thread. The destructor ends what is being saved.
class SavedImports {
 public:
  /// After so many compilations with the same header, saving pays.
  static constexpr int kWorthSaving = 6;

  /// Null where this Lean saves no imports, or where something else that it runs could change the
  /// image.
  static std::shared_ptr<SavedImports> For(const Toolchain& toolchain,
                                           const core::SandboxAbilities& machine);
  ~SavedImports();

  /// The image for a text with this header (syntax::HeaderEnd); empty: there is none. Counts a
  /// compilation, and begins to save the imports once that is worth it.
  std::filesystem::path Use(const core::Executor& executor, const Toolchain& toolchain,
                            const std::string& header);
  /// Whether an image that Use has returned may still be loaded.
  bool IsCurrent(const std::filesystem::path& image) const;
  /// Whether something is being saved.
  bool busy() const;

 private:
  struct Shelf;
  explicit SavedImports(std::shared_ptr<Shelf> shelf) : shelf_(std::move(shelf)) {}
  const std::shared_ptr<Shelf> shelf_;  // also held by what saves
};

}  // namespace zermelo::lean
