// What each kind of OpenAI-compatible server accepts, and requests in the form that it expects.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "llm/model.h"

namespace zermelo::llm {

enum class DialectKind { kGeneric, kVllm, kSglang, kLlamaCpp, kOpenAi, kGemini };

/// One row of the table of dialects. Servers refuse fields that they do not know (Gemini, OpenAI)
/// or ignore them (llama.cpp and `n`), so only fields that are known to work are sent.
struct Dialect {
  DialectKind kind;
  const char* name;             // as in the configuration
  bool completions;             // supports /completions: text without a chat template
  bool n;                       // several completions per request; otherwise one request for each
  bool caches_prompts;          // a repeated prompt costs little, so requests may be split freely
  bool stream_usage;            // stream_options.include_usage
  bool continuous_usage;        // stream_options.continuous_usage_stats
  bool seed, logprobs;          // whether these fields are sent
  uint64_t max_seed;            // seeds are taken modulo this plus 1
  const char* chat_max_tokens;  // the field's name in /chat/completions
  size_t max_stops;             // stop strings per request
};

const Dialect& Describe(DialectKind kind);
/// kUsage for an unknown name; the hint is the nearest one.
core::Result<DialectKind> ParseDialect(const std::string& name);

/// The part of a Request that one HTTP request covers.
struct Portion {
  int n = 1;
  std::optional<uint64_t> seed;  // of the first completion; the i-th has seed + i, as in vLLM
  bool stream = true;
};

/// "/completions" or "/chat/completions". kUsage: the server does not complete text.
core::Result<std::string> RequestPath(const Dialect& dialect, const Request& request);

/// The JSON body. `extra` is the text of a JSON object, or empty; it is merged into the body as RFC
/// 7386 says, so null removes a field. kUsage: `extra` or a tool's schema is not JSON, or there are
/// too many stop strings.
core::Result<std::string> RequestBody(const Dialect& dialect, const std::string& model,
                                      const Request& request, const Portion& portion,
                                      const std::string& extra);
/// A chat as in OpenAI's API.
nlohmann::json MessagesJson(const std::vector<Message>& messages);
std::string EmbeddingBody(const std::string& model, const std::vector<std::string>& texts);

}  // namespace zermelo::llm
