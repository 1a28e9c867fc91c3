// The tools for coding agents (docs/mcp.md); tools.json has their descriptions and schemas.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/mcp/jobs.h"
#include "serve/mcp/lean.h"
#include "serve/mcp/protocol.h"

namespace zermelo::serve::mcp {

/// tools.json, with the names of the strategies: {"instructions", "tools"}.
nlohmann::json ToolDefinitions();

struct ServerToolsOptions {
  size_t calls = 64;  // concurrent calls; more are refused
};

class ServerTools : public Tools {
 public:
  /// `lean` and `jobs` must outlive this object.
  ServerTools(LeanTools& lean, Jobs& jobs, ServerToolsOptions options = {});

  const nlohmann::json& List() const override;
  std::string Instructions() const override;
  core::Task<ToolAnswer> Call(std::string name, nlohmann::json arguments,
                              core::Cancellation& cancellation) override;

 private:
  using Answer = std::function<core::Task<ToolAnswer>(nlohmann::json, core::Cancellation&)>;

  const ServerToolsOptions options_;
  const nlohmann::json definitions_ = ToolDefinitions();
  std::map<std::string, Answer> answers_;  // by tool
  size_t running_ = 0;
};

}  // namespace zermelo::serve::mcp
