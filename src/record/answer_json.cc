#include "record/answer_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/json.h"
#include "core/text.h"
#include "lean/probe_json.h"

// The JSON of types that are written field by field. Writing and reading throw json::exception.

namespace zermelo::core {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PythonResult, out, errors, code, ended)
}  // namespace zermelo::core

namespace zermelo::syntax {

inline void to_json(nlohmann::json& to, const Position& position) {
  to = nlohmann::json::array({position.line, position.character});
}

inline void from_json(const nlohmann::json& from, Position& position) {
  from.at(0).get_to(position.line);
  from.at(1).get_to(position.character);
}

}  // namespace zermelo::syntax

namespace zermelo::lean {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Diagnostic, severity, begin, end, message)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SorryGoals, at, goals)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reference, begin, end, name, module)

constexpr std::array kVerdicts{CheckStatus::kAccepted, CheckStatus::kSorry, CheckStatus::kRejected,
                               CheckStatus::kStalled};

inline void to_json(nlohmann::json& to, const CheckStatus& status) { to = Name(status); }

inline void from_json(const nlohmann::json& from, CheckStatus& status) {
  const auto& name = from.get_ref<const std::string&>();
  const auto found =
      std::ranges::find_if(kVerdicts, [&](CheckStatus each) { return name == Name(each); });
  if (found == kVerdicts.end()) throw nlohmann::json::other_error::create(0, "verdict", &from);
  status = *found;
}

void Fields(auto& field, CheckResult& result) {
  field("verdict", result.status);
  field("seconds", result.seconds);
  field("diagnostics", result.diagnostics);
  field.OrElse("goals", result.goals);
  field.OrElse("stalled_part", result.stalled_part);
  field.OrElse("crashed", result.crashed);
  field.OrElse("stopped_at_error", result.stopped_at_error);
  field.OrElse("sorries", result.sorries);
  field.OrElse("references", result.references);
}

}  // namespace zermelo::lean

namespace zermelo::llm {

constexpr std::array kFinishNames{"stop", "length", "tool_calls", "fence", "broken", "filtered"};

inline void to_json(nlohmann::json& to, const FinishReason& reason) {
  to = kFinishNames.at(static_cast<size_t>(reason));
}

inline void from_json(const nlohmann::json& from, FinishReason& reason) {
  const auto found =
      std::find(kFinishNames.begin(), kFinishNames.end(), from.get_ref<const std::string&>());
  if (found == kFinishNames.end()) throw nlohmann::json::other_error::create(0, "finish", &from);
  reason = static_cast<FinishReason>(found - kFinishNames.begin());
}

/// A logarithm that is not finite is written by name.
inline void to_json(nlohmann::json& to, const TokenLogprob& token) {
  const double value = token.logprob;
  to = nlohmann::json::array({token.token, value});
  if (!std::isfinite(value)) to[1] = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

inline void from_json(const nlohmann::json& from, TokenLogprob& token) {
  from.at(0).get_to(token.token);
  const nlohmann::json& value = from.at(1);
  token.logprob = value.is_number() ? value.get<double>()
                  : value == "nan"  ? std::numeric_limits<double>::quiet_NaN()
                  : value == "inf"  ? std::numeric_limits<double>::infinity()
                                    : -std::numeric_limits<double>::infinity();
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ToolCall, id, name, arguments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Tool, name, description, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Message, role, content, tool_calls, tool_call_id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Usage, prompt_tokens, cached_prompt_tokens, completion_tokens,
                                   estimated)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Completion, text, reasoning, tool_calls, finish, logprobs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reply, completions, usage, model, seconds, attempts)

}  // namespace zermelo::llm

namespace zermelo::record {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

/// The answer or error in JSON: `read` gets the answer; kInput if it throws.
template <class Answer, class Read>
Result<Answer> ReadAnswer(const json& from, Read read) {
  if (auto error = ErrorIn(from)) return Fail(*std::move(error));
  try {
    Answer answer;
    read(answer);
    return answer;
  } catch (const json::exception& e) {
    return Fail(ErrorCode::kInput, std::string("a recorded answer cannot be read: ") + e.what());
  }
}

/// Strings that are not UTF-8 become {"bytes": [...]}.
void EncodeStrings(json& value) {
  if (value.is_string() && core::FindInvalidUtf8(value.get_ref<const std::string&>())) {
    json bytes = json::array();
    for (const char c : value.get_ref<const std::string&>()) {
      bytes.push_back(static_cast<unsigned char>(c));
    }
    value = json{{"bytes", std::move(bytes)}};
  } else if (value.is_structured()) {
    for (json& child : value) EncodeStrings(child);
  }
}

void DecodeStrings(json& value) {
  if (value.is_object() && value.size() == 1 && value.contains("bytes")) {
    std::string text;
    for (const json& byte : value["bytes"]) text += static_cast<char>(byte.get<unsigned char>());
    value = std::move(text);
  } else if (value.is_structured()) {
    for (json& child : value) DecodeStrings(child);
  }
}

}  // namespace

