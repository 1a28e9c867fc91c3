#include "record/answer_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>

#include "core/text.h"
#include "record/json_fields.h"

namespace zermelo::record {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr std::array kVerdictNames{"accepted", "sorry", "rejected", "stalled"};
constexpr std::array kFinishNames{"stop", "length", "tool_calls", "fence", "broken", "filtered"};
constexpr std::array kErrorCodes{
    ErrorCode::kUsage,     ErrorCode::kInput,   ErrorCode::kEnvironment, ErrorCode::kTimeout,
    ErrorCode::kCancelled, ErrorCode::kCrashed, ErrorCode::kInternal};

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

}  // namespace

void Declare(auto& fields, Is<core::PythonResult> auto& result) {
  fields("out", result.out);
  fields("errors", result.errors);
  fields("code", result.code);
  fields("ended", result.ended);
}

void Declare(auto& fields, Is<retrieve::Premise> auto& premise) {
  fields("name", premise.name);
  fields("kind", premise.kind);
  fields("signature", premise.signature);
  fields("module", premise.module);
  fields("docstring", premise.docstring);
  fields("score", premise.score);
}

void Declare(auto& fields, Is<syntax::Position> auto& position) {
  fields.Element(position.line);
  fields.Element(position.character);
}

void Declare(auto& fields, Is<lean::Diagnostic> auto& diagnostic) {
  fields("severity", diagnostic.severity);
  fields("begin", diagnostic.begin);
  fields("end", diagnostic.end);
  fields("message", diagnostic.message);
}

void Declare(auto& fields, Is<lean::SorryGoals> auto& sorry) {
  fields("at", sorry.at);
  fields("goals", sorry.goals);
}

void Declare(auto& fields, Is<lean::CheckResult> auto& result) {
  fields.ByName("verdict", result.verdict, kVerdictNames);
  fields("seconds", result.seconds);
  fields("diagnostics", result.diagnostics);
  fields.IfSet("goals", result.goals);
  fields.IfSet("stalled_part", result.stalled_part);
  fields.IfSet("stopped_at_error", result.stopped_at_error);
  fields.IfSet("sorries", result.sorries);
}

void Declare(auto& fields, Is<llm::ToolCall> auto& call) {
  fields("id", call.id);
  fields("name", call.name);
  fields("arguments", call.arguments);
}

void Declare(auto& fields, Is<llm::TokenLogprob> auto& token) {
  fields.Element(token.token);
  fields.Element(token.logprob);
}

void Declare(auto& fields, Is<llm::Completion> auto& completion) {
  fields("text", completion.text);
  fields("reasoning", completion.reasoning);
  fields("tool_calls", completion.tool_calls);
  fields.ByName("finish", completion.finish, kFinishNames);
  fields("logprobs", completion.logprobs);
}

void Declare(auto& fields, Is<llm::Usage> auto& usage) {
  fields("prompt_tokens", usage.prompt_tokens);
  fields("cached_prompt_tokens", usage.cached_prompt_tokens);
  fields("completion_tokens", usage.completion_tokens);
  fields("estimated", usage.estimated);
}

void Declare(auto& fields, Is<llm::Reply> auto& reply) {
  fields("completions", reply.completions);
  fields("usage", reply.usage);
  fields("model", reply.model);
  fields("seconds", reply.seconds);
  fields("attempts", reply.attempts);
}

void Declare(auto& fields, Is<llm::Message> auto& message) {
  fields("role", message.role);
  fields("content", message.content);
  fields("tool_calls", message.tool_calls);
  fields("tool_call_id", message.tool_call_id);
}

void Declare(auto& fields, Is<llm::Tool> auto& tool) {
  fields("name", tool.name);
  fields("description", tool.description);
  fields("parameters", tool.parameters);
}

