#include "decoder/chat.h"

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

constexpr std::string_view kMessageBegin = "<|im_start|>";
constexpr std::string_view kAssistant = "assistant";

std::string Opening(std::string_view role) {
  return std::string(kMessageBegin).append(role).append("\n");
}

}  // namespace

Result<std::vector<ChatPart>> ChatParts(const std::vector<llm::Message>& messages, bool open) {
  std::vector<ChatPart> parts;
  std::string text;
  const auto end_part = [&](bool answer) {
    parts.push_back({.text = std::move(text), .answer = answer});
    text.clear();
  };
  for (const llm::Message& message : messages) {
    if (!message.tool_calls.empty() || message.role == "tool") {
      return Fail(ErrorCode::kUsage, "a chat in ChatML has tool calls as plain text only",
                  "set the agent's protocol to text (or auto)");
    }
    text += Opening(message.role);
    const bool answer = message.role == kAssistant;
    if (answer) end_part(false);
    text += message.content;
    text += kMessageEnd;
    if (answer) end_part(true);
    text += "\n";
  }
  if (open) text += Opening(kAssistant);
  end_part(false);
  return parts;
}

}  // namespace zermelo::decoder
