// Requests and replies as JSON, for recording. Invalid UTF-8 and numbers that are not finite
// survive a round trip; equal values give equal bytes.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "llm/model.h"

namespace zermelo::llm {

nlohmann::json ToJson(const Request& request);
nlohmann::json ToJson(const Reply& reply);
nlohmann::json ToJson(const Completion& completion);

/// kInput if `json` was not written by ToJson.
core::Result<Reply> ReplyFromJson(const nlohmann::json& json);
core::Result<Completion> CompletionFromJson(const nlohmann::json& json);

}  // namespace zermelo::llm