json ToJson(const llm::Request& request) {
  const llm::Sampling& sampling = request.sampling;
  json out{{"n", sampling.n},
           {"temperature", sampling.temperature.value_or(llm::kDefaultTemperature)},
           {"top_p", sampling.top_p.value_or(llm::kDefaultTopP)},
           {"max_tokens", sampling.max_tokens.value_or(llm::kDefaultMaxTokens)},
           {"stop", sampling.stop},
           {"seed", sampling.seed ? json(*sampling.seed) : json()},
           {"logprobs", sampling.logprobs},
           {"tools", request.tools},
           {"stop_at_fence", request.stop_at_fence},
           {"fence_is_open", request.fence_is_open}};
  if (const auto* prompt = std::get_if<std::string>(&request.prompt)) {
    out["prompt"] = *prompt;
  } else {
    out["messages"] = std::get<std::vector<llm::Message>>(request.prompt);
  }
  return out;
}

json ToJson(const llm::Message& message) {
  json fields{{"role", message.role}, {"content", message.content}};
  if (!message.tool_call_id.empty()) fields["call"] = message.tool_call_id;
  if (!message.tool_calls.empty()) fields["calls"] = message.tool_calls;
  return fields;
}

llm::Message MessageOf(const json& fields) {
  llm::Message message;
  message.role = fields.value("role", "");
  message.content = fields.value("content", "");
  message.tool_call_id = fields.value("tool_call_id", fields.value("call", ""));
  const json calls = fields.value("tool_calls", fields.value("calls", json::array()));
  for (const json& call : calls) {
    message.tool_calls.push_back({.id = call.value("id", ""),
                                  .name = call.value("name", ""),
                                  .arguments = call.value("arguments", "")});
  }
  return message;
}

json ToJson(const core::PythonResult& answer) { return answer; }
json ToJson(const lean::CheckResult& answer) { return answer; }
json ToJson(const Tried& answer) { return {{"tried", answer ? json(*answer) : json()}}; }
json ToJson(const Premises& answer) { return {{"premises", answer}}; }
json ToJson(const learn::Advice& answer) { return answer; }
json ToJson(const learn::Chances& answer) { return answer; }

json ToJson(const ModelAnswer& answer) {
  const Result<llm::Reply>& outcome = answer.outcome;
  json written = outcome ? json{{"reply", *outcome}} : ToJson(outcome.error());
  if (!outcome || answer.arrived != outcome->completions) written["arrived"] = answer.arrived;
  if (answer.lost) written["lost"] = *answer.lost;
  return written;
}

json ToJson(const core::Error& error) {
  json written;
  written["error"] = error;
  return written;
}

template <>
Result<core::PythonResult> AnswerOf(const json& from) {
  return ReadAnswer<core::PythonResult>(from, [&](auto& answer) { from.get_to(answer); });
}

template <>
Result<lean::CheckResult> AnswerOf(const json& from) {
  return ReadAnswer<lean::CheckResult>(from, [&](auto& answer) { from.get_to(answer); });
}

template <>
Result<Tried> AnswerOf(const json& from) {
  return ReadAnswer<Tried>(from, [&](auto& answer) {
    const json& tried = from.at("tried");
    if (!tried.is_null()) answer = tried.get<std::vector<lean::ProbeResult>>();
  });
}

template <>
Result<Premises> AnswerOf(const json& from) {
  return ReadAnswer<Premises>(from, [&](auto& answer) { from.at("premises").get_to(answer); });
}

template <>
Result<learn::Advice> AnswerOf(const json& from) {
  return ReadAnswer<learn::Advice>(from, [&](auto& answer) { from.get_to(answer); });
}

template <>
Result<learn::Chances> AnswerOf(const json& from) {
  return ReadAnswer<learn::Chances>(from, [&](auto& answer) { from.get_to(answer); });
}

template <>
Result<ModelAnswer> AnswerOf(const json& from) {
  auto outcome = ReadAnswer<llm::Reply>(from, [&](auto& reply) { from.at("reply").get_to(reply); });
  if (!outcome && !ErrorIn(from)) return Fail(outcome.error());
  return ReadAnswer<ModelAnswer>(json(), [&](auto& answer) {
    if (outcome) answer.arrived = outcome->completions;
    if (from.contains("arrived")) from["arrived"].get_to(answer.arrived);
    if (from.contains("lost")) answer.lost = from["lost"].get<llm::Usage>();
    answer.outcome = std::move(outcome);
  });
}

std::optional<core::Error> ErrorIn(const json& answer) {
  if (!answer.is_object() || !answer.contains("error")) return std::nullopt;
  const json& error = answer["error"];
  return error.is_object() ? error.get<core::Error>() : core::Error();
}

std::string TextOf(json value) {
  EncodeStrings(value);
  return core::Dump(value);
}

json FromText(std::string_view text) {
  json value = core::JsonOrDiscarded(text);
  try {
    DecodeStrings(value);
  } catch (const json::exception&) {
    return json(json::value_t::discarded);
  }
  return value;
}

}  // namespace zermelo::record
