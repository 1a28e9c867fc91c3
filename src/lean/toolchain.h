// Selects which Lean to run and how.
#pragma once

#include <array>
#include <compare>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "core/process/sandbox.h"
#include "core/process/subprocess.h"

namespace zermelo::lean {

/// A Lean that owes an answer but uses almost no processor time for this long is stuck: on a loaded
/// machine, about one start in two hundred of the embedded Lean hangs.
inline constexpr core::Duration kStandstill = std::chrono::seconds(20);

enum class ToolchainKind { kExplicit, kProject, kPath, kEmbedded };
const char* Name(ToolchainKind kind);  // "explicit", "project", "path", "embedded"

class SavedImports;

struct Toolchain {
  ToolchainKind kind = ToolchainKind::kEmbedded;
  std::filesystem::path lean;                      // the executable
  std::string version;                             // e.g. "4.28.0-pre"
  std::string commit;                              // of Lean's repository; may be empty
  std::map<std::string, std::string> environment;  // for the process, e.g. LEAN_PATH
  std::vector<std::filesystem::path> search_path;  // folders with .olean files, in search order
  std::filesystem::path project;                   // the Lake project's root, or empty
  std::filesystem::path document_folder;           // in the URIs of documents; must exist
  std::optional<core::SandboxRules> sandbox;       // of its processes; empty: not confined
  std::vector<std::string> notes;                  // remarks on the choice, for the user
  std::shared_ptr<SavedImports> saved_imports;     // null: this Lean saves none
};

/// {"version", "commit", "kind", "path", "project", "known_problems" (KnownProblems)}
void to_json(nlohmann::json& to, const Toolchain& toolchain);

struct ToolchainRequest {
  std::filesystem::path lean;  // --lean: an executable or a toolchain's folder; empty: search
  std::filesystem::path near;  // file or folder whose project is used; empty: the current folder
  std::filesystem::path embedded;  // the `embedded` folder of the installation
  bool confined = true;            // run Lean in a sandbox
};

/// Whether code that runs inside this Lean is held by every protection: it opens no file but what
/// Lean needs, changes none but in its own folder, opens no socket, and reaches no other process.
/// Needs Landlock 3 (Linux 6.2).
bool IsConfined(const Toolchain& toolchain, const core::SandboxAbilities& machine);

/// The toolchain's folder, with bin/ and lib/lean/; `lean` itself may be elan's proxy elsewhere.
/// Empty if its library was not found.
std::filesystem::path PrefixOf(const Toolchain& toolchain);

/// Runs a Lean program of our own (`lean --run`), confined as the toolchain's other processes,
/// which also reads its own folder. It is told the prefix, for which it could start no process.
core::SubprocessOptions ProgramCommand(const Toolchain& toolchain,
                                       const std::filesystem::path& program);

/// Tries in this order: `lean`, the project's toolchain (lean-toolchain, `lake env`), PATH,
/// embedded. Errors: kUsage when `lean` is not there; kEnvironment, with a hint, when no Lean is
/// found or the selected one does not run.
core::Task<core::Result<Toolchain>> FindToolchain(ToolchainRequest request,
                                                  core::Deadline deadline);

/// The nearest folder at or above `start` with a lakefile or lean-toolchain; empty if there is
/// none.
std::filesystem::path FindProject(const std::filesystem::path& start);

/// As in "Lean (version 4.28.0-pre, x86_64-…, commit 38f3c0c4…, Release)".
struct LeanVersion {
  std::string version;
  std::string commit;
};
/// Parses the output of `lean --version`. Errors: kEnvironment when it is not from Lean 4.
core::Result<LeanVersion> ParseLeanVersion(std::string_view text);

/// Descriptions of the known kernel bugs in a version of Lean, each with the release that fixes it
/// and its number in github.com/leanprover/lean4. Empty for a version that cannot be parsed.
std::vector<std::string> KnownProblems(std::string_view version);

/// The command of `lean --worker` for documents with this URI. `skip_kernel`: as in WorkerOptions.
core::SubprocessOptions WorkerCommand(const Toolchain& toolchain, bool skip_kernel,
                                      const std::string& uri);

/// An absolute path as a file URI, percent-encoded.
std::string FileUri(const std::filesystem::path& path);

}  // namespace zermelo::lean
