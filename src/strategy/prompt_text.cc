#include "strategy/prompt_text.h"

#include <fmt/format.h>

#include "core/text.h"

namespace zermelo::strategy {

namespace {
constexpr size_t kHeaderBytes = 12'000;
}

std::string LeanBlock(std::string_view code) { return fmt::format("```lean4\n{}\n```", code); }

std::string HeaderBlock(std::string_view header) {
  const bool blank = header.find_first_not_of(" \t\r\n") == std::string_view::npos;
  return blank ? "(nothing)" : LeanBlock(Shortened(header, kHeaderBytes));
}

std::string FormatSection(std::string_view title, std::string_view text) {
  return text.empty() ? "" : fmt::format("\n{}\n\n{}\n", title, text);
}

std::string Shortened(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  const size_t head = core::CharacterBegin(text, max_bytes / 2);
  const size_t tail = core::CharacterBegin(text, text.size() - max_bytes / 2);
  return fmt::format("{}\n… ({} bytes left out) …\n{}", text.substr(0, head), tail - head,
                     text.substr(tail));
}

}  // namespace zermelo::strategy
