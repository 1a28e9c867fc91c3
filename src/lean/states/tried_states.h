// Which Leans the state server has been compared on, by `zermelo doctor --states`.
#pragma once

#include <filesystem>
#include <optional>

#include "core/error.h"
#include "lean/toolchain.h"

namespace zermelo::lean {

/// The result of a comparison on one Lean.
struct StatesTrial {
  size_t probes = 0;       // tactics compared; 0: the state server could not be used
  size_t differences = 0;  // of these, with other results than those of Lean's workers
  bool agree() const { return probes > 0 && differences == 0; }
};

/// The file of a Lean's trial, `states-<hash>.json` in core::UserCache. The hash is that of its
/// version, its commit, its place, and the state server's program and probes.
std::filesystem::path TrialFile(const Toolchain& toolchain);
/// nullopt if there was no trial, or what is kept of it cannot be read.
std::optional<StatesTrial> KnownTrial(const Toolchain& toolchain);
/// kInput if the file cannot be written.
core::Status KeepTrial(const Toolchain& toolchain, const StatesTrial& trial);

/// Whether the state server is used where that is left to the program: its trial on this Lean says
/// that they agree, or there was none and it is the Lean of this program's tests.
bool TrustsStates(const Toolchain& toolchain);

}  // namespace zermelo::lean
