#include "engine/spending_json.h"

namespace zermelo::engine {

using nlohmann::json;

json ToJson(const llm::Spending& spending) {
  return {{"calls", spending.calls},
          {"samples", spending.samples},
          {"prompt_tokens", spending.prompt_tokens},
          {"completion_tokens", spending.completion_tokens},
          {"dollars", spending.dollars},
          {"estimated", spending.estimated}};
}

json ToJson(const std::map<std::string, llm::Spending>& roles) {
  json object = json::object();
  for (const auto& [role, spending] : roles) object[role] = ToJson(spending);
  return object;
}

}  // namespace zermelo::engine
