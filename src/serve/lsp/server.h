// A language server for proofs, beside Lean's own: LSP 3.17 without a transport.
//
//     kNew ──initialize──► kReady ──shutdown──► kShutDown
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/lsp/attempts.h"
#include "serve/lsp/documents.h"
#include "serve/lsp/editor.h"
#include "serve/rpc/json_rpc.h"

namespace zermelo::serve::lsp {

struct ServerOptions {
  std::string version;  // of the program
  double seconds = 60;  // for each `sorry`
  /// The configured models that write proofs or tactics, for files in a folder.
  std::function<std::vector<std::string>(const std::filesystem::path&)> models;
};

class Server {
 public:
  /// `projects` and `jobs` must outlive this object. `send` receives each message to the client.
  Server(const core::Executor& executor, Projects& projects, mcp::ProofJobs& jobs,
         ServerOptions options, std::function<void(const nlohmann::json&)> send);

  /// Handles a message of the client; does not block. A notification with wrong parameters is
  /// reported by window/showMessage, since it has no answer.
  void Receive(const RpcMessage& message);
  /// To be called if a message could not be read.
  void Refuse(const RpcError& error);

  /// The client has sent `exit`.
  bool exited() const { return exited_; }
  /// The client has asked to shut down, as it must before `exit`.
  bool shut_down() const { return stage_ == Stage::kShutDown; }
  /// Cancels all work in progress and waits for it; must be called before destruction.
  core::Task<void> Close();

 private:
  enum class Stage : uint8_t { kNew, kReady, kShutDown };

  void OnRequest(const RpcMessage& request);
  void OnNotification(const RpcMessage& notification);
  nlohmann::json Answer(const RpcMessage& request);
  nlohmann::json Initialize(const nlohmann::json& params);
  nlohmann::json ActionsFor(const nlohmann::json& params);
  nlohmann::json Execute(const nlohmann::json& params);
  const Document& OpenDocument(const std::string& uri) const;
  std::vector<std::string> ModelsFor(const std::string& uri) const;

  const ServerOptions options_;
  const std::function<void(const nlohmann::json&)> send_;
  Documents documents_;
  Editor editor_;
  Attempts attempts_;
  Stage stage_ = Stage::kNew;
  bool exited_ = false;
};

}  // namespace zermelo::serve::lsp
