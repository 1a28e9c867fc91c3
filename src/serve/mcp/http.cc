#include "serve/mcp/http.h"

#include <algorithm>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <optional>

#include "core/json.h"
#include "serve/http/handle.h"
#include "serve/http/json_fields.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::Task;
using nlohmann::json;

namespace {

constexpr const char* kVersionHeader = "mcp-protocol-version";
constexpr const char* kMethodHeader = "mcp-method";
constexpr const char* kNameHeader = "mcp-name";
constexpr const char* kSessionHeader = "mcp-session-id";
constexpr size_t kMaxSession = 128;
// Treated like a missing version header, which this revision did not have yet.
constexpr std::string_view kBeforeHeaders = "2025-03-26";

std::string Header(const HttpRequest& request, const char* name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? "" : found->second;
}

HttpResponse JsonResponse(int status, const json& body) {
  HttpResponse response;
  response.status = status;
  response.body = core::Dump(body);
  return response;
}

/// The HTTP status of an error in the revision without sessions.
int StatusOf(int code) {
  switch (code) {
    case kMethodNotFound:
      return 404;
    case kInternalError:
      return 200;
    default:
      return 400;
  }
}

HttpResponse ErrorResponse(const RpcError& error) {
  return JsonResponse(StatusOf(error.code), ErrorMessage(error));
}

RpcError Mismatch(const RpcMessage& request, std::string what) {
  RpcError error;
  error.id = request.id;
  error.code = kHeaderMismatch;
  error.message = "Header mismatch: " + std::move(what);
  return error;
}

/// Decodes a header value; "=?base64?…?=" is base64 of UTF-8 text. Nothing if it is malformed.
std::optional<std::string> Decoded(const std::string& value) {
  constexpr std::string_view kBegin = "=?base64?", kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) ||
      value.size() < kBegin.size() + kEnd.size()) {
    return value;
  }
  const std::string code = value.substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size());
  std::string text(code.size(), '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(code.data()),
                                     static_cast<int>(code.size()));
  if (length < 0) return std::nullopt;
  const size_t padding = code.size() - std::min(code.find_last_not_of('=') + 1, code.size());
  text.resize(static_cast<size_t>(length) - std::min<size_t>(padding, 2));
  return text;
}

/// The error if the headers do not repeat the parts of the body that they must.
std::optional<RpcError> HeadersDiffer(const HttpRequest& http, const RpcMessage& request) {
  if (Header(http, kVersionHeader) != kModernVersion) {
    return Mismatch(request, fmt::format("MCP-Protocol-Version is '{}', but the body has '{}'",
                                         Header(http, kVersionHeader), kModernVersion));
  }
  if (Header(http, kMethodHeader) != request.method) {
    return Mismatch(request, fmt::format("Mcp-Method is '{}', but the body has '{}'",
                                         Header(http, kMethodHeader), request.method));
  }
  if (request.method != "tools/call") return std::nullopt;
  const auto name = Decoded(Header(http, kNameHeader));
  const auto said = request.params.find("name");
  if (!http.headers.contains(kNameHeader) || !name || said == request.params.end() ||
      *said != *name) {
    return Mismatch(request, fmt::format("Mcp-Name is '{}', which is not the name in the body",
                                         Header(http, kNameHeader)));
  }
  return std::nullopt;
}

RpcError Unsupported(const RpcMessage& message, const std::string& version) {
  RpcError error;
  error.id = message.id;
  error.code = kUnsupportedProtocolVersion;
  error.message = "Unsupported protocol version";
  error.data["supported"] = SupportedVersions();
  error.data["requested"] = version;
  return error;
}

}  // namespace

bool HttpEndpoint::Welcome(const std::string& origin) const {
  if (origin.empty() || std::ranges::find(options_.origins, origin) != options_.origins.end()) {
    return true;
  }
  const size_t scheme = origin.find("://");
  if (scheme == std::string::npos) return false;
  std::string host = origin.substr(scheme + 3);
  const size_t port =
      host.find(':', host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0);
  host = host.substr(0, port);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

Task<HttpResponse> HttpEndpoint::Handle(HttpRequest http, Cancellation& client_gone) {
  if (!Welcome(Header(http, "origin"))) {
    co_return serve::ErrorResponse(403, "requests from pages of this origin are not allowed");
  }
  const std::string content_type = Header(http, "content-type");
  if (!content_type.starts_with("application/json")) {
    co_return serve::ErrorResponse(415, "the body must be application/json");
  }
  auto message = ReadMessage(http.body);
  if (!message) co_return ErrorResponse(message.error());
  const std::string version = Header(http, kVersionHeader);
  const bool legacy = version.empty() || version == kBeforeHeaders || IsLegacyVersion(version);
  if (!legacy && version != kModernVersion) co_return ErrorResponse(Unsupported(*message, version));
  if (message->kind != RpcMessage::Kind::kRequest) {
    if (message->method == "notifications/cancelled") {
      const auto id = message->params.find("requestId");
      const std::string session = Header(http, kSessionHeader);
      if (id != message->params.end() && !session.empty()) {
        const auto found = running_.find(session + " " + id->dump());
        if (found != running_.end()) found->second->Request();
      }
    }
    HttpResponse accepted;
    accepted.status = 202;
    co_return accepted;
  }
  const auto spoken = VersionOf(*message);
  if (!spoken) co_return ErrorResponse(spoken.error());
  const bool modern = spoken->has_value();
  if (!modern && !legacy) {
    RpcError error;
    error.id = message->id;
    error.code = kInvalidParams;
    error.message = "params._meta lacks io.modelcontextprotocol/protocolVersion";
    co_return ErrorResponse(error);
  }
  if (modern) {
    if (auto differ = HeadersDiffer(http, *message)) co_return ErrorResponse(*differ);
  }
  co_return co_await Serve(http, std::move(*message), modern, client_gone);
}

Task<HttpResponse> HttpEndpoint::Serve(const HttpRequest& http, RpcMessage request, bool modern,
                                       Cancellation& client_gone) {
  const std::string session = modern ? "" : Header(http, kSessionHeader).substr(0, kMaxSession);
  const bool begins = !modern && request.method == "initialize";
  Cancellation cancellation;
  const Cancellation::Subscription gone(client_gone, [&] { cancellation.Request(); });
  const std::string key = session + " " + request.id.dump();
  const bool listed = !session.empty() && running_.emplace(key, &cancellation).second;
  const json answer = co_await protocol_.Answer(std::move(request), modern, cancellation);
  if (listed) running_.erase(key);
  const auto error = answer.find("error");
  const bool failed = modern && error != answer.end();
  auto response = JsonResponse(failed ? StatusOf(error->at("code").get<int>()) : 200, answer);
  if (begins && error == answer.end()) response.headers["Mcp-Session-Id"] = NewHandle();
  co_return response;
}

}  // namespace zermelo::serve::mcp
