// Declarations of imported modules, of which only those are read that a check needs.
//
// A module mentions only what it imports, directly or not. So the modules are visited from the
// importing ones to the imported ones, each once: what it declares and somebody mentioned is read,
// and what that mentions is looked for in the same module and in those that follow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "kernel/environment.h"
#include "kernel/olean/declarations.h"

namespace zermelo::kernel {

struct ImportOptions {
  /// Folders with compiled modules; the first that has a module wins.
  std::vector<std::filesystem::path> search_path;
  enum class Mode : uint8_t {
    kStatements,  // trusted: imported theorems are taken for axioms, their proofs are not read
    kProofs,      // trusted: proofs are read, too, for the rare check that has to unfold one
    kChecked,     // everything that the modules declare is read, to be checked as well
  } mode = Mode::kStatements;
  /// Called after each module with the number of those that have been visited and of all.
  std::function<void(size_t, size_t)> on_progress = {};
};

struct ImportReport {
  size_t modules = 0;
  size_t declarations = 0;  // that were added to the environment
  /// SHA-256 over the names and the bytes of the modules that were read, in hexadecimal.
  std::string sha256;
  /// An import and the environment, or two imports, declare one name differently, or the parts of
  /// an import that is to be checked contradict each other.
  std::optional<Violation> violation;
};

/// Adds to the environment what these modules and all that they import declare; in the trusted
/// modes only what its declarations mention. A name that the environment has may be declared again
/// with the same terms only (a theorem with the same statement). kEnvironment when a module is not
/// on the search path, kInput when a file is malformed. Names that nobody declares are no error
/// here.
core::Result<ImportReport> AddImports(const std::vector<NameId>& modules,
                                      const ImportOptions& options, Environment& environment);

}  // namespace zermelo::kernel