namespace {

/// The answer that `read` makes of the JSON; kInput if it throws.
template <class Answer, class Read>
Result<Answer> ReadAnswer(const json& from, Read read) {
  try {
    Answer answer;
    read(from, answer);
    return answer;
  } catch (const json::exception& e) {
    return Fail(ErrorCode::kInput, std::string("a recorded answer cannot be read: ") + e.what());
  }
}

template <class Answer>
Result<Answer> AnswerOrError(const json& from) {
  if (auto error = ErrorIn(from)) return Fail(*std::move(error));
  return ReadAnswer<Answer>(from,
                            [](const json& value, Answer& answer) { ReadValue(value, answer); });
}

void ReadModelAnswer(const json& from, ModelAnswer& answer) {
  if (auto error = ErrorIn(from)) {
    answer.outcome = Fail(*std::move(error));
  } else {
    ReadValue(from.at("reply"), answer.outcome.value());
    answer.arrived = answer.outcome->completions;
  }
  if (from.contains("arrived")) ReadValue(from["arrived"], answer.arrived);
  if (from.contains("lost")) ReadValue(from["lost"], answer.lost);
}

}  // namespace

json WriteValue(const std::string& text) {
  if (!core::FindInvalidUtf8(text)) return text;
  json bytes = json::array();
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return {{"bytes", bytes}};
}

void ReadValue(const json& from, std::string& text) {
  if (from.is_string()) return from.get_to(text), void();
  text.clear();
  for (const auto& byte : from.at("bytes")) text += static_cast<char>(byte.get<unsigned char>());
}

json WriteValue(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

void ReadValue(const json& from, double& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (from.is_number()) {
    from.get_to(value);
  } else if (const auto name = from.get<std::string>(); name == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    value = name == "inf" ? kInfinity : -kInfinity;
  }
}

json ToJson(const llm::Request& request) {
  const llm::Sampling& sampling = request.sampling;
  json out;
  if (const auto* prompt = std::get_if<std::string>(&request.prompt)) {
    out["prompt"] = WriteValue(*prompt);
  } else {
    out["messages"] = WriteValue(std::get<std::vector<llm::Message>>(request.prompt));
  }
  out["n"] = sampling.n;
  out["temperature"] = WriteValue(sampling.temperature.value_or(llm::kDefaultTemperature));
  out["top_p"] = WriteValue(sampling.top_p.value_or(llm::kDefaultTopP));
  out["max_tokens"] = sampling.max_tokens.value_or(llm::kDefaultMaxTokens);
  out["stop"] = WriteValue(sampling.stop);
  out["seed"] = sampling.seed ? json(*sampling.seed) : json();
  out["logprobs"] = sampling.logprobs;
  out["tools"] = WriteValue(request.tools);
  out["stop_at_fence"] = request.stop_at_fence;
  out["fence_is_open"] = request.fence_is_open;
  return out;
}

json ToJson(const core::PythonResult& answer) { return WriteValue(answer); }
json ToJson(const lean::CheckResult& answer) { return WriteValue(answer); }
json ToJson(const Premises& answer) { return {{"premises", WriteValue(answer)}}; }

json ToJson(const ModelAnswer& answer) {
  const Result<llm::Reply>& outcome = answer.outcome;
  json written;
  if (outcome) {
    written["reply"] = WriteValue(*outcome);
  } else {
    written = ToJson(outcome.error());
  }
  if (!outcome || answer.arrived != outcome->completions) {
    written["arrived"] = WriteValue(answer.arrived);
  }
  if (answer.lost) written["lost"] = WriteValue(*answer.lost);
  return written;
}

json ToJson(const core::Error& error) {
  return {{"error",
           {{"code", core::Name(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
}

template <>
Result<core::PythonResult> AnswerOf(const json& from) {
  return AnswerOrError<core::PythonResult>(from);
}

template <>
Result<lean::CheckResult> AnswerOf(const json& from) {
  return AnswerOrError<lean::CheckResult>(from);
}

template <>
Result<Premises> AnswerOf(const json& from) {
  if (auto error = ErrorIn(from)) return Fail(*std::move(error));
  return ReadAnswer<Premises>(
      from, [](const json& value, Premises& answer) { ReadValue(value.at("premises"), answer); });
}

template <>
Result<ModelAnswer> AnswerOf(const json& from) {
  return ReadAnswer<ModelAnswer>(from, ReadModelAnswer);
}

std::optional<core::Error> ErrorIn(const json& answer) {
  if (!answer.is_object() || !answer.contains("error")) return std::nullopt;
  core::Error read;
  const json& error = answer["error"];
  if (!error.is_object()) return read;
  read.message = error.value("message", "");
  read.hint = error.value("hint", "");
  for (const ErrorCode code : kErrorCodes) {
    if (error.value("code", "") == core::Name(code)) read.code = code;
  }
  return read;
}

std::string TextOf(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace zermelo::record
