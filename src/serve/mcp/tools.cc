#include "serve/mcp/tools.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/json.h"
#include "serve/http/json_fields.h"
#include "serve/http/schema_check.h"
#include "serve/mcp/tools.json.h"
#include "strategy/registry.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::Task;
using nlohmann::json;

json ToolDefinitions() {
  constexpr std::string_view kStrategies = "{strategies}";
  json definitions = core::JsonOrDiscarded(kToolsJson);
  for (json& tool : definitions.at("tools")) {
    json& properties = tool.at("inputSchema").at("properties");
    if (!properties.contains("strategy")) continue;
    auto& text = properties["strategy"]["description"].get_ref<std::string&>();
    text.replace(text.find(kStrategies), kStrategies.size(), strategy::NamesOfStrategies());
  }
  return definitions;
}

ServerTools::ServerTools(LeanTools& lean, Jobs& jobs, ServerToolsOptions options)
    : options_(options) {
  const auto of_lean = [&lean](auto method) {
    return [&lean, method](json a, Cancellation& c) { return (lean.*method)(std::move(a), c); };
  };
  const auto of_jobs = [&jobs](auto method) {
    return [&jobs, method](json a, Cancellation& c) { return (jobs.*method)(std::move(a), c); };
  };
  answers_ = {{"check", of_lean(&LeanTools::Check)},
              {"goals", of_lean(&LeanTools::Goals)},
              {"try_proofs", of_lean(&LeanTools::TryProofs)},
              {"premise_search", of_lean(&LeanTools::SearchPremises)},
              {"prove_start", of_jobs(&Jobs::Start)},
              {"prove_status", of_jobs(&Jobs::Status)},
              {"prove_result", of_jobs(&Jobs::Result)},
              {"prove_cancel", of_jobs(&Jobs::Cancel)},
              {"disprove", of_jobs(&Jobs::Disprove)},
              {"verdict", of_lean(&LeanTools::Verdict)}};
}

const json& ServerTools::List() const { return definitions_.at("tools"); }

std::string ServerTools::Instructions() const { return definitions_.at("instructions"); }

Task<ToolAnswer> ServerTools::Call(std::string name, json arguments, Cancellation& cancellation) {
  const auto named = [&](const json& tool) { return tool.at("name") == name; };
  const auto tool = std::ranges::find_if(List(), named);
  const std::string wrong = SchemaError(arguments, tool->at("inputSchema"));
  if (!wrong.empty()) co_return Refused(wrong);
  if (running_ >= options_.calls) {
    co_return Refused(fmt::format("{} calls are already running", running_),
                      "wait for one to end, then try again");
  }
  ++running_;
  ToolAnswer answer;
  try {
    answer = co_await answers_.at(name)(std::move(arguments), cancellation);
  } catch (const BadRequest& bad) {
    answer = Refused(bad.what());
  } catch (...) {
    --running_;
    throw;
  }
  --running_;
  co_return answer;
}

}  // namespace zermelo::serve::mcp
