// How a verdict names the kernels that judged: the same everywhere.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/second_kernel.h"

namespace zermelo::engine {

/// [{"kernel": "lean", "verdict": "accepted"}, …]; one that did not accept has a "declaration"
/// (null: the whole module) and a "reason", too, and a program of the toolchain its "version".
nlohmann::json KernelsJson(const std::vector<trust::KernelVerdict>& kernels);

/// "accepted by the kernels of Lean and Zermelo", "accepted by Lean's kernel; declined by Zermelo's
/// kernel: `t`: …", "accepted by the kernels of Lean and Zermelo, nanoda and con-leche"; empty if
/// no kernel judged.
std::string KernelsLine(const std::vector<trust::KernelVerdict>& kernels);

/// The names of the kernels that accepted: "lean", "zermelo", "nanoda", ….
std::vector<std::string> AcceptingKernels(const std::vector<trust::KernelVerdict>& kernels);

/// What two kernels disagree on: one of them is wrong, or the candidate switched Lean's off.
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
