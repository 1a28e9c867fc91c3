// Builds the Model Context Protocol server of `mcp` and `serve` from the options; `lsp` uses its
// jobs.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/options/states_options.h"
#include "cli/options/strategy_options.h"
#include "cli/options/trust_options.h"
#include "core/async.h"
#include "core/cancellation.h"
#include "lean/pool.h"
#include "retrieve/retriever.h"
#include "serve/mcp/jobs.h"
#include "serve/mcp/lean.h"
#include "serve/mcp/protocol.h"
#include "serve/mcp/tools.h"
#include "serve/projects.h"

namespace zermelo::cli {

/// Memory of a Lean with a library such as Mathlib.
inline constexpr uint64_t kBytesPerLean = 2ULL << 30U;

/// As many workers as fit into `memory` bytes (default: what is available now), at most one per
/// core and at most 64.
size_t DefaultWorkers(std::optional<uint64_t> memory);

/// For CLI11: "8G", "512M" or bytes.
CLI::Validator SizeValidator();

struct McpOptions {
  std::vector<std::string> roots;  // --root
  size_t jobs = 1;                 // --jobs
  ModelOptions models;
  StatesOptions states;
  StrategyOptions strategy;
  LearningOptions learning;
  TrustOptions trust;

  /// Adds --root and those for jobs; each verb adds the option groups itself.
  void AddTo(CLI::App& verb);
  /// Adds --jobs, --states and --no-learning.
  void AddJobsTo(CLI::App& verb, const std::string& group);
};

/// Adds --spares.
void AddSparesTo(CLI::App& verb, size_t& spares);

/// Options of a server for one client, on standard input and output.
struct StdioOptions {
  LeanOptions lean;
  McpOptions mcp;
  std::filesystem::path project = ".";
  size_t workers = 0;              // 0: DefaultWorkers
  std::optional<uint64_t> memory;  // limit for all Lean processes
  size_t spares = 0;

  /// Adds --project, --workers and --memory.
  void AddTo(CLI::App& verb);
  /// Adds the groups for the strategy, models, trust and Lean.
  void AddGroupsTo(CLI::App& verb);
  lean::PoolOptions Pool() const;
};

/// Premises of the projects' libraries; keeps the most recently used sources.
class Premises {
 public:
  Premises(core::Executor executor, const McpOptions& options)
      : executor_(std::move(executor)), options_(options) {}
  /// The source for a toolchain, the same object as long as it is kept; null with --no-premises.
  core::Result<std::shared_ptr<retrieve::Retriever>> Of(
      const std::shared_ptr<const lean::Toolchain>& toolchain);

 private:
  struct Known {
    std::shared_ptr<const lean::Toolchain> toolchain;
    std::shared_ptr<retrieve::Retriever> source;
  };
  const core::Executor executor_;
  const McpOptions options_;
  std::vector<Known> known_;  // least recently used first
};

struct McpServer {
  /// `pool` must outlive the server. Without --root, files may be anywhere if `anywhere`, else only
  /// in `base`.
  McpServer(const core::Executor& executor, lean::Pool& pool, const LeanOptions& lean,
            const McpOptions& options, const std::filesystem::path& base, bool anywhere);
  /// Ends all jobs and the tools' processes; must be called before destruction.
  core::Task<void> Close();

  serve::Projects projects;
  Premises premises;
  serve::mcp::LeanTools lean_tools;
  serve::mcp::Jobs jobs;
  serve::mcp::ServerTools tools;
  serve::mcp::Protocol protocol;
};

/// Calls `use` with a server for one client and `workers` Lean processes, then stops its processes
/// and jobs. Ctrl-C requests the cancellation. Returns the exit code of `use`; 130 if interrupted.
core::Task<int> WithServer(StdioOptions options, lean::PoolOptions workers,
                           std::function<core::Task<int>(McpServer&, core::Cancellation&)> use);

}  // namespace zermelo::cli
