// The tools for coding agents (docs/mcp.md), with the schemas of their arguments.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/mcp_jobs.h"
#include "serve/mcp_lean.h"
#include "serve/mcp_protocol.h"

namespace zermelo::serve::mcp {

struct ServerToolsOptions {
  size_t calls = 64;  // concurrent calls; more are refused
};

class ServerTools : public Tools {
 public:
  /// `lean` and `jobs` must outlive this object.
  ServerTools(LeanTools& lean, Jobs& jobs, ServerToolsOptions options = {});

  const nlohmann::json& List() const override { return list_; }
  std::string Instructions() const override;
  core::Task<ToolAnswer> Call(std::string name, nlohmann::json arguments,
                              core::Cancellation& cancellation) override;

 private:
  using Answer = std::function<core::Task<ToolAnswer>(nlohmann::json, core::Cancellation&)>;
  void Add(nlohmann::json definition, Answer answer);

  const ServerToolsOptions options_;
  nlohmann::json list_ = nlohmann::json::array();
  std::vector<Answer> answers_;  // in the order of list_
  size_t running_ = 0;
};

}  // namespace zermelo::serve::mcp
