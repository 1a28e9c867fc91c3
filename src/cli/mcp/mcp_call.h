// `zermelo mcp call` and `zermelo mcp tools`: the tools for coding agents, from the shell.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/mcp/mcp_setup.h"

namespace zermelo::cli {

/// Adds `call` to `mcp`; it also accepts the options of `mcp`.
void AddMcpCall(CLI::App& mcp, const std::shared_ptr<StdioOptions>& server, int& exit_code);
/// Adds `tools` to `mcp`.
void AddMcpTools(CLI::App& mcp, int& exit_code);

}  // namespace zermelo::cli
