// Parses what OpenAI-compatible servers send into one form: whole replies, events of streams,
// errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/deadline.h"
#include "llm/model.h"

namespace zermelo::llm {

struct ToolCallPiece {
  int index = 0;
  ToolCall call;  // only what is new: append the arguments
};

/// What a reply or an event of a stream adds to one completion.
struct ChoicePiece {
  int index = 0;
  std::string text;
  std::string reasoning;
  std::vector<ToolCallPiece> tool_calls;
  std::vector<TokenLogprob> logprobs;
  std::optional<FinishReason> finish;  // empty: more may come
};

struct ReplyPiece {
  std::string model;
  std::vector<ChoicePiece> choices;
  /// In a stream, with choices: the usage of these choices so far. Otherwise: of the whole request.
  std::optional<Usage> usage;
};

/// Why a reply has no answer.
struct ServerError {
  int status = 0;    // of HTTP, or as named in the body; 200: the body is unusable
  std::string kind;  // the server's word for it ("insufficient_quota"), if any
  std::string message;
  std::optional<core::Duration> retry_after;  // as requested in the body (Gemini)
};

using ParsedReply = tl::expected<ReplyPiece, ServerError>;

/// Parses the body of a reply with a 2xx status, or one event of its stream. Accepts any bytes:
/// what is not an answer (HTML, broken JSON, wrong types, an error body, no choices) is a
/// ServerError.
ParsedReply ParseReply(std::string_view body);

/// Parses the body of a reply with another status, in any form: OpenAI's, SGLang's, FastAPI's,
/// Gemini's array, a web page, plain text.
ServerError ParseError(std::string_view body, int status);

/// One vector per text, in the order of the texts, all of the same length.
struct EmbeddingReply {
  std::vector<std::vector<float>> vectors;
  std::optional<Usage> usage;
};
tl::expected<EmbeddingReply, ServerError> ParseEmbeddings(std::string_view body, size_t texts);

struct ListedModel {
  std::string id;
  int64_t context = 0;  // tokens of prompt and answer together; 0: not reported
};
/// The entries of /models.
tl::expected<std::vector<ListedModel>, ServerError> ParseModels(std::string_view body);

/// "6m0s", "20ms", "1.5s" (Go's notation) or a number of seconds; at most a day.
std::optional<core::Duration> ParseDuration(std::string_view text);

}  // namespace zermelo::llm
