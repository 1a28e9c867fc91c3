// Requests and replies as JSON, for records. Texts that are not UTF-8 and numbers that are not
// finite survive; equal values give equal bytes.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "llm/model.h"

namespace zermelo::llm {

nlohmann::json ToJson(const Request& request);
nlohmann::json ToJson(const Reply& reply);
nlohmann::json ToJson(const Completion& completion);

/// kInput when it is not what ToJson writes.
core::Result<Reply> ReplyFromJson(const nlohmann::json& json);
core::Result<Completion> CompletionFromJson(const nlohmann::json& json);

}  // namespace zermelo::llm
