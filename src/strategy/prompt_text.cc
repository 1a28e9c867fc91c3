#include "strategy/prompt_text.h"

#include <fmt/format.h>

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
  const auto at_character = [&](size_t at) {
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
    return at;
  };
  const size_t head = at_character(max_bytes / 2);
  const size_t tail = at_character(text.size() - max_bytes / 2);
  return fmt::format("{}\n… ({} bytes left out) …\n{}", text.substr(0, head), tail - head,
                     text.substr(tail));
}

}  // namespace zermelo::strategy
