#include "serve/lsp/editor.h"

#include <initializer_list>
#include <utility>

#include "core/json.h"
#include "core/text.h"
#include "serve/http/json_fields.h"

namespace zermelo::serve::lsp {

using core::ErrorCode;
using core::Fail;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kMaxMessage = 4000;  // bytes

/// A nested member; null if there is none.
json At(const json& object, std::initializer_list<const char*> path) {
  const json* at = &object;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return nullptr;
    at = &at->at(name);
  }
  return *at;
}

bool Has(const json& list, const char* value) {
  return list.is_array() && std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

EditorAbilities AbilitiesOf(const json& params) {
  const auto says = [&](std::initializer_list<const char*> path) {
    return At(params, path) == json(true);
  };
  EditorAbilities can;
  // Neovim has documentChanges but announces only the operations that are possible in them.
  const json edits = At(params, {"capabilities", "workspace", "workspaceEdit"});
  const bool versions =
      At(edits, {"documentChanges"}) == json(true) || At(edits, {"resourceOperations"}).is_array();
  can.versioned_edits = says({"capabilities", "workspace", "applyEdit"}) && versions;
  can.progress = says({"capabilities", "window", "workDoneProgress"});
  can.refresh_lenses = says({"capabilities", "workspace", "codeLens", "refreshSupport"});
  can.action_literals =
      At(params, {"capabilities", "textDocument", "codeAction", "codeActionLiteralSupport"})
          .is_object();
  can.markdown =
      Has(At(params, {"capabilities", "textDocument", "hover", "contentFormat"}), "markdown");
  return can;
}

void Editor::Notify(const std::string& method, json params) {
  send_(CallMessage(nullptr, method, std::move(params)));
}

Task<core::Result<json>> Editor::Request(std::string method, json params, core::Duration time) {
  if (gone_) co_return Fail(ErrorCode::kCancelled, "the editor has disconnected");
  const int64_t id = next_id_++;
  const auto answer = std::make_shared<Answer>(executor_);
  pending_.emplace(id, answer);
  send_(CallMessage(id, method, std::move(params)));
  auto result = co_await answer->Wait(core::Deadline::After(time));
  pending_.erase(id);
  if (!result) co_return Fail(ErrorCode::kTimeout, "the editor did not answer " + method);
  co_return std::move(*result);
}

void Editor::Show(MessageType type, const std::string& text) {
  json params;
  params["type"] = static_cast<int>(type);
  params["message"] = core::Truncated(text, kMaxMessage);
  Notify("window/showMessage", std::move(params));
}

void Editor::RefreshLenses() {
  if (!abilities_.refresh_lenses || gone_) return;
  // The answer is not awaited.
  send_(CallMessage(next_id_++, "workspace/codeLens/refresh", nullptr));
}

void Editor::Answered(const RpcMessage& response) {
  if (!response.id.is_number_integer()) return;
  const auto found = pending_.find(response.id.get<int64_t>());
  if (found == pending_.end()) return;
  if (response.error.is_null()) return found->second->Set(response.result);
  found->second->Set(
      Fail(ErrorCode::kInternal,
           "the editor refuses: " + core::Dump(response.error).substr(0, kMaxMessage)));
}

void Editor::Gone() {
  gone_ = true;
  for (const auto& [id, answer] : std::exchange(pending_, {})) {
    answer->Set(Fail(ErrorCode::kCancelled, "the editor has disconnected"));
  }
}

}  // namespace zermelo::serve::lsp
