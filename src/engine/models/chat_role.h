// The chat models of one role, combined into one model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/config.h"
#include "core/error.h"
#include "llm/model.h"
#include "llm/prompt/format.h"

namespace zermelo::engine {

/// The model must outlive the role.
struct ChatMember {
  llm::Model* model = nullptr;
  llm::Sampling sampling;  // for values that a request leaves unset
  double weight = 1;
};

/// The sampling of a configured model when it chats: that of its first chat format, overridden by
/// the model's configuration. A model that runs from a folder chats without such a format. nullopt:
/// it does not chat. kUsage: an unknown format.
core::Result<std::optional<llm::Sampling>> ChatSampling(const core::ModelConfig& config,
                                                        const llm::Formats& formats);

/// Members take turns by weight. If a member cannot be reached or refuses the request
/// (kEnvironment, kUsage), the others are tried in order; the last error is returned. The name is
/// that of all members, separated by commas. Needs at least one member.
std::unique_ptr<llm::Model> MakeChatRole(std::vector<ChatMember> members);

}  // namespace zermelo::engine
