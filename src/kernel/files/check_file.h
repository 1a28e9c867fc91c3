// Judges files: compiled modules with what they import, and NDJSON exports.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "kernel/check.h"

namespace zermelo::kernel {

/// A compiled module and its name, by which others import it; empty if no module imports it.
struct ModuleFile {
  std::string name;
  std::filesystem::path file;
};

/// Whether a file has a compiled module's name, or begins as one does.
bool IsCompiledModule(const std::filesystem::path& file);

/// Where Lake puts the compiled modules of a project: `.lake/build/lib/lean`, or in older versions
/// `.lake/build/lib` or `build/lib`.
std::filesystem::path LakeBuildFolder(const std::filesystem::path& project);

struct ModuleFiles {
  std::vector<ModuleFile> files;        // sorted by name
  std::vector<std::string> unreadable;  // folders that were not searched, and why, sorted
};
/// The modules below a folder, which need not exist. Links to folders are not followed.
ModuleFiles FindModuleFiles(const std::filesystem::path& folder);

struct FileCheckRequest {
  /// Compiled modules, each with all its parts, or one NDJSON export: any other file.
  std::vector<ModuleFile> files;
  /// Where imported modules are; not used for NDJSON, which is self-contained.
  std::vector<std::filesystem::path> search_path;
  /// Also checks all imported declarations; otherwise they are trusted.
  bool check_imports = false;
  /// Checks all imported declarations and nothing else: of the files only the imports are read.
  bool imports_only = false;
  CheckLimits limits;
  size_t threads = 1;
  bool keep_going = false;  // otherwise the check ends with the first rejected declaration
  /// Ends the check soon after it becomes true: with kCancelled, or what is not judged is declined.
  /// May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Called while modules are read and while declarations are checked, with the number of steps
  /// done and of all steps. Runs on another thread than the caller's.
  std::function<void(const char* stage, size_t done, size_t count)> on_progress = {};
};

/// As CheckReport, with the names printed.
struct FileVerdict {
  Decision outcome = Decision::kAccepted;
  std::string declaration;  // empty: about the input as a whole
  std::string reason;
};

struct FileReport {
  FileVerdict verdict;
  /// Whatever was not accepted; without `keep_going` at most one.
  std::vector<FileVerdict> refused;
  /// Of these: the first that was rejected and rests on nothing that is hidden or missing.
  std::optional<FileVerdict> rejected_for_good;
  size_t declarations = 0;            // that were to be checked
  size_t unsafe_declarations = 0;     // of those: unsafe and partial ones, which are not checked
  std::vector<std::string> axioms;    // among the checked declarations, sorted
  size_t modules = 0;                 // that were imported
  size_t imported = 0;                // declarations that they contributed
  std::string imports_sha256;         // see ImportReport; empty without imports
  std::vector<std::string> stripped;  // of these: see ImportReport; sorted
  size_t public_modules = 0;          // of the modules: see ImportReport
  std::string lean_version;           // that wrote the files; may be empty
  double check_seconds = 0;           // without reading
};

/// kInput when a file cannot be read, kEnvironment when an import is missing. Malformed content of
/// a file is a verdict. An import's proofs are read only if something cannot be accepted without
/// them.
core::Result<FileReport> CheckFiles(const FileCheckRequest& request);

}  // namespace zermelo::kernel
