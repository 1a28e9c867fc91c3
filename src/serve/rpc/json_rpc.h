// JSON-RPC 2.0: messages and errors, without a transport. Batches are not supported.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>

namespace zermelo::serve {

enum RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
};

/// An error of the protocol. `id` is null if the message's id could not be read.
struct RpcError {
  nlohmann::json id;
  int code = kInternalError;
  std::string message;
  nlohmann::json data = {};  // null: none
};
nlohmann::json ErrorMessage(const RpcError& error);
nlohmann::json ResultMessage(const nlohmann::json& id, nlohmann::json result);
/// A message to the client: a notification if `id` is null, else a request. Null
/// parameters are left out.
nlohmann::json CallMessage(const nlohmann::json& id, const std::string& method,
                           nlohmann::json params);

/// A client's message.
struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  nlohmann::json id;  // of a request or response: a string or a whole number
  std::string method;
  nlohmann::json params = nlohmann::json::object();
  nlohmann::json result;  // of a response that succeeded
  nlohmann::json error;   // of a response that failed; else null
};
/// Parses a message; accepts any bytes. Null parameters count as none.
tl::expected<RpcMessage, RpcError> ReadMessage(const std::string& text);

}  // namespace zermelo::serve
