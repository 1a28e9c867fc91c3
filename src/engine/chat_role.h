// The models that chat in one role, as one model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/config.h"
#include "core/error.h"
#include "llm/format.h"
#include "llm/model.h"

namespace zermelo::engine {

/// The model must outlive the role.
struct ChatMember {
  llm::Model* model = nullptr;
  llm::Sampling sampling;  // for requests that do not say their own
  double weight = 1;
};

/// How a configured model samples when it chats: as the first of its formats that chats, and what
/// the configuration says. Nothing: none of its formats chats. kUsage: an unknown format.
core::Result<std::optional<llm::Sampling>> ChatSampling(const core::ModelConfig& config,
                                                        const llm::Formats& formats);

/// Members take turns by weight; when one fails for good or cannot be reached, the others are asked
/// in their order, and the last error is the role's. At least one member.
std::unique_ptr<llm::Model> MakeChatRole(std::vector<ChatMember> members);

}  // namespace zermelo::engine
