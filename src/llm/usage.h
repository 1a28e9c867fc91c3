// Tokens: sums, and estimates for servers that do not report them.
#pragma once

#include <algorithm>
#include <string_view>

#include "llm/model.h"

namespace zermelo::llm {

inline Usage& operator+=(Usage& sum, const Usage& more) {
  sum.prompt_tokens += more.prompt_tokens;
  sum.cached_prompt_tokens += more.cached_prompt_tokens;
  sum.completion_tokens += more.completion_tokens;
  sum.estimated = sum.estimated || more.estimated;
  return sum;
}

/// A rough estimate: Lean and mathematics have about three characters per token.
inline int64_t EstimateTokens(std::string_view text) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // not inside a UTF-8 character
  });
  return (characters + 2) / 3;
}

inline int64_t EstimatePromptTokens(const Request& request) {
  if (const auto* text = std::get_if<std::string>(&request.prompt)) return EstimateTokens(*text);
  int64_t sum = 0;
  for (const Tool& tool : request.tools) {
    sum += EstimateTokens(tool.description) + EstimateTokens(tool.parameters);
  }
  for (const Message& message : std::get<std::vector<Message>>(request.prompt)) {
    sum += EstimateTokens(message.content) + 4;  // the template's tokens around a turn
    for (const ToolCall& call : message.tool_calls) sum += EstimateTokens(call.arguments);
  }
  return sum;
}

}  // namespace zermelo::llm
