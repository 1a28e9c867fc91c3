// Options of verbs that judge proofs.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/verdict.h"

namespace zermelo::cli {

struct TrustOptions {
  std::vector<std::string> allow_axioms;  // --allow-axiom
  std::string kernel = "on";              // --kernel: "off", "on", "required", "all"

  /// Adds the options. Unless `needed` is null, each requires that option. `with_all`: `--kernel
  /// all` is one of them.
  void AddTo(CLI::App& app, CLI::Option* needed = nullptr, bool with_all = false);
  /// The allowed axioms: those of `[trust]` in zermelo.toml (`config`, or the nearest one at or
  /// above `near`), or else Lean's three standard axioms, plus those of --allow-axiom.
  core::Result<std::vector<std::string>> Axioms(const std::string& config,
                                                const std::filesystem::path& near) const;
  trust::KernelUse Kernel() const;
};

}  // namespace zermelo::cli
