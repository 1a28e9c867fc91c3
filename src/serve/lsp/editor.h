// Sends messages to the editor: notifications, and requests with their answers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "serve/rpc/json_rpc.h"

namespace zermelo::serve::lsp {

/// The capabilities of the editor, from `initialize`.
struct EditorAbilities {
  bool versioned_edits = false;  // workspace/applyEdit with documentChanges
  bool progress = false;         // window/workDoneProgress/create
  bool refresh_lenses = false;   // workspace/codeLens/refresh
  bool action_literals = false;  // code actions with a kind, not only commands
  bool markdown = false;         // in hovers
};
/// `params`: those of `initialize`; fields of a wrong type count as absent.
EditorAbilities AbilitiesOf(const nlohmann::json& params);

/// Values of LSP's MessageType.
enum class MessageType : int { kError = 1, kWarning = 2, kInfo = 3 };

class Editor {
 public:
  /// `send` receives each message.
  Editor(core::Executor executor, std::function<void(const nlohmann::json&)> send)
      : executor_(std::move(executor)), send_(std::move(send)) {}

  void Use(EditorAbilities abilities) { abilities_ = abilities; }
  const EditorAbilities& abilities() const { return abilities_; }

  void Notify(const std::string& method, nlohmann::json params);
  /// Errors: kInternal (the editor refuses), kTimeout, kCancelled (the connection is closed).
  core::Task<core::Result<nlohmann::json>> Request(std::string method, nlohmann::json params,
                                                   core::Duration time);
  /// window/showMessage.
  void Show(MessageType type, const std::string& text);
  /// Asks the editor to request the code lenses again, if it can.
  void RefreshLenses();

  /// Handles the answer to a request.
  void Answered(const RpcMessage& response);
  /// Ends all pending requests with kCancelled.
  void Gone();

 private:
  using Answer = core::OneShot<core::Result<nlohmann::json>>;

  const core::Executor executor_;
  const std::function<void(const nlohmann::json&)> send_;
  EditorAbilities abilities_;
  bool gone_ = false;
  int64_t next_id_ = 1;
  std::map<int64_t, std::shared_ptr<Answer>> pending_;
};

}  // namespace zermelo::serve::lsp
