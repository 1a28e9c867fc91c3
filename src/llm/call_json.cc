#include "llm/call_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/text.h"

namespace zermelo::llm {

using nlohmann::json;

namespace {

constexpr std::array kFinishNames{"stop", "length", "tool_calls", "fence", "broken", "filtered"};

json Text(const std::string& text) {
  if (!core::FindInvalidUtf8(text)) return text;
  json bytes = json::array();
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return {{"bytes", bytes}};
}

std::string TextOf(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  for (const auto& byte : value.at("bytes")) text += static_cast<char>(byte.get<unsigned char>());
  return text;
}

json Number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double NumberOf(const json& value) {
  if (value.is_number()) return value.get<double>();
  const auto name = value.get<std::string>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return name == "inf" ? kInfinity : -kInfinity;
}

json ToolCalls(const std::vector<ToolCall>& calls) {
  json list = json::array();
  for (const ToolCall& call : calls) {
    list.push_back(
        {{"id", Text(call.id)}, {"name", Text(call.name)}, {"arguments", Text(call.arguments)}});
  }
  return list;
}

std::vector<ToolCall> ToolCallsOf(const json& list) {
  std::vector<ToolCall> calls;
  for (const auto& call : list) {
    calls.push_back({TextOf(call.at("id")), TextOf(call.at("name")), TextOf(call.at("arguments"))});
  }
  return calls;
}

Completion ReadCompletion(const json& value) {
  Completion completion;
  completion.text = TextOf(value.at("text"));
  completion.reasoning = TextOf(value.at("reasoning"));
  completion.tool_calls = ToolCallsOf(value.at("tool_calls"));
  const auto finish =
      std::find(kFinishNames.begin(), kFinishNames.end(), value.at("finish").get<std::string>());
  if (finish == kFinishNames.end()) throw json::other_error::create(0, "finish", &value);
  completion.finish = static_cast<FinishReason>(finish - kFinishNames.begin());
  for (const auto& entry : value.at("logprobs")) {
    completion.logprobs.push_back({TextOf(entry.at(0)), NumberOf(entry.at(1))});
  }
  return completion;
}

Reply ReadReply(const json& value) {
  Reply reply;
  for (const auto& entry : value.at("completions")) {
    reply.completions.push_back(ReadCompletion(entry));
  }
  const json& usage = value.at("usage");
  usage.at("prompt_tokens").get_to(reply.usage.prompt_tokens);
  usage.at("cached_prompt_tokens").get_to(reply.usage.cached_prompt_tokens);
  usage.at("completion_tokens").get_to(reply.usage.completion_tokens);
  usage.at("estimated").get_to(reply.usage.estimated);
  reply.model = TextOf(value.at("model"));
  reply.seconds = NumberOf(value.at("seconds"));
  value.at("attempts").get_to(reply.attempts);
  return reply;
}

template <class Read>
auto Guarded(const json& value, Read read) -> core::Result<decltype(read(value))> {
  try {
    return read(value);
  } catch (const json::exception& e) {
    return core::Fail(core::ErrorCode::kInput,
                      std::string("a recorded reply cannot be read: ") + e.what());
  }
}

}  // namespace

json ToJson(const Request& request) {
  json out;
  if (const auto* prompt = std::get_if<std::string>(&request.prompt)) {
    out["prompt"] = Text(*prompt);
  } else {
    json messages = json::array();
    for (const Message& message : std::get<std::vector<Message>>(request.prompt)) {
      messages.push_back({{"role", Text(message.role)},
                          {"content", Text(message.content)},
                          {"tool_calls", ToolCalls(message.tool_calls)},
                          {"tool_call_id", Text(message.tool_call_id)}});
    }
    out["messages"] = std::move(messages);
  }
  const Sampling& sampling = request.sampling;
  json stop = json::array();
  for (const std::string& text : sampling.stop) stop.push_back(Text(text));
  out["n"] = sampling.n;
  out["temperature"] = Number(sampling.temperature.value_or(kDefaultTemperature));
  out["top_p"] = Number(sampling.top_p.value_or(kDefaultTopP));
  out["max_tokens"] = sampling.max_tokens.value_or(kDefaultMaxTokens);
  out["stop"] = std::move(stop);
  out["seed"] = sampling.seed ? json(*sampling.seed) : json();
  out["logprobs"] = sampling.logprobs;
  json tools = json::array();
  for (const Tool& tool : request.tools) {
    tools.push_back({{"name", Text(tool.name)},
                     {"description", Text(tool.description)},
                     {"parameters", Text(tool.parameters)}});
  }
  out["tools"] = std::move(tools);
  out["stop_at_fence"] = request.stop_at_fence;
  out["fence_is_open"] = request.fence_is_open;
  return out;
}

json ToJson(const Completion& completion) {
  json logprobs = json::array();
  for (const TokenLogprob& entry : completion.logprobs) {
    logprobs.push_back(json::array({Text(entry.token), Number(entry.logprob)}));
  }
  return {{"text", Text(completion.text)},
          {"reasoning", Text(completion.reasoning)},
          {"tool_calls", ToolCalls(completion.tool_calls)},
          {"finish", kFinishNames.at(static_cast<size_t>(completion.finish))},
          {"logprobs", std::move(logprobs)}};
}

json ToJson(const Reply& reply) {
  json completions = json::array();
  for (const Completion& completion : reply.completions) completions.push_back(ToJson(completion));
  return {{"completions", std::move(completions)},
          {"usage",
           {{"prompt_tokens", reply.usage.prompt_tokens},
            {"cached_prompt_tokens", reply.usage.cached_prompt_tokens},
            {"completion_tokens", reply.usage.completion_tokens},
            {"estimated", reply.usage.estimated}}},
          {"model", Text(reply.model)},
          {"seconds", Number(reply.seconds)},
          {"attempts", reply.attempts}};
}

core::Result<Reply> ReplyFromJson(const json& value) { return Guarded(value, ReadReply); }
core::Result<Completion> CompletionFromJson(const json& value) {
  return Guarded(value, ReadCompletion);
}

}  // namespace zermelo::llm
