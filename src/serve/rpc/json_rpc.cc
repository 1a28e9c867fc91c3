#include "serve/rpc/json_rpc.h"

#include "serve/http/json_fields.h"

namespace zermelo::serve {

using nlohmann::json;

namespace {

tl::unexpected<RpcError> Invalid(json id, std::string message) {
  return tl::unexpected<RpcError>(RpcError{std::move(id), kInvalidRequest, std::move(message)});
}

const json* MemberOf(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

json ResultMessage(const json& id, json result) {
  json message;
  message["jsonrpc"] = "2.0";
  message["id"] = id;
  message["result"] = std::move(result);
  return message;
}

json CallMessage(const json& id, const std::string& method, json params) {
  json message;
  message["jsonrpc"] = "2.0";
  if (!id.is_null()) message["id"] = id;
  message["method"] = method;
  if (!params.is_null()) message["params"] = std::move(params);
  return message;
}

json ErrorMessage(const RpcError& error) {
  json body;
  body["code"] = error.code;
  body["message"] = error.message;
  if (!error.data.is_null()) body["data"] = error.data;
  json message;
  message["jsonrpc"] = "2.0";
  message["id"] = error.id;
  message["error"] = std::move(body);
  return message;
}

tl::expected<RpcMessage, RpcError> ReadMessage(const std::string& text) {
  json object;
  try {
    object = ParseObject(text);
  } catch (const BadRequest& bad) {
    const bool not_json = bad.status() == kMalformed;
    RpcError error;
    error.code = not_json ? kParseError : kInvalidRequest;
    error.message = not_json ? bad.what() : "a message must be one JSON object, not a batch";
    return tl::unexpected<RpcError>(std::move(error));
  }
  RpcMessage message;
  const json* id = MemberOf(object, "id");
  const bool good_id = id != nullptr && (id->is_string() || id->is_number_integer());
  if (good_id) message.id = *id;
  const json* version = MemberOf(object, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return Invalid(message.id, R"(the message has no "jsonrpc": "2.0")");
  }
  const json* method = MemberOf(object, "method");
  if (method == nullptr) {
    if (!object.contains("result") && !object.contains("error")) {
      return Invalid(message.id, "the message has no method");
    }
    message.kind = RpcMessage::Kind::kResponse;
    message.result = object.value("result", json());
    message.error = object.value("error", json());
    return message;
  }
  if (!method->is_string()) {
    return Invalid(message.id, "method: must be a string");
  }
  message.method = method->get<std::string>();
  if (id == nullptr) message.kind = RpcMessage::Kind::kNotification;
  if (id != nullptr && !good_id) {
    return Invalid(nullptr, "id: must be a string or an integer");
  }
  const json* params = MemberOf(object, "params");
  if (params != nullptr && !params->is_null()) {
    if (!params->is_object()) {
      return Invalid(message.id, "params: must be an object");
    }
    message.params = *params;
  }
  return message;
}

}  // namespace zermelo::serve
