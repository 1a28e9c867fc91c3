// Declarations of imported modules, of which only those that a check needs are read.
//
// A module mentions only what it imports, directly or not. So the modules that declare something
// mentioned (a library knows which) are visited from the importing ones to the imported ones, each
// once: what is mentioned is read, and what that mentions is looked for in the same module and in
// those that follow.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "kernel/environment.h"
#include "kernel/olean/declarations.h"
#include "kernel/olean/library.h"

namespace zermelo::kernel {

struct ImportOptions {
  enum class Mode : uint8_t {
    kStatements,  // trusted: imported theorems are taken for axioms, their proofs are not read
    kProofs,      // trusted: proofs are read, too, for the rare check that has to unfold one
    kChecked,     // everything that the modules declare is read, to be checked as well
  } mode = Mode::kStatements;
  /// kChecked: called after each module with the number of those that have been read and of all.
  std::function<void(size_t, size_t)> on_progress = {};
  /// kChecked: ends the reading with kCancelled soon after it becomes true. May be null.
  const std::atomic<bool>* stop = nullptr;
};

struct ImportReport {
  size_t modules = 0;
  size_t declarations = 0;  // that were added to the environment
  std::string sha256;       // Closure::sha256 of the modules
  /// What was added as an axiom because only the library's public parts are there
  /// (IndexedConstant::stripped).
  std::vector<NameId> stripped;
  /// kChecked: modules of which only the public parts are there. What they declare may mention
  /// names that are declared nowhere.
  size_t public_modules = 0;
  /// An import and the environment, or two imports, declare one name differently, or the parts of
  /// an import that is to be checked contradict each other.
  std::optional<Violation> violation;
};

/// Adds to the environment what these modules and all that they import declare; in the trusted
/// modes only what its declarations mention. A name that the environment has may be declared again
/// with the same terms only (a theorem with the same statement). Names that are declared nowhere
/// are not an error here. Errors: those of Library::ClosureOf and Library::Open; kInput when a file
/// is malformed.
core::Result<ImportReport> AddImports(const std::vector<NameId>& modules, Library& library,
                                      const ImportOptions& options, Environment& environment);

}  // namespace zermelo::kernel
