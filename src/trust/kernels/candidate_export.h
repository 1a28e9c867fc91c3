// What a candidate declares, written out for kernels that are other programs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "kernel/environment.h"
#include "kernel/olean/declarations.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// Adds a module's constants to an environment, to be checked. Returns the first that is none of a
/// kernel's declarations, if there is one.
std::optional<kernel::Violation> AddConstants(const Module& module, Terms& terms,
                                              kernel::Environment& environment);
/// The modules that it imports.
std::vector<NameId> ImportedModules(const Module& module);

/// The safe constants of a module and everything that these depend on, imported proofs included.
class CandidateExport {
 public:
  /// Both must outlive this object.
  CandidateExport(Terms& terms, const Module& module)
      : terms_(terms), module_(module), environment_(terms) {}

  /// Reads what is imported, from files whose bytes are those that were hashed. To be called first,
  /// if at all. Errors: those of kernel::AddImports; kInput, too, if the constants are not those of
  /// any Lean.
  core::Status Read(kernel::Library& library);
  /// Writes it as NDJSON 3.1.0, a line at a time (kernel/files/ndjson_writer.h). May run on another
  /// thread. Returns the names of what the library's public parts hide: that are mentioned but
  /// declared nowhere, or written as axioms because their proofs or definitions are missing. No
  /// other kernel should judge what was written then.
  ///
  /// Without Read, it writes what the module declares itself only, after a line with the modules
  /// that it imports, `{"imports":[["Init"]]}`: for Lean's kernel, which has these
  /// (lean/replay/replay.h). Nothing, if the constants are not those of any Lean.
  std::vector<std::string> Write(const std::function<void(std::string_view)>& write);
  /// After Write: of the module's constants, how many are safe.
  size_t safe_constants() const { return safe_constants_; }

 private:
  Terms& terms_;
  const Module& module_;
  kernel::Environment environment_;
  size_t safe_constants_ = 0;
  std::unordered_set<NameId> stripped_;  // imported, as in kernel::ImportReport
};

}  // namespace zermelo::trust
