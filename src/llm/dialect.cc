#include "llm/dialect.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/names.h"

namespace zermelo::llm {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr uint64_t k31Bits = std::numeric_limits<int32_t>::max();
constexpr uint64_t k63Bits = std::numeric_limits<int64_t>::max();
constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

// clang-format off
constexpr std::array<Dialect, 6> kDialects = {{
    //                                   compl. n      caches stream contin. seed   logprobs
    {DialectKind::kGeneric,  "generic",  true,  false, false, false, false,  true,  true,  k31Bits, "max_tokens", kAnyNumber},
    {DialectKind::kVllm,     "vllm",     true,  true,  true,  true,  true,   true,  true,  k63Bits, "max_tokens", kAnyNumber},
    {DialectKind::kSglang,   "sglang",   true,  true,  true,  true,  false,  true,  true,  k63Bits, "max_tokens", kAnyNumber},
    {DialectKind::kLlamaCpp, "llamacpp", true,  false, true,  true,  false,  true,  true,  k31Bits, "max_tokens", kAnyNumber},
    {DialectKind::kOpenAi,   "openai",   true,  true,  false, true,  false,  true,  true,  k63Bits, "max_completion_tokens", 4},
    {DialectKind::kGemini,   "gemini",   false, false, false, false, false,  false, false, k31Bits, "max_tokens", 5},
}};
// clang-format on

/// Beside calls of tools, servers want null for an empty text.
json SentMessages(const std::vector<Message>& messages) {
  json sent = MessagesJson(messages);
  for (json& message : sent) {
    if (message.contains("tool_calls") && message["content"].get_ref<const std::string&>().empty())
      message["content"] = nullptr;
  }
  return sent;
}

Result<json> ToolsJson(const std::vector<Tool>& tools) {
  json list = json::array();
  for (const Tool& tool : tools) {
    json parameters = core::JsonOrDiscarded(tool.parameters);
    if (parameters.is_discarded()) {
      return Fail(ErrorCode::kUsage, "the parameters of tool " + tool.name + " are not JSON");
    }
    list.push_back({{"type", "function"},
                    {"function",
                     {{"name", tool.name},
                      {"description", tool.description},
                      {"parameters", std::move(parameters)}}}});
  }
  return list;
}

json SamplingJson(const Dialect& dialect, const Sampling& sampling, bool chat) {
  json fields = {{"temperature", sampling.temperature.value_or(kDefaultTemperature)},
                 {"top_p", sampling.top_p.value_or(kDefaultTopP)}};
  fields[chat ? dialect.chat_max_tokens : "max_tokens"] =
      sampling.max_tokens.value_or(kDefaultMaxTokens);
  if (!sampling.stop.empty()) fields["stop"] = sampling.stop;
  if (sampling.logprobs && dialect.logprobs) {
    fields["logprobs"] = chat ? json(true) : json(1);
  }
  return fields;
}

}  // namespace

const Dialect& Describe(DialectKind kind) {
  return *std::find_if(kDialects.begin(), kDialects.end(),
                       [kind](const Dialect& dialect) { return dialect.kind == kind; });
}

Result<DialectKind> ParseDialect(const std::string& name) {
  std::vector<std::string> names;
  for (const Dialect& dialect : kDialects) {
    if (name == dialect.name) return dialect.kind;
    names.emplace_back(dialect.name);
  }
  return Fail(ErrorCode::kUsage, "unknown dialect '" + name + "'", core::DidYouMean(name, names));
}

json MessagesJson(const std::vector<Message>& messages) {
  json list = json::array();
  for (const Message& message : messages) {
    json entry{{"role", message.role}, {"content", message.content}};
    if (!message.tool_call_id.empty()) entry["tool_call_id"] = message.tool_call_id;
    for (const ToolCall& call : message.tool_calls) {
      const json function{{"name", call.name}, {"arguments", call.arguments}};
      entry["tool_calls"].push_back(
          {{"id", call.id}, {"type", "function"}, {"function", function}});
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Result<std::string> RequestPath(const Dialect& dialect, const Request& request) {
  if (!std::holds_alternative<std::string>(request.prompt)) return "/chat/completions";
  if (dialect.completions) return "/completions";
  return Fail(ErrorCode::kUsage,
              std::string(dialect.name) + " servers support only chats, not the completion of text",
              "choose a prompt format for chats");
}

Result<std::string> RequestBody(const Dialect& dialect, const std::string& model,
                                const Request& request, const Portion& portion,
                                const std::string& extra) {
  if (request.sampling.stop.size() > dialect.max_stops) {
    return Fail(ErrorCode::kUsage, std::string(dialect.name) + " servers accept at most " +
                                       std::to_string(dialect.max_stops) + " stop strings");
  }
  const auto* text = std::get_if<std::string>(&request.prompt);
  json body = SamplingJson(dialect, request.sampling, text == nullptr);
  body["model"] = model;
  if (text != nullptr) {
    body["prompt"] = *text;
  } else {
    body["messages"] = SentMessages(std::get<std::vector<Message>>(request.prompt));
  }
  if (dialect.n) body["n"] = portion.n;
  if (portion.seed && dialect.seed) body["seed"] = *portion.seed & dialect.max_seed;
  if (!request.tools.empty()) {
    auto tools = ToolsJson(request.tools);
    if (!tools) return Fail(tools.error());
    body["tools"] = std::move(*tools);
  }
  if (portion.stream) {
    body["stream"] = true;
    if (dialect.stream_usage) body["stream_options"]["include_usage"] = true;
    if (dialect.continuous_usage) body["stream_options"]["continuous_usage_stats"] = true;
  }
  if (!extra.empty()) {
    const json patch = core::JsonOrDiscarded(extra);
    if (!patch.is_object()) return Fail(ErrorCode::kUsage, "extra_body is not a JSON object");
    body.merge_patch(patch);
  }
  return core::Dump(body);
}

std::string EmbeddingBody(const std::string& model, const std::vector<std::string>& texts) {
  json body;
  body["model"] = model;
  body["input"] = texts;
  return core::Dump(body);
}

}  // namespace zermelo::llm
