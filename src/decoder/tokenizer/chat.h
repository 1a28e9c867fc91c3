// Chats as text, for models that complete text: ChatML, as in Qwen's models.
//
//     <|im_start|>user
//     Prove it.<|im_end|>
//     <|im_start|>assistant
//
// The marks are single tokens if the tokenizer has them, otherwise plain text. What a message says
// never becomes such a token, whatever it spells out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "decoder/tokenizer/tokenizer.h"
#include "llm/model.h"

namespace zermelo::decoder {

/// Ends a message; an answer stops there.
inline constexpr std::string_view kMessageEnd = "<|im_end|>";

/// A part of a chat's text. Parts are encoded one by one, so that an answer has the same tokens
/// wherever it is sampled, read again or learnt.
struct ChatPart {
  std::string text;
  bool answer = false;  // written by the model: the content of a message, with kMessageEnd
  std::vector<ByteRange> contents;  // of messages, to be encoded as quoted
  bool operator==(const ChatPart&) const = default;
};

/// The parts of a chat; with `open`, the text ends where the model has to answer. kUsage: a message
/// has native tool calls or answers one, for which ChatML has no text.
core::Result<std::vector<ChatPart>> ChatParts(const std::vector<llm::Message>& messages, bool open);

}  // namespace zermelo::decoder
