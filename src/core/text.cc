#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace zermelo::core {
namespace {

constexpr size_t kMarkSpacing = 128;
constexpr CodePoint kInvalid = {0xFFFD, 1, false};

struct NewlineCounts {
  size_t lf = 0;
  size_t crlf = 0;
};

NewlineCounts CountNewlines(std::string_view text) {
  NewlineCounts counts;
  for (size_t i = text.find('\n'); i != text.npos; i = text.find('\n', i + 1)) {
    ++(i > 0 && text[i - 1] == '\r' ? counts.crlf : counts.lf);
  }
  return counts;
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text, size_t offset) {
  if (offset >= text.size()) return {};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - offset < length) return kInvalid;
  char32_t value = first & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kInvalid;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  const char32_t smallest = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) return kInvalid;
  return {value, length, true};
}

std::optional<size_t> FindInvalidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = DecodeUtf8(text, i);
    if (!c.valid) return i;
    i += c.length;
  }
  return std::nullopt;
}

std::string ReplaceInvalidUtf8(std::string text) {
  const auto first = FindInvalidUtf8(text);
  if (!first) return text;
  std::string valid = text.substr(0, *first);
  for (size_t at = *first; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    if (point.valid) {
      valid.append(text, at, point.length);
    } else {
      valid += "\uFFFD";
    }
    at += point.length;
  }
  return valid;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string InLowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string WithSingleBlanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || !result.ends_with(' ')) result += is_blank ? ' ' : c;
  }
  return result;
}

size_t CharacterBegin(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
    --at;
  return at;
}

std::string Truncated(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  return std::string(text.substr(0, CharacterBegin(text, max_bytes))) + " …";
}

std::string Counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string Indented(std::string_view lines, size_t columns, EmptyLines empty) {
  std::string indented;
  bool at_start = true;
  for (const char c : lines) {
    const bool stays = c == '\n' && empty == EmptyLines::kKept;
    if (at_start && !stays) indented.append(columns, ' ');
    at_start = c == '\n';
    indented += c;
  }
  return indented;
}

std::string Dedented(std::string_view lines, size_t columns) {
  std::string dedented;
  size_t skipped = 0;
  for (const char c : lines) {
    if (c == ' ' && skipped < columns) {
      ++skipped;
      continue;
    }
    skipped = c == '\n' ? 0 : columns;
    dedented += c;
  }
  return dedented;
}

std::string_view WithoutCommentMarks(std::string_view text) {
  text = Trim(text);
  for (const std::string_view mark : {"/--", "/-!", "/-"}) {
    if (!text.starts_with(mark)) continue;
    text.remove_prefix(mark.size());
    break;
  }
  if (text.ends_with("-/")) text.remove_suffix(2);
  return text;
}

std::string_view PreferredNewline(std::string_view text) {
  const NewlineCounts counts = CountNewlines(text);
  return counts.crlf > counts.lf ? "\r\n" : "\n";
}

LineIndex::LineIndex(std::string_view text) : text_(text), line_begins_{0}, marks_{Mark{}} {
  Mark mark;
  while (mark.offset < text.size()) {
    const CodePoint c = DecodeUtf8(text, mark.offset);
    mark.offset += c.length;
    mark.utf16 += c.value > 0xFFFF ? 2 : 1;
    mark.code_points += 1;
    if (c.value == '\n') line_begins_.push_back(mark.offset);
    if (mark.offset - marks_.back().offset >= kMarkSpacing) marks_.push_back(mark);
  }
}

size_t LineIndex::LineBegin(size_t line) const {
  return line < line_begins_.size() ? line_begins_[line] : text_.size();
}

size_t LineIndex::LineEnd(size_t line) const {
  if (line >= line_begins_.size() - 1) return text_.size();
  size_t end = line_begins_[line + 1] - 1;
  if (end > line_begins_[line] && text_[end - 1] == '\r') --end;
  return end;
}

size_t LineIndex::LineOf(size_t offset) const {
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  return static_cast<size_t>(next - line_begins_.begin()) - 1;
}

LineIndex::Mark LineIndex::CountTo(size_t offset) const {
  const auto next = std::upper_bound(marks_.begin(), marks_.end(), offset,
                                     [](size_t o, const Mark& m) { return o < m.offset; });
  Mark mark = *std::prev(next);
  while (mark.offset < offset) {
    const CodePoint c = DecodeUtf8(text_, mark.offset);
    if (c.length == 0 || mark.offset + c.length > offset) break;
    mark.offset += c.length;
    mark.utf16 += c.value > 0xFFFF ? 2 : 1;
    mark.code_points += 1;
  }
  return mark;
}

Utf16Position LineIndex::ToUtf16(size_t offset) const {
  const size_t line = LineOf(offset);
  const Mark begin = CountTo(LineBegin(line));
  return {line, CountTo(std::min(offset, LineEnd(line))).utf16 - begin.utf16};
}

CodePointPosition LineIndex::ToCodePoints(size_t offset) const {
  const size_t line = LineOf(offset);
  const Mark begin = CountTo(LineBegin(line));
  return {line, CountTo(std::min(offset, LineEnd(line))).code_points - begin.code_points};
}

size_t LineIndex::Find(size_t line, size_t column, size_t Mark::*unit) const {
  const size_t end = LineEnd(line);
  if (line >= line_begins_.size()) return end;
  const Mark begin = CountTo(LineBegin(line));
  // No line has more units than bytes, and clamping first keeps the sum below from wrapping around.
  const size_t target = begin.*unit + std::min(column, end - begin.offset);
  const auto next = std::upper_bound(marks_.begin(), marks_.end(), target,
                                     [unit](size_t t, const Mark& m) { return t < m.*unit; });
  Mark mark = *std::prev(next);
  if (mark.offset < begin.offset) mark = begin;
  while (mark.*unit < target && mark.offset < end) {
    const CodePoint c = DecodeUtf8(text_, mark.offset);
    Mark after = mark;
    after.offset += c.length;
    after.utf16 += c.value > 0xFFFF ? 2 : 1;
    after.code_points += 1;
    if (after.*unit > target) break;
    mark = after;
  }
  return std::min(mark.offset, end);
}

size_t LineIndex::FromUtf16(Utf16Position position) const {
  return Find(position.line, position.column, &Mark::utf16);
}

size_t LineIndex::FromCodePoints(CodePointPosition position) const {
  return Find(position.line, position.column, &Mark::code_points);
}

}  // namespace zermelo::core
