// The theorems of compiled modules as texts that Lean can read back, printed by
// library_statements.lean.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

/// `text`: "theorem NAME … := by\n  sorry". Elaborated after the module's imports, it declares what
/// the module declares, with the same type.
struct LibraryStatement {
  std::string name;
  std::string text;
};

struct ModuleStatements {
  std::string module;
  std::string header;       // "prelude", if the module has it, and its imports, a line each
  bool import_all = false;  // it imports private parts, which a library may ship without
  std::vector<LibraryStatement> statements;
  std::map<std::string, std::vector<std::string>> left_out;  // names of other theorems, by reason
  std::string error;  // why the module could not be read; then only `module` is set, too
};

/// Reads a line that the program prints for a module. kCrashed: it is no such line.
core::Result<ModuleStatements> ParseModuleStatements(std::string_view line);

/// The text of the program. What it prints depends on this text, on Lean and on the library.
std::string_view LibraryStatementsProgram();

struct LibraryStatementsOptions {
  size_t modules_per_process = 40;
  uint64_t max_growth_bytes = uint64_t{1} << 30U;  // of a process, since it keeps what it imports
  core::Duration module_limit = std::chrono::minutes(15);  // scheduled time (core/process)
  core::Duration start_limit = std::chrono::minutes(3);    // scheduled time, too
  uint64_t max_resident_bytes = uint64_t{6} << 30U;
  core::Duration standstill = kStandstill;
};

/// `line`: what the program printed; empty if it could not read the module.
using OnModuleStatements =
    std::function<core::Status(ModuleStatements module, const std::string& line)>;

/// Prints the statements of modules, one after another, in one process at a time. `on_module` gets
/// a module and its line as soon as it is printed. A process ends when it has grown too much. A
/// module in which Lean dies, hangs, writes something else, or uses too much time or memory is
/// tried once more in a process of its own; if that fails, too, its line has the error. Errors:
/// kEnvironment if Lean cannot run the program; kCancelled; what `on_module` returns.
core::Task<core::Status> PrintLibraryStatements(const Toolchain& toolchain,
                                                std::vector<std::string> modules,
                                                LibraryStatementsOptions options,
                                                OnModuleStatements on_module,
                                                core::Cancellation& cancellation);

}  // namespace zermelo::lean
