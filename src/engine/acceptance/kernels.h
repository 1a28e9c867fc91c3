// How a verdict names the kernels that judged: the same everywhere.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/kernels/imports_check.h"
#include "trust/kernels/second_kernel.h"

namespace zermelo::engine {

/// [{"kernel": "zermelo", "verdict": "accepted"}, …]; one that did not accept has a "declaration"
/// (null: the whole module) and a "reason", too, and a kernel of the toolchain its "version".
nlohmann::json KernelsJson(const std::vector<trust::KernelVerdict>& kernels);
/// {"verdict", "declarations" (accepted), "not_accepted", "hidden", "axioms"} and, unless
/// everything was accepted, "declaration" and "reason".
nlohmann::json ImportsJson(const trust::ImportsVerdict& imports);
/// Such a list from a record, without the "lean" that older versions wrote into it when Lean had
/// compiled the candidate.
nlohmann::json RecordedKernels(const nlohmann::json& list);

/// "accepted by Zermelo's kernel", "accepted by Zermelo's kernel and nanoda; declined by con-ron:
/// it crashed". If none accepted and none rejected, it says that there is no independent verdict.
std::string KernelsLine(const std::vector<trust::KernelVerdict>& kernels);

/// The names of the kernels that accepted: "zermelo", "nanoda", ….
std::vector<std::string> AcceptingKernels(const std::vector<trust::KernelVerdict>& kernels);

/// Whether one of them rejects what another accepts. `lean_counts`: the Lean that compiled it is
/// one that accepts; not if the candidate could switch its kernel off.
bool Disagree(const std::vector<trust::KernelVerdict>& kernels, bool lean_counts);

/// What a kernel rejects although another one, or the Lean that compiled it, accepts it: one of the
/// two is wrong.
struct Disagreement {
  std::string original;  // texts
  std::string candidate;
  std::filesystem::path olean;  // of the candidate; its parts lie next to it
};
/// Copies the texts and the compiled candidate to $XDG_STATE_HOME/zermelo/disagreements (by default
/// ~/.local/state/…), into a folder named after them, and returns its path. kEnvironment: they
/// cannot be written, or twenty are kept already.
core::Result<std::filesystem::path> Keep(const Disagreement& disagreement);

}  // namespace zermelo::engine
