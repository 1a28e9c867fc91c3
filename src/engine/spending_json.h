// Spending on models as JSON, for records and `prove --json`.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "llm/budget.h"

namespace zermelo::engine {

/// {"calls": 3, "samples": 3, "prompt_tokens": 120, "completion_tokens": 40, "dollars": 0.1,
/// "estimated": false}
nlohmann::json ToJson(const llm::Spending& spending);
/// By role: {"prover": {…}, "reasoner": {…}}.
nlohmann::json ToJson(const std::map<std::string, llm::Spending>& roles);

}  // namespace zermelo::engine
