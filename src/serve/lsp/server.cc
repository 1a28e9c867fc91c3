#include "serve/lsp/server.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "serve/http/json_fields.h"
#include "serve/lsp/features.h"

namespace zermelo::serve::lsp {

using nlohmann::json;

namespace {

constexpr int kServerNotInitialized = -32002;
constexpr int kRequestFailed = -32803;
constexpr int kIncremental = 2;  // TextDocumentSyncKind

/// Ends a request with an error.
struct Refusal {
  int code;
  std::string message;
};

/// The first encoding that the client offers and that is supported here; UTF-16 if it offers none.
Encoding Negotiated(const json& params) {
  const json capabilities = params.value("capabilities", json::object());
  const json general =
      capabilities.is_object() ? capabilities.value("general", json::object()) : json::object();
  const json offered =
      general.is_object() ? general.value("positionEncodings", json::array()) : json::array();
  for (const json& name : offered) {
    if (name == "utf-8") return Encoding::kUtf8;
    if (name == "utf-16") return Encoding::kUtf16;
  }
  return Encoding::kUtf16;
}

json Capabilities(Encoding encoding) {
  const json commands{command::kProve, command::kDisprove, command::kProveAll, command::kCancel};
  return {{"positionEncoding", encoding == Encoding::kUtf8 ? "utf-8" : "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}}},
          {"hoverProvider", true},
          {"codeLensProvider", {{"resolveProvider", false}}},
          {"codeActionProvider", {{"codeActionKinds", json::array({"quickfix"})}}},
          {"executeCommandProvider", {{"commands", commands}}}};
}

/// Whether the client requests actions of the kind that the server offers.
bool WantsFixes(const json& params) {
  const auto context = params.find("context");
  if (context == params.end() || !context->is_object()) return true;
  const std::vector<std::string> kinds = StringsField(*context, "only");
  return kinds.empty() || std::ranges::any_of(kinds, [](const std::string& kind) {
           return kind.empty() || kind == "quickfix";
         });
}

}  // namespace

Server::Server(const core::Executor& executor, Projects& projects, mcp::ProofJobs& jobs,
               ServerOptions options, std::function<void(const json&)> send)
    : options_(std::move(options)),
      send_(send),
      editor_(executor, std::move(send)),
      attempts_(executor, projects, jobs, documents_, editor_) {}

core::Task<void> Server::Close() {
  editor_.Gone();
  co_await attempts_.Close();
}

void Server::Refuse(const RpcError& error) {
  send_(ErrorMessage(error));
  documents_.LoseAll();
}

void Server::Receive(const RpcMessage& message) {
  switch (message.kind) {
    case RpcMessage::Kind::kResponse:
      return editor_.Answered(message);
    case RpcMessage::Kind::kRequest:
      return OnRequest(message);
    case RpcMessage::Kind::kNotification:
      return OnNotification(message);
  }
}

void Server::OnRequest(const RpcMessage& request) {
  RpcError error;
  error.id = request.id;
  try {
    return send_(ResultMessage(request.id, Answer(request)));
  } catch (const Refusal& refusal) {
    error.code = refusal.code;
    error.message = refusal.message;
  } catch (const BadRequest& bad) {
    error.code = kInvalidParams;
    error.message = bad.what();
  } catch (const std::exception& e) {
    error.message = std::string("internal error: ") + e.what();
  }
  send_(ErrorMessage(error));
}

json Server::Answer(const RpcMessage& request) {
  const std::string& method = request.method;
  const json& params = request.params;
  if (stage_ == Stage::kShutDown) throw Refusal{kInvalidRequest, "the server is shut down"};
  if (method == "initialize") return Initialize(params);
  if (stage_ == Stage::kNew)
    throw Refusal{kServerNotInitialized, "initialize must be the first request"};
  if (method == "shutdown") {
    stage_ = Stage::kShutDown;
    return nullptr;
  }
  if (method == "workspace/executeCommand") return Execute(params);
  if (method == "textDocument/codeAction") return ActionsFor(params);
  const bool lenses = method == "textDocument/codeLens";
  if (!lenses && method != "textDocument/hover") {
    throw Refusal{kMethodNotFound, "unknown method: " + method};
  }
  const std::string uri = UriOf(params);
  const TextView view(uri, OpenDocument(uri), documents_.encoding());
  if (lenses) return CodeLenses(view, ModelsFor(uri), attempts_);
  const size_t offset =
      OffsetIn(view.lines, ObjectField(params, "position"), documents_.encoding());
  return Hover(view, offset, attempts_, editor_.abilities().markdown);
}

json Server::Initialize(const json& params) {
  if (stage_ != Stage::kNew) throw Refusal{kInvalidRequest, "initialize was already received"};
  stage_ = Stage::kReady;
  documents_.Use(Negotiated(params));
  editor_.Use(AbilitiesOf(params));
  return {{"capabilities", Capabilities(documents_.encoding())},
          {"serverInfo", {{"name", "zermelo"}, {"version", options_.version}}}};
}

json Server::ActionsFor(const json& params) {
  const std::string uri = UriOf(params);
  const TextView view(uri, OpenDocument(uri), documents_.encoding());
  const json& range = ObjectField(params, "range");
  const size_t begin = OffsetIn(view.lines, ObjectField(range, "start"), documents_.encoding());
  const size_t end = OffsetIn(view.lines, ObjectField(range, "end"), documents_.encoding());
  if (!WantsFixes(params)) return json::array();
  return CodeActions(view, std::min(begin, end), std::max(begin, end), ModelsFor(uri), attempts_,
                     editor_.abilities().action_literals);
}

json Server::Execute(const json& params) {
  const std::string name = StringField(params, "command", "");
  const auto arguments = params.find("arguments");
  if (arguments == params.end() || !arguments->is_array() || arguments->empty() ||
      !arguments->front().is_object()) {
    throw BadRequest(kInvalid, "arguments: must be an array with one object");
  }
  const json& argument = arguments->front();
  AttemptRequest request;
  request.uri = StringField(argument, "uri", "");
  request.model = StringField(argument, "model", "", "");
  request.seconds = options_.seconds;
  const TextView view(request.uri, OpenDocument(request.uri), documents_.encoding());
  if (name == command::kProveAll) {
    request.aim = Aim::kProveAll;
  } else if (name == command::kProve || name == command::kDisprove || name == command::kCancel) {
    request.aim = name == command::kDisprove ? Aim::kDisprove : Aim::kProve;
    Selection selection;
    selection.offset =
        OffsetIn(view.lines, ObjectField(argument, "position"), documents_.encoding());
    if (argument.contains("theorem")) selection.name = StringField(argument, "theorem", "");
    const SorryPlace* const place = Select(view.sorries, view.text, selection);
    if (place == nullptr) throw Refusal{kRequestFailed, "there is no sorry to prove here"};
    request.place = *place;
  } else {
    throw Refusal{kInvalidParams, "unknown command: " + name};
  }
  if (name == command::kCancel) {
    attempts_.Stop(request.uri, request.place.id);
    return nullptr;
  }
  // The answer does not wait for the proof: some editors stand still until they have it.
  const auto started = attempts_.Start(std::move(request));
  if (!started) throw Refusal{kRequestFailed, started.error().message};
  return nullptr;
}

void Server::OnNotification(const RpcMessage& notification) {
  const std::string& method = notification.method;
  const json& params = notification.params;
  if (method == "exit") exited_ = true;
  if (stage_ != Stage::kReady) return;
  try {
    if (method == "textDocument/didOpen") documents_.Open(params);
    if (method == "textDocument/didChange") documents_.Change(params);
    if (method == "textDocument/didClose") {
      documents_.Close(params);
      attempts_.CancelAll(UriOf(params));
    }
    if (method == "window/workDoneProgress/cancel") {
      attempts_.StopToken(StringField(params, "token", ""));
    }
  } catch (const BadRequest& bad) {
    editor_.Show(MessageType::kError, fmt::format("Zermelo: {}: {}", method, bad.what()));
  }
  attempts_.Changed();
}

const Document& Server::OpenDocument(const std::string& uri) const {
  if (const Document* const document = documents_.Find(uri)) return *document;
  throw Refusal{kRequestFailed, documents_.IsLost(uri)
                                    ? "the text was lost because of a wrong message; open it again"
                                    : "the file is not open"};
}

std::vector<std::string> Server::ModelsFor(const std::string& uri) const {
  return options_.models(std::filesystem::path(PathOf(uri)).parent_path());
}

}  // namespace zermelo::serve::lsp
