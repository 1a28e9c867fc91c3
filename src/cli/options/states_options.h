// The option of verbs that search: whether the state server is used (docs/state-server.md).
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "lean/toolchain.h"

namespace zermelo::cli {

struct StatesOptions {
  std::string use;  // --states: "on", "auto" or "off"; empty: as configured

  void AddTo(CLI::App& app, const std::string& group = "Options");
  /// "on", "auto" or "off". `config` and `near` as for FindConfig.
  core::Result<std::string> Wanted(const std::string& config,
                                   const std::filesystem::path& near) const;
  /// Whether it is used with this Lean.
  core::Result<bool> With(const lean::Toolchain& toolchain, const std::string& config,
                          const std::filesystem::path& near) const;
};

}  // namespace zermelo::cli
