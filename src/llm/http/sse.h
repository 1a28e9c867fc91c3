// Server-sent events (WHATWG HTML, "Server-sent events", 9.2.6), the frames of streamed replies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace zermelo::llm {

/// Splits a stream of bytes into the data of whole events; events without data, comments and other
/// fields are skipped. Accepts any bytes, cut anywhere. An event of more than `max_event` bytes
/// breaks the stream for good.
class SseParser {
 public:
  explicit SseParser(size_t max_event = 8U << 20U) : max_event_(max_event) {}

  void Feed(std::string_view bytes);
  /// Ends the stream: a last event without its empty line is complete, too.
  void Finish() { Feed("\n\n"); }
  /// The next event's data; nothing when more bytes are needed; kCrashed when the stream is broken.
  core::Result<std::optional<std::string>> Next();

 private:
  std::optional<std::string_view> NextLine();
  void TakeField(std::string_view line);

  const size_t max_event_;
  std::string buffer_;
  size_t start_ = 0;    // of the line that is being read
  size_t scanned_ = 0;  // no line break in [start_, scanned_)
  bool at_beginning_ = true;
  std::optional<std::string> data_;  // of the event that is being read
};

}  // namespace zermelo::llm
