// The interface of language models: a request goes in, completions come out.
//
// The HTTP client implements Model; budgets and recording (record/recorded_calls.h) are decorators
// of another Model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"

namespace zermelo::llm {

/// A tool call that the model requests.
struct ToolCall {
  std::string id;  // echoed in the answer's Message::tool_call_id
  std::string name;
  std::string arguments;  // JSON text as written by the model, possibly invalid
  bool operator==(const ToolCall&) const = default;
};

/// A tool that the model may call.
struct Tool {
  std::string name;
  std::string description;
  std::string parameters;  // a JSON schema, as text
  bool operator==(const Tool&) const = default;
};

/// One turn of a chat.
struct Message {
  std::string role;  // "system", "user", "assistant", "tool"
  std::string content;
  std::vector<ToolCall> tool_calls;  // assistant only
  std::string tool_call_id;          // tool only
  bool operator==(const Message&) const = default;
};

/// The values used where neither the request nor the model's configuration sets one.
inline constexpr double kDefaultTemperature = 1;
inline constexpr double kDefaultTopP = 0.95;
inline constexpr int kDefaultMaxTokens = 2048;

/// Unset values are taken from the model's configuration, else from the defaults above.
struct Sampling {
  int n = 1;  // number of completions
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<int> max_tokens;
  std::vector<std::string> stop;
  std::optional<uint64_t> seed;
  bool logprobs = false;  // of the chosen tokens
  bool operator==(const Sampling&) const = default;
};

struct Request {
  std::variant<std::string, std::vector<Message>> prompt;  // text to complete, or a chat
  Sampling sampling;
  std::vector<Tool> tools;  // chat only
  /// Cut a completion, and cancel the rest of it, once its first code fence closes. With
  /// `fence_is_open`, the prompt has already opened that fence.
  bool stop_at_fence = false;
  bool fence_is_open = false;
  bool operator==(const Request&) const = default;
};

enum class FinishReason {
  kStop,       // end of text, or a stop string
  kLength,     // max_tokens
  kToolCalls,  // the model requests tool calls
  kFence,      // cut by stop_at_fence
  kBroken,     // the stream broke; the completion is what had arrived
  kFiltered,   // withheld by the server
};

struct TokenLogprob {
  std::string token;
  double logprob = 0;
  bool operator==(const TokenLogprob&) const = default;
};

struct Completion {
  std::string text;
  std::string reasoning;  // from fields `reasoning` or `reasoning_content`
  std::vector<ToolCall> tool_calls;
  FinishReason finish = FinishReason::kStop;
  std::vector<TokenLogprob> logprobs;  // empty: not requested, or not supported by the server
  bool operator==(const Completion&) const = default;
};

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t cached_prompt_tokens = 0;  // part of prompt_tokens
  int64_t completion_tokens = 0;     // reasoning included
  bool estimated = false;            // a rough count, because the server did not report the usage
  bool operator==(const Usage&) const = default;
};

struct Reply {
  std::vector<Completion> completions;  // sampling.n of them unless something broke
  Usage usage;                          // everything that was paid for, failed attempts included
  std::string model;                    // the name given by the server
  double seconds = 0;
  int attempts = 1;  // HTTP requests sent
};

/// The deadline, cancellation and callbacks of a call.
struct CallContext {
  core::Deadline deadline;
  core::Cancellation* cancellation = nullptr;  // may be null; must outlive the call
  /// Called for each completion when it is whole (broken ones are in the reply only), in order of
  /// arrival, before Generate returns.
  std::function<void(const Completion&)> on_completion;
  /// Called when the call ends in an error after tokens were paid for.
  std::function<void(const Usage&)> on_lost_usage;
};

/// All calls on the executor's thread; many calls may run at once. A model must outlive its calls.
class Model {
 public:
  virtual ~Model() = default;
  /// Errors: kTimeout; kCancelled; kTooLong (the prompt does not fit into the context); kRefused
  /// (the server refuses this prompt: a filter, or a setting that it does not know); kUsage (it
  /// refuses every request: wrong key, unknown model); kEnvironment (unreachable after all
  /// retries).
  virtual core::Task<core::Result<Reply>> Generate(Request request, CallContext context) = 0;
  /// The name in the configuration, under which budgets, prices and records are kept.
  virtual const std::string& name() const = 0;
};

struct Embeddings {
  std::vector<std::vector<float>> vectors;  // one per text, as sent by the server
  Usage usage;
};

class Embedder {
 public:
  virtual ~Embedder() = default;
  /// Same errors as Model::Generate.
  virtual core::Task<core::Result<Embeddings>> Embed(std::vector<std::string> texts,
                                                     CallContext context) = 0;
};

}  // namespace zermelo::llm
