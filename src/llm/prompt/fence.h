// Markdown code fences in text that is still being written (CommonMark 0.31, 4.5).
#pragma once

#include <optional>
#include <string_view>

namespace zermelo::llm {

/// Finds where the first code fence of a growing text closes. A fence is a line that begins, after
/// any indentation, with at least three backticks; it is closed by a line of at least as many
/// backticks and nothing else. Stricter than FindCode (llm/reply.h), since nothing is written after
/// the end that this finds.
class FenceWatcher {
 public:
  /// `open`: the text begins inside a fence of three backticks.
  explicit FenceWatcher(bool open) : backticks_(open ? 3 : 0) {}

  /// `text`: the whole text so far; it extends the text of the previous call. Returns the length to
  /// cut it to, just after the closing backticks, once their line has ended.
  std::optional<size_t> CloseIn(std::string_view text);

 private:
  size_t backticks_;  // of the open fence; 0: no fence is open
  size_t line_ = 0;   // beginning of the first incomplete line
};

}  // namespace zermelo::llm
