#include "engine/recorded_checker.h"

#include <array>

#include "core/hash.h"
#include "record/answer_json.h"

namespace zermelo::engine {

using core::Fail;
using core::Result;
using core::Task;
using lean::CheckResult;
using nlohmann::json;

namespace {

constexpr std::array kVerdicts{lean::Verdict::kAccepted, lean::Verdict::kSorry,
                               lean::Verdict::kRejected, lean::Verdict::kStalled};

json ToJson(const syntax::Position& position) {
  return json::array({position.line, position.character});
}

syntax::Position PositionOf(const json& value) {
  return {.line = value.at(0).get<uint32_t>(), .character = value.at(1).get<uint32_t>()};
}

json ToJson(const CheckResult& result) {
  json value{{"verdict", Name(result.verdict)}, {"seconds", result.seconds}};
  value["diagnostics"] = json::array();
  for (const lean::Diagnostic& d : result.diagnostics) {
    value["diagnostics"].push_back({{"severity", static_cast<int>(d.severity)},
                                    {"begin", ToJson(d.begin)},
                                    {"end", ToJson(d.end)},
                                    {"message", d.message}});
  }
  if (!result.goals.empty()) value["goals"] = result.goals;
  if (result.stalled_part) value["stalled_part"] = *result.stalled_part;
  if (result.stopped_at_error) value["stopped_at_error"] = true;
  for (const lean::SorryGoals& sorry : result.sorries) {
    value["sorries"].push_back({{"at", ToJson(sorry.at)}, {"goals", sorry.goals}});
  }
  return value;
}

/// Throws json::exception.
CheckResult ReadCheckResult(const json& value) {
  CheckResult result;
  for (const lean::Verdict verdict : kVerdicts) {
    if (value.at("verdict") == Name(verdict)) result.verdict = verdict;
  }
  result.seconds = value.at("seconds");
  for (const json& entry : value.at("diagnostics")) {
    lean::Diagnostic d;
    d.severity = static_cast<lean::Severity>(entry.at("severity").get<int>());
    d.begin = PositionOf(entry.at("begin"));
    d.end = PositionOf(entry.at("end"));
    d.message = entry.at("message");
    result.diagnostics.push_back(std::move(d));
  }
  if (value.contains("goals")) value["goals"].get_to(result.goals);
  if (value.contains("stalled_part")) result.stalled_part = value["stalled_part"].get<size_t>();
  result.stopped_at_error = value.value("stopped_at_error", false);
  for (const json& entry : value.value("sorries", json::array())) {
    result.sorries.push_back({.at = PositionOf(entry.at("at")), .goals = entry.at("goals")});
  }
  return result;
}

Result<CheckResult> CheckResultOf(const json& answer) {
  try {
    if (answer.contains("error")) return Fail(record::ErrorOf(answer["error"]));
    return ReadCheckResult(answer);
  } catch (const json::exception& e) {
    return Fail(core::ErrorCode::kInput, std::string("cannot read a recorded check: ") + e.what());
  }
}

Task<json> CheckInWorld(lean::Checker* checker, std::shared_ptr<lean::CheckRequest> request) {
  const auto result = co_await checker->Check(std::move(*request));
  if (result) co_return ToJson(*result);
  co_return record::ErrorAnswer(result.error());
}

}  // namespace

Task<Result<CheckResult>> RecordedChecker::Check(lean::CheckRequest request) {
  record::ExternalCall act;
  act.kind = "checked";
  act.key = core::HexHash64(request.text);
  act.cancellation = request.cancellation;
  act.perform = [checker = &inner_,
                 shared = std::make_shared<lean::CheckRequest>(std::move(request))] {
    return CheckInWorld(checker, shared);
  };
  const auto answer = co_await journal_.Perform(std::move(act));
  ++checks_;
  if (!answer) co_return Fail(answer.error());
  co_return CheckResultOf(*answer);
}

}  // namespace zermelo::engine
