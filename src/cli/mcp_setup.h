// The Model Context Protocol's server, put together as the options say; for `mcp` and `serve`.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/model_options.h"
#include "cli/strategy_options.h"
#include "cli/trust_options.h"
#include "core/async.h"
#include "lean/pool.h"
#include "retrieve/retriever.h"
#include "serve/mcp_jobs.h"
#include "serve/mcp_lean.h"
#include "serve/mcp_protocol.h"
#include "serve/mcp_tools.h"
#include "serve/projects.h"

namespace zermelo::cli {

/// What a Lean with a library such as Mathlib takes.
inline constexpr uint64_t kBytesPerLean = 2ULL << 30U;

/// As many workers as `memory` bytes hold (nothing: what is free now) and there are cores, within
/// limits.
size_t DefaultWorkers(std::optional<uint64_t> memory);

/// For CLI11: "8G", "512M" or bytes.
CLI::Validator SizeValidator();

struct McpOptions {
  std::vector<std::string> roots;  // --root
  size_t jobs = 1;                 // --jobs
  ModelOptions models;
  StrategyOptions strategy;
  TrustOptions trust;

  /// All but the models' options, whose names `serve` has no use for.
  void AddTo(CLI::App& verb);
};

/// The premises of the projects' libraries.
class Premises {
 public:
  Premises(core::Executor executor, const McpOptions& options)
      : executor_(std::move(executor)), options_(options) {}
  /// The one source of a toolchain; null: premises are not wanted.
  core::Result<std::shared_ptr<retrieve::Retriever>> Of(
      const std::shared_ptr<const lean::Toolchain>& toolchain);

 private:
  struct Known {
    std::shared_ptr<const lean::Toolchain> toolchain;
    std::shared_ptr<retrieve::Retriever> source;
  };
  const core::Executor executor_;
  const McpOptions options_;
  std::vector<Known> known_;  // last used last
};

struct McpServer {
  /// `pool` must outlive it. Without --root: `anywhere` lets files be everywhere, else they must
  /// be in `base`.
  McpServer(const core::Executor& executor, lean::Pool& pool, const LeanOptions& lean,
            const McpOptions& options, const std::filesystem::path& base, bool anywhere);

  serve::Projects projects;
  Premises premises;
  serve::mcp::LeanTools lean_tools;
  serve::mcp::Jobs jobs;
  serve::mcp::ServerTools tools;
  serve::mcp::Protocol protocol;
};

}  // namespace zermelo::cli
