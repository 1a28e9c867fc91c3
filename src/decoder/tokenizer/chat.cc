#include "decoder/tokenizer/chat.h"

#include <utility>

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
  ChatPart part;
  const auto end_part = [&](bool answer) {
    part.answer = answer;
    parts.push_back(std::exchange(part, {}));
  };
  for (const llm::Message& message : messages) {
    if (!message.tool_calls.empty() || message.role == "tool") {
      return Fail(ErrorCode::kUsage, "a chat in ChatML has tool calls as plain text only",
                  "set the agent's protocol to text (or auto)");
    }
    part.text += Opening(message.role);
    const bool answer = message.role == kAssistant;
    if (answer) end_part(false);
    const size_t begin = part.text.size();
    part.text += message.content;
    part.contents.push_back({begin, part.text.size()});
    part.text += kMessageEnd;
    if (answer) end_part(true);
    part.text += "\n";
  }
  if (open) part.text += Opening(kAssistant);
  end_part(false);
  return parts;
}

}  // namespace zermelo::decoder
