// Which Lean to run, and how.
#pragma once

#include <array>
#include <compare>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "core/sandbox.h"

namespace zermelo::lean {

/// A Lean that owes an answer and uses next to no processor time for so long is stuck: about one
/// start in two hundred of the embedded Lean hangs on a loaded machine.
inline constexpr core::Duration kStandstill = std::chrono::seconds(20);

enum class ToolchainKind { kExplicit, kProject, kPath, kEmbedded };
const char* Name(ToolchainKind kind);  // "explicit", "project", "path", "embedded"

struct Toolchain {
  ToolchainKind kind = ToolchainKind::kEmbedded;
  std::filesystem::path lean;                      // the executable
  std::string version;                             // e.g. "4.28.0-pre"
  std::string commit;                              // of Lean's repository; may be empty
  std::map<std::string, std::string> environment;  // for the process, e.g. LEAN_PATH
  std::vector<std::filesystem::path> search_path;  // folders with .olean files, first come first
  std::filesystem::path project;                   // the Lake project's root, or empty
  std::filesystem::path document_folder;           // where documents pretend to be; exists
  std::optional<core::SandboxRules> sandbox;       // for its processes; empty: not confined
  std::vector<std::string> notes;                  // what the user should know about the choice
};

struct ToolchainRequest {
  std::filesystem::path lean;      // --lean: an executable or a toolchain's folder; empty: look
  std::filesystem::path near;      // a file or folder; its project is used. Empty: ours
  std::filesystem::path embedded;  // the `embedded` folder of the installation
  bool confined = true;            // run Lean in a sandbox
};

/// Looks in this order: `lean`, the project's own (lean-toolchain, `lake env`), PATH, embedded.
/// kEnvironment with what to do when none is there or the one asked for does not run.
core::Task<core::Result<Toolchain>> FindToolchain(ToolchainRequest request,
                                                  core::Deadline deadline);

/// The nearest folder at or above `start` with a lakefile or lean-toolchain; empty when none.
std::filesystem::path FindProject(const std::filesystem::path& start);

/// Reads "Lean (version 4.28.0-pre, x86_64-…, commit 38f3c0c4…, Release)".
struct LeanVersion {
  std::string version;
  std::string commit;
};
core::Result<LeanVersion> ParseLeanVersion(std::string_view text);

/// Sentences about bugs known in a version (research: lean_interaction.md, section 5); a version
/// that cannot be read has none.
std::vector<std::string> KnownProblems(std::string_view version);

/// An absolute path as a file URI, percent-encoded.
std::string FileUri(const std::filesystem::path& path);

}  // namespace zermelo::lean
