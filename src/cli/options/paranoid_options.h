// --paranoid and its limits.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

#include "cli/terminal/progress.h"
#include "engine/acceptance/other_kernels.h"

namespace zermelo::cli {

struct ParanoidOptions {
  bool on = false;
  double seconds = 600;
  uint64_t bytes = 8ULL << 30U;

  /// Adds the options. Unless `needed` is null, --paranoid requires that option.
  void AddTo(CLI::App& app, CLI::Option* needed = nullptr);
  /// Shows on `progress`, which must outlive the result, which kernel runs.
  engine::OtherKernels Limits(Progress& progress) const;
};

}  // namespace zermelo::cli
