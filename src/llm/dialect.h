// What each kind of OpenAI-compatible server accepts, and requests as it wants them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "llm/model.h"

namespace zermelo::llm {

enum class DialectKind { kGeneric, kVllm, kSglang, kLlamaCpp, kOpenAi, kGemini };

/// One row of a table. A server refuses requests with fields that it does not know (Gemini,
/// OpenAI), or ignores them (llama.cpp and `n`), so only what is known to work is sent.
struct Dialect {
  DialectKind kind;
  const char* name;             // in the configuration
  bool completions;             // has /completions, text without a chat template
  bool n;                       // several completions a request; else one request for each
  bool caches_prompts;          // the same prompt again costs little: requests may be split freely
  bool stream_usage;            // stream_options.include_usage
  bool continuous_usage;        // stream_options.continuous_usage_stats
  bool seed, logprobs;          // not sent where false
  uint64_t max_seed;            // seeds are taken modulo this plus 1
  const char* chat_max_tokens;  // the field's name in /chat/completions
  size_t max_stops;             // stop strings a request
};

const Dialect& Describe(DialectKind kind);
/// kUsage names the nearest one.
core::Result<DialectKind> ParseDialect(const std::string& name);

/// What one HTTP request asks of a Request that may take several.
struct Portion {
  int n = 1;
  std::optional<uint64_t> seed;  // of the first completion; vLLM and we give the i-th seed + i
  bool stream = true;
};

/// "/completions" or "/chat/completions". kUsage: the server has no such thing.
core::Result<std::string> RequestPath(const Dialect& dialect, const Request& request);

/// The JSON body. `extra` is a JSON object (text, may be empty) that is merged over it as RFC 7386
/// says, so null removes a field. kUsage: `extra` or a tool's schema is not JSON, or
/// there are too many stop strings.
core::Result<std::string> RequestBody(const Dialect& dialect, const std::string& model,
                                      const Request& request, const Portion& portion,
                                      const std::string& extra);
std::string EmbeddingBody(const std::string& model, const std::vector<std::string>& texts);

}  // namespace zermelo::llm
