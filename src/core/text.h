// Positions in UTF-8 text, as bytes, UTF-16 units (LSP) and code points (Lean).
//
// Lines end at "\n" or "\r\n"; a lone "\r" is an ordinary character, as in Lean. Lines and columns
// are 0-based. A byte that is not part of valid UTF-8 counts as one character (U+FFFD, one UTF-16
// unit), so every function here accepts any bytes. Nothing blocks, throws or keeps state between
// calls.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::core {

/// One decoded character and its length in bytes (0 at the end of the text).
struct CodePoint {
  char32_t value = 0;
  size_t length = 0;
  bool valid = true;
};

/// Decodes the character that starts at byte `offset`. An invalid byte yields {U+FFFD, 1, false};
/// overlong forms, surrogates and values above U+10FFFF are invalid.
CodePoint DecodeUtf8(std::string_view text, size_t offset);

/// Byte offset of the first byte that is not valid UTF-8; nullopt if the text is valid.
std::optional<size_t> FindInvalidUtf8(std::string_view text);

/// Replaces each byte that is not part of valid UTF-8 with U+FFFD. Lines, UTF-16 columns and code
/// point columns stay the same.
std::string ReplaceInvalidUtf8(std::string text);

/// The text without blanks (space, tab, CR, LF) at both ends; a view into `text`.
std::string_view Trim(std::string_view text);

/// With the letters A to Z in lower case; other bytes stay as they are, in every locale.
std::string InLowerCase(std::string text);

/// Each run of spaces and line breaks as one space.
std::string WithSingleBlanks(std::string_view text);

/// The greatest offset up to `at` at which a character of valid UTF-8 begins, or the end of the
/// text.
size_t CharacterBegin(std::string_view text, size_t at);

/// The text, or at most its first `max_bytes` bytes, cut at a whole character and followed by " …".
std::string Truncated(std::string_view text, size_t max_bytes);

/// "1 error", "2 errors"; `noun` in the singular.
std::string Counted(size_t count, std::string_view noun);

enum class EmptyLines { kKept, kIndented };
/// Every line, or every line that is not empty, indented by `columns` spaces. Line breaks stay as
/// they are.
std::string Indented(std::string_view lines, size_t columns, EmptyLines empty = EmptyLines::kKept);

/// Every line with `columns` leading spaces removed, or as many as it has.
std::string Dedented(std::string_view lines, size_t columns);

/// A Lean comment without the blanks around it and without its marks: `/--`, `/-!` or `/-`, and
/// `-/`. A text without marks is only trimmed. A view into `text`.
std::string_view WithoutCommentMarks(std::string_view text);

/// The more frequent line break in `text`: "\r\n" or "\n" (also if there are none).
std::string_view PreferredNewline(std::string_view text);

/// A position as in LSP: the column is in UTF-16 units.
struct Utf16Position {
  size_t line = 0;
  size_t column = 0;
  bool operator==(const Utf16Position&) const = default;
};

/// A position as in Lean: the column is in code points.
struct CodePointPosition {
  size_t line = 0;
  size_t column = 0;
  bool operator==(const CodePointPosition&) const = default;
};

/// Converts positions of one text. Building is linear in the text, a lookup logarithmic, however
/// long the lines are. Keeps a view: the text must outlive the index. Const calls are safe from
/// several threads.
///
/// Out-of-range input is clamped: an offset past the end to the end, an offset inside a character
/// to its first byte, an offset inside "\r\n" to the "\r", a line past the last to the end of the
/// text, and a column past the end of its line, or inside a surrogate pair, to the nearest position
/// before it.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  /// At least 1: the text after the last line break is a line even when empty.
  size_t line_count() const { return line_begins_.size(); }

  /// Byte range of a line without its line break.
  size_t LineBegin(size_t line) const;
  size_t LineEnd(size_t line) const;

  size_t LineOf(size_t offset) const;

  Utf16Position ToUtf16(size_t offset) const;
  CodePointPosition ToCodePoints(size_t offset) const;

  /// The byte offset of a position.
  size_t FromUtf16(Utf16Position position) const;
  size_t FromCodePoints(CodePointPosition position) const;

 private:
  // Characters before a byte offset, counted from the beginning of the text.
  struct Mark {
    size_t offset = 0;
    size_t utf16 = 0;
    size_t code_points = 0;
  };

  Mark CountTo(size_t offset) const;
  size_t Find(size_t line, size_t column, size_t Mark::*unit) const;

  std::string_view text_;
  std::vector<size_t> line_begins_;
  std::vector<Mark> marks_;  // every kMarkSpacing bytes or a little more, at character starts
};

}  // namespace zermelo::core
