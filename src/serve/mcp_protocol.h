// The Model Context Protocol, whatever carries its messages: JSON-RPC 2.0, in the revision without
// sessions (2026-07-28) and in those that begin with `initialize` (2025-11-25, 2025-06-18). Of a
// server's features only tools.
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

namespace zermelo::serve::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kLegacyVersion =
    "2025-11-25";  // offered to whoever asks otherwise
/// Those spoken, the newest first.
std::vector<std::string> SupportedVersions();
bool IsLegacyVersion(std::string_view version);

enum RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kHeaderMismatch = -32020,
  kUnsupportedProtocolVersion = -32022,
};

/// An error of the protocol, not of a tool. `id` is null where the message's could not be read.
struct RpcError {
  nlohmann::json id;
  int code = kInternalError;
  std::string message;
  nlohmann::json data = {};  // null: none
};
nlohmann::json ErrorMessage(const RpcError& error);

/// A client's message. A response answers nothing of ours and is to be ignored.
struct Message {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  nlohmann::json id;  // of a request: a string or a whole number
  std::string method;
  nlohmann::json params = nlohmann::json::object();
};
/// Any bytes are accepted.
tl::expected<Message, RpcError> ReadMessage(const std::string& text);

/// Which version a request says in its `_meta` that it speaks; nothing when it says none, as
/// requests of the revisions with `initialize`. An error when what it says is incomplete
/// (kInvalidParams) or not spoken here (kUnsupportedProtocolVersion).
tl::expected<std::optional<std::string>, RpcError> VersionOf(const Message& request);

/// What came of a tool.
struct ToolAnswer {
  nlohmann::json content;  // an object
  bool is_error = false;   // it could not do what it is for; the content says why
};

/// What a server offers.
class Tools {
 public:
  virtual ~Tools() = default;
  /// Tool definitions as `tools/list` has them, always in the same order.
  virtual const nlohmann::json& List() const = 0;
  /// For the model that will call them.
  virtual std::string Instructions() const = 0;
  /// `name` is one of the list; `arguments` is an object and may hold anything. Requested
  /// cancellation: nobody waits for the answer any more.
  virtual core::Task<ToolAnswer> Call(std::string name, nlohmann::json arguments,
                                      core::Cancellation& cancellation) = 0;
};

class Protocol {
 public:
  /// `tools` must outlive it; `version` is the program's.
  Protocol(Tools& tools, std::string version)
      : tools_(tools), program_version_(std::move(version)) {}

  /// Answers a request: a whole JSON-RPC message, a result or an error. `modern`: its `_meta` says
  /// the revision without sessions (VersionOf).
  core::Task<nlohmann::json> Answer(Message request, bool modern, core::Cancellation& cancellation);

 private:
  nlohmann::json ServerInfo() const;
  nlohmann::json Initialize(const Message& request) const;
  nlohmann::json Discover() const;
  tl::expected<nlohmann::json, RpcError> ListTools(const Message& request, bool modern) const;
  core::Task<tl::expected<nlohmann::json, RpcError>> CallTool(Message request,
                                                              core::Cancellation& cancellation);
  bool Has(const std::string& tool) const;
  core::Task<tl::expected<nlohmann::json, RpcError>> Result(Message request, bool modern,
                                                            core::Cancellation& cancellation);

  Tools& tools_;
  const std::string program_version_;
};

}  // namespace zermelo::serve::mcp
