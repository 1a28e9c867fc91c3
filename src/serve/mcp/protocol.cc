#include "serve/mcp/protocol.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/json.h"
#include "core/names.h"
#include "serve/http/json_fields.h"

namespace zermelo::serve::mcp {

using core::Task;
using nlohmann::json;

namespace {

constexpr std::array<std::string_view, 2> kLegacyVersions = {kLegacyVersion, "2025-06-18"};
constexpr const char* kMetaVersion = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
constexpr int kFreshness = 3'600'000;  // ms; the list changes only with the program

tl::unexpected<RpcError> Refuse(json id, int code, std::string message, json data = {}) {
  return tl::unexpected<RpcError>(
      RpcError{std::move(id), code, std::move(message), std::move(data)});
}

/// A member of an object, or nullptr.
const json* Member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> SupportedVersions() {
  std::vector<std::string> versions = {std::string(kModernVersion)};
  versions.insert(versions.end(), kLegacyVersions.begin(), kLegacyVersions.end());
  return versions;
}

bool IsLegacyVersion(std::string_view version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

tl::expected<std::optional<std::string>, RpcError> VersionOf(const RpcMessage& request) {
  const json* meta = Member(request.params, "_meta");
  if (meta == nullptr) return std::nullopt;
  if (!meta->is_object()) {
    return Refuse(request.id, kInvalidParams, "params._meta: must be an object");
  }
  const json* version = Member(*meta, kMetaVersion);
  const json* capabilities = Member(*meta, kMetaCapabilities);
  if (version == nullptr && capabilities == nullptr) return std::nullopt;
  if (version == nullptr || !version->is_string()) {
    return Refuse(request.id, kInvalidParams,
                  fmt::format("params._meta.{}: must be a string", kMetaVersion));
  }
  if (*version != kModernVersion) {
    json data;
    data["supported"] = SupportedVersions();
    data["requested"] = *version;
    return Refuse(request.id, kUnsupportedProtocolVersion, "Unsupported protocol version",
                  std::move(data));
  }
  if (capabilities == nullptr || !capabilities->is_object()) {
    return Refuse(request.id, kInvalidParams,
                  fmt::format("params._meta.{}: must be an object", kMetaCapabilities));
  }
  return version->get<std::string>();
}

json Protocol::ServerInfo() const {
  json info;
  info["name"] = "zermelo";
  info["title"] = "Zermelo";
  info["version"] = program_version_;
  return info;
}

json Protocol::Initialize(const RpcMessage& request) const {
  const json* asked = Member(request.params, "protocolVersion");
  const bool spoken =
      asked != nullptr && asked->is_string() && IsLegacyVersion(asked->get<std::string>());
  json result;
  result["protocolVersion"] = spoken ? *asked : json(kLegacyVersion);
  result["capabilities"]["tools"] = json::object();
  result["serverInfo"] = ServerInfo();
  result["instructions"] = tools_.Instructions();
  return result;
}

json Protocol::Discover() const {
  json result;
  result["supportedVersions"] = SupportedVersions();
  result["capabilities"]["tools"] = json::object();
  result["instructions"] = tools_.Instructions();
  result["ttlMs"] = kFreshness;
  result["cacheScope"] = "public";
  return result;
}

tl::expected<json, RpcError> Protocol::ListTools(const RpcMessage& request, bool modern) const {
  if (const json* cursor = Member(request.params, "cursor"); cursor != nullptr) {
    return Refuse(request.id, kInvalidParams, "cursor: the list has only one page");
  }
  json result;
  result["tools"] = tools_.List();
  if (modern) {
    result["ttlMs"] = kFreshness;
    result["cacheScope"] = "public";
  }
  return result;
}

bool Protocol::Has(const std::string& tool) const {
  return std::ranges::any_of(tools_.List(), [&](const json& t) { return t.at("name") == tool; });
}

Task<tl::expected<json, RpcError>> Protocol::CallTool(RpcMessage request,
                                                      core::Cancellation& cancellation) {
  const json* name = Member(request.params, "name");
  if (name == nullptr || !name->is_string()) {
    co_return Refuse(request.id, kInvalidParams, "name: must be a string");
  }
  const auto tool = name->get<std::string>();
  if (!Has(tool)) {
    std::vector<std::string> names;
    for (const json& known : tools_.List()) names.push_back(known.at("name"));
    const std::string hint = core::DidYouMean(tool, names);
    co_return Refuse(request.id, kInvalidParams,
                     fmt::format("Unknown tool: {}{}{}", tool, hint.empty() ? "" : "; ", hint));
  }
  json arguments = json::object();
  if (const json* given = Member(request.params, "arguments"); given != nullptr) {
    if (!given->is_object() && !given->is_null()) {
      co_return Refuse(request.id, kInvalidParams, "arguments: must be an object");
    }
    if (given->is_object()) arguments = *given;
  }
  ToolAnswer answer = co_await tools_.Call(tool, std::move(arguments), cancellation);
  json text;
  text["type"] = "text";
  text["text"] = core::Dump(answer.content);
  json result;
  result["content"] = json::array();
  result["content"].push_back(std::move(text));
  result["structuredContent"] = std::move(answer.content);
  result["isError"] = answer.is_error;
  co_return result;
}

Task<tl::expected<json, RpcError>> Protocol::Result(RpcMessage request, bool modern,
                                                    core::Cancellation& cancellation) {
  const std::string method = request.method;
  if (method == "tools/list") co_return ListTools(request, modern);
  if (method == "tools/call") co_return co_await CallTool(std::move(request), cancellation);
  if (modern && method == "server/discover") co_return Discover();
  if (!modern && method == "initialize") co_return Initialize(request);
  if (!modern && method == "ping") co_return json::object();
  co_return Refuse(request.id, kMethodNotFound, "Unknown method: " + method);
}

Task<json> Protocol::Answer(RpcMessage request, bool modern, core::Cancellation& cancellation) {
  const json id = request.id;
  tl::expected<json, RpcError> result;
  try {
    result = co_await Result(std::move(request), modern, cancellation);
  } catch (const std::exception& e) {
    result = Refuse(id, kInternalError, std::string("internal error: ") + e.what());
  }
  if (!result) co_return ErrorMessage(result.error());
  if (modern) {
    (*result)["resultType"] = "complete";
    (*result)["_meta"][kMetaServerInfo] = ServerInfo();
  }
  co_return ResultMessage(id, std::move(*result));
}

}  // namespace zermelo::serve::mcp
