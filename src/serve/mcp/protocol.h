// The Model Context Protocol, independent of the transport: JSON-RPC 2.0, in the revision without
// sessions (2026-07-28) and in those that begin with `initialize` (2025-11-25, 2025-06-18). Of the
// server features, only tools are supported.
//
// Sources: modelcontextprotocol.io/specification/2026-07-28 (basic, versioning, server/tools,
// server/discover) and /2025-11-25.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "serve/rpc/json_rpc.h"

namespace zermelo::serve::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kLegacyVersion =
    "2025-11-25";  // offered to clients that request an unsupported version
/// The supported versions, newest first.
std::vector<std::string> SupportedVersions();
/// Whether a supported version is one of those that begin with `initialize`.
bool IsLegacyVersion(std::string_view version);

inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedProtocolVersion = -32022;

/// The protocol version in a request's `_meta`; nothing if there is none, as in requests of the
/// revisions with `initialize`. Errors: kInvalidParams if the metadata are incomplete,
/// kUnsupportedProtocolVersion.
tl::expected<std::optional<std::string>, RpcError> VersionOf(const RpcMessage& request);

/// The result of a tool call.
struct ToolAnswer {
  nlohmann::json content;  // an object
  bool is_error = false;   // the tool could not do its work; the content says why
};

/// The tools of a server.
class Tools {
 public:
  virtual ~Tools() = default;
  /// Tool definitions in the format of `tools/list`, always in the same order.
  virtual const nlohmann::json& List() const = 0;
  /// Instructions for the model that calls the tools.
  virtual std::string Instructions() const = 0;
  /// Calls a tool of the list. `arguments` is an object but not validated. `cancellation` is
  /// requested when the answer is no longer needed.
  virtual core::Task<ToolAnswer> Call(std::string name, nlohmann::json arguments,
                                      core::Cancellation& cancellation) = 0;
};

class Protocol {
 public:
  /// `tools` must outlive this object; `version` is that of the program.
  Protocol(Tools& tools, std::string version)
      : tools_(tools), program_version_(std::move(version)) {}

  /// Answers a request with a complete JSON-RPC message, a result or an error. `modern`: its
  /// `_meta` names the revision without sessions (VersionOf).
  core::Task<nlohmann::json> Answer(RpcMessage request, bool modern,
                                    core::Cancellation& cancellation);

 private:
  nlohmann::json ServerInfo() const;
  nlohmann::json Initialize(const RpcMessage& request) const;
  nlohmann::json Discover() const;
  tl::expected<nlohmann::json, RpcError> ListTools(const RpcMessage& request, bool modern) const;
  core::Task<tl::expected<nlohmann::json, RpcError>> CallTool(RpcMessage request,
                                                              core::Cancellation& cancellation);
  bool Has(const std::string& tool) const;
  core::Task<tl::expected<nlohmann::json, RpcError>> Result(RpcMessage request, bool modern,
                                                            core::Cancellation& cancellation);

  Tools& tools_;
  const std::string program_version_;
};

}  // namespace zermelo::serve::mcp
