#include "llm/reply_parser.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/text.h"

namespace zermelo::llm {

using nlohmann::json;

namespace {

constexpr size_t kMaxMessage = 500;  // bytes of a server's message that are shown
constexpr int kMaxToolCalls = 64;

// The functions below throw json::exception on wrong types; Guarded turns that into a ServerError.

const json kNull;

/// Null when there is none.
const json& Member(const json& value, const char* key) {
  const auto& object = value.get_ref<const json::object_t&>();
  const auto found = object.find(key);
  return found == object.end() ? kNull : found->second;
}

std::string Text(const json& value) { return value.is_null() ? "" : value.get<std::string>(); }

int64_t Count(const json& value) {
  if (value.is_null()) return 0;
  return static_cast<int64_t>(std::clamp(value.get<double>(), 0.0, 1e12));
}

/// The content of a chat message: text, or parts of which some are text.
std::string Content(const json& value) {
  if (!value.is_array()) return Text(value);
  std::string text;
  for (const json& part : value) {
    if (Member(part, "type") == "text") text += Text(Member(part, "text"));
  }
  return text;
}

std::optional<FinishReason> Finish(const json& value, bool calls_tools) {
  if (value.is_null()) return std::nullopt;
  const auto word = value.get<std::string>();
  if (word == "length" || word == "max_tokens") return FinishReason::kLength;
  if (word == "content_filter" || word == "safety") return FinishReason::kFiltered;
  if (word == "abort" || word == "error") return FinishReason::kBroken;
  // Gemini says "stop" after tool calls.
  if (word == "tool_calls" || word == "function_call" || calls_tools)
    return FinishReason::kToolCalls;
  return FinishReason::kStop;
}

std::vector<TokenLogprob> Logprobs(const json& value) {
  std::vector<TokenLogprob> list;
  if (!value.is_object()) return list;
  const json& chat = Member(value, "content");
  if (chat.is_array()) {
    for (const json& entry : chat) {
      list.push_back({Text(entry.at("token")), entry.at("logprob").get<double>()});
    }
    return list;
  }
  const json& tokens = Member(value, "tokens");
  const json& numbers = Member(value, "token_logprobs");
  for (size_t i = 0; i < std::min(tokens.size(), numbers.size()); ++i) {
    if (!numbers[i].is_null()) list.push_back({Text(tokens[i]), numbers[i].get<double>()});
  }
  return list;
}

std::vector<ToolCallPiece> ToolCalls(const json& value) {
  std::vector<ToolCallPiece> pieces;
  if (value.is_null()) return pieces;
  for (const json& call : value) {
    const json& index = Member(call, "index");
    const json& function = Member(call, "function");
    const json& arguments = Member(function, "arguments");
    ToolCallPiece piece;
    piece.index =
        index.is_null() ? static_cast<int>(pieces.size()) : static_cast<int>(Count(index));
    piece.call.id = Text(Member(call, "id"));
    piece.call.name = Text(Member(function, "name"));
    piece.call.arguments = arguments.is_object() ? arguments.dump() : Text(arguments);
    if (piece.index < kMaxToolCalls) pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// A choice has its text in "text" (completions), "message" (chat) or "delta" (streamed chat).
ChoicePiece Choice(const json& choice) {
  ChoicePiece piece;
  piece.index = static_cast<int>(std::min<int64_t>(Count(Member(choice, "index")), 1 << 20));
  const bool whole = choice.contains("message");
  const json& message = Member(choice, whole ? "message" : "delta");
  piece.text =
      message.is_null() ? Text(Member(choice, "text")) : Content(Member(message, "content"));
  if (!message.is_null()) {
    piece.reasoning = Text(Member(message, "reasoning"));
    if (piece.reasoning.empty()) piece.reasoning = Text(Member(message, "reasoning_content"));
    piece.tool_calls = ToolCalls(Member(message, "tool_calls"));
  }
  piece.logprobs = Logprobs(Member(choice, "logprobs"));
  piece.finish = Finish(Member(choice, "finish_reason"), !piece.tool_calls.empty());
  return piece;
}

std::optional<Usage> ReadUsage(const json& value) {
  if (value.is_null()) return std::nullopt;
  Usage usage;
  usage.prompt_tokens = Count(Member(value, "prompt_tokens"));
  usage.completion_tokens = Count(Member(value, "completion_tokens"));
  const json& details = Member(value, "prompt_tokens_details");
  if (!details.is_null()) usage.cached_prompt_tokens = Count(Member(details, "cached_tokens"));
  // Gemini counts reasoning only in the total.
  const int64_t rest = Count(Member(value, "total_tokens")) - usage.prompt_tokens;
  usage.completion_tokens = std::max(usage.completion_tokens, rest);
  return usage;
}

std::string Shorten(std::string_view text) {
  std::string line = core::Truncated(text, kMaxMessage);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

/// With the title of the page, if it has one, such as "502 Bad Gateway".
std::string DescribePage(std::string_view page) {
  const size_t begin = page.find("<title>");
  const size_t end = page.find("</title>");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + 7) {
    return "a web page instead of an answer";
  }
  return "a web page instead of an answer: " + Shorten(page.substr(begin + 7, end - begin - 7));
}

ServerError NoSense(std::string message) { return {.status = 200, .message = std::move(message)}; }

std::string FirstLetters(std::string_view body) {
  return body.empty() ? "an empty body" : "not JSON: " + Shorten(body.substr(0, 100));
}

/// Invalid UTF-8 (half a character in an event) is replaced before JSON is read.
json ParseLenient(std::string_view body) {
  if (!core::FindInvalidUtf8(body)) return core::JsonOrDiscarded(body);
  std::string repaired;
  for (size_t at = 0; at < body.size();) {
    const auto code_point = core::DecodeUtf8(body, at);
    code_point.valid ? repaired.append(body, at, code_point.length) : repaired.append("\uFFFD");
    at += code_point.length;
  }
  return core::JsonOrDiscarded(repaired);
}

std::string AsText(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

/// Reads the description of an error; `status` is used if it names none.
ServerError Describe(const json& error, int status) {
  ServerError described{.status = status};
  if (!error.is_object()) {
    described.message = Shorten(AsText(error));
    return described;
  }
  described.message = Shorten(AsText(Member(error, "message")));
  const json& code = Member(error, "code");
  described.kind = code.is_string() ? AsText(code) : AsText(Member(error, "type"));
  const bool names_status = code.is_number_integer() && code >= 400 && code < 600;
  if (status == 200) {
    const bool ours =
        described.kind == "invalid_request_error" || described.kind == "BadRequestError";
    described.status = names_status ? code.get<int>() : ours ? 400 : 500;
  }
  const json& details = Member(error, "details");
  for (const json& detail : details.is_array() ? details : json::array()) {
    if (!detail.is_object() || !detail.contains("retryDelay")) continue;
    described.retry_after = ParseDuration(AsText(detail["retryDelay"]));
  }
  if (described.message.empty()) described.message = Shorten(error.dump());
  return described;
}

/// The error in a body that has one: {"error": …} (OpenAI), an array of these (Gemini), {"detail":
/// …} (FastAPI), or the error itself (SGLang, old vLLM).
std::optional<ServerError> FindError(const json& body, int status) {
  if (body.is_array() && !body.empty()) return FindError(body[0], status);
  if (!body.is_object()) return std::nullopt;
  const json& error = Member(body, "error");
  if (!error.is_null()) return Describe(error, status);
  if (Member(body, "object") == "error") return Describe(body, status);
  if (body.contains("choices") || body.contains("data")) return std::nullopt;
  if (body.contains("detail")) return Describe(body["detail"], status);
  if (body.contains("message")) return Describe(body, status);
  return std::nullopt;
}

/// Runs `read` on the JSON of a reply with a 2xx status and turns everything that can be wrong with
/// it into a ServerError.
template <class Reply, class Read>
tl::expected<Reply, ServerError> Guarded(std::string_view body, Read read) {
  const size_t begin = std::min(body.find_first_not_of(" \t\r\n"), body.size());
  if (body.substr(begin).starts_with('<')) return tl::unexpected(NoSense(DescribePage(body)));
  const json parsed = ParseLenient(body);
  if (parsed.is_discarded()) return tl::unexpected(NoSense(FirstLetters(body)));
  if (const auto error = FindError(parsed, 200)) return tl::unexpected(*error);
  try {
    return read(parsed);
  } catch (const json::exception& wrong) {
    return tl::unexpected(
        NoSense(std::string("a field is missing or has the wrong type: ") + wrong.what()));
  }
}

}  // namespace

ParsedReply ParseReply(std::string_view body) {
  return Guarded<ReplyPiece>(body, [](const json& reply) -> ParsedReply {
    ReplyPiece piece;
    const json& choices = reply.at("choices");
    if (!choices.is_array()) return tl::unexpected(NoSense("`choices` is not a list"));
    for (const json& choice : choices) piece.choices.push_back(Choice(choice));
    piece.model = Text(Member(reply, "model"));
    piece.usage = ReadUsage(Member(reply, "usage"));
    return piece;
  });
}

ServerError ParseError(std::string_view body, int status) {
  const json parsed = ParseLenient(body);
  if (!parsed.is_discarded()) {
    if (auto error = FindError(parsed, status)) return *error;
  }
  const bool page = body.substr(0, 200).find('<') != std::string_view::npos;
  return {.status = status, .message = page ? DescribePage(body) : Shorten(body)};
}

tl::expected<EmbeddingReply, ServerError> ParseEmbeddings(std::string_view body, size_t texts) {
  using Parsed = tl::expected<EmbeddingReply, ServerError>;
  return Guarded<EmbeddingReply>(body, [texts](const json& reply) -> Parsed {
    EmbeddingReply embeddings;
    embeddings.vectors.resize(texts);
    const json& data = reply.at("data");
    for (size_t i = 0; i < data.size(); ++i) {
      const json& index = Member(data.at(i), "index");
      const auto place = index.is_null() ? i : static_cast<size_t>(Count(index));
      if (place >= texts) return tl::unexpected(NoSense("more vectors than texts"));
      data.at(i).at("embedding").get_to(embeddings.vectors[place]);
    }
    for (const auto& vector : embeddings.vectors) {
      if (vector.empty() || vector.size() != embeddings.vectors[0].size()) {
        return tl::unexpected(NoSense("vectors are missing or differ in length"));
      }
      if (!std::all_of(vector.begin(), vector.end(), [](float x) { return std::isfinite(x); })) {
        return tl::unexpected(NoSense("a vector has numbers that are not finite"));
      }
    }
    embeddings.usage = ReadUsage(Member(reply, "usage"));
    return embeddings;
  });
}

tl::expected<std::vector<ListedModel>, ServerError> ParseModels(std::string_view body) {
  using Parsed = tl::expected<std::vector<ListedModel>, ServerError>;
  return Guarded<std::vector<ListedModel>>(body, [](const json& reply) -> Parsed {
    std::vector<ListedModel> models;
    for (const json& entry : reply.at("data")) {
      ListedModel model{.id = Text(entry.at("id"))};
      const json& meta = Member(entry, "meta");               // llama.cpp's
      model.context = Count(Member(entry, "max_model_len"));  // vLLM's and SGLang's
      if (model.context == 0) model.context = Count(Member(entry, "context_length"));
      if (model.context == 0 && meta.is_object()) model.context = Count(Member(meta, "n_ctx"));
      models.push_back(std::move(model));
    }
    return models;
  });
}

std::optional<core::Duration> ParseDuration(std::string_view text) {
  const auto unit_seconds = [](std::string_view unit) -> std::optional<double> {
    if (unit == "h") return 3600;
    if (unit == "m") return 60;
    if (unit == "s" || unit.empty()) return 1;
    if (unit == "ms") return 1e-3;
    if (unit == "us" || unit == "µs" || unit == "ns") return 0;  // nothing to wait for
    return std::nullopt;
  };
  constexpr std::string_view kDigits = "0123456789.";
  if (text.empty()) return std::nullopt;
  double seconds = 0;
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
    const size_t end = std::min(text.find_first_of(kDigits, digits), text.size());
    const std::string number(text.substr(0, digits));
    const auto unit = unit_seconds(text.substr(digits, end - digits));
    if (number.empty() || number.find_first_not_of('.') == std::string::npos || !unit) {
      return std::nullopt;
    }
    seconds += std::strtod(number.c_str(), nullptr) * *unit;
    text.remove_prefix(end);
  }
  return core::FromSeconds(std::min(seconds, 86400.0));
}

}  // namespace zermelo::llm
