// Options of verbs that judge proofs.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"

namespace zermelo::cli {

struct TrustOptions {
  std::vector<std::string> allow_axioms;  // --allow-axiom

  CLI::Option* AddTo(CLI::App& app);
  /// The allowed axioms: those of `[trust]` in zermelo.toml (`config`, or the nearest one at or
  /// above `near`) or else Lean's three, plus those of --allow-axiom.
  core::Result<std::vector<std::string>> Axioms(const std::string& config,
                                                const std::filesystem::path& near) const;
};

}  // namespace zermelo::cli
