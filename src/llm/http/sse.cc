#include "llm/http/sse.h"

namespace zermelo::llm {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void SseParser::Feed(std::string_view bytes) {
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  buffer_.append(bytes);
}

/// A line ends at "\r\n", "\n" or "\r"; a "\r" that is the last byte so far may be half of a pair.
std::optional<std::string_view> SseParser::NextLine() {
  const size_t end = buffer_.find_first_of("\r\n", scanned_);
  const bool maybe_half =
      end != std::string::npos && buffer_[end] == '\r' && end + 1 == buffer_.size();
  if (end == std::string::npos || maybe_half) {
    scanned_ = maybe_half ? end : buffer_.size();
    return std::nullopt;
  }
  const std::string_view line = std::string_view(buffer_).substr(start_, end - start_);
  start_ = end + (buffer_.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  scanned_ = start_;
  return line;
}

void SseParser::TakeField(std::string_view line) {
  const size_t colon = line.find(':');
  if (line.substr(0, colon) != "data") return;
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (data_) *data_ += '\n';
  data_ = data_.value_or("").append(value);
}

core::Result<std::optional<std::string>> SseParser::Next() {
  while (auto line = NextLine()) {
    if (std::exchange(at_beginning_, false) && line->starts_with(kByteOrderMark)) {
      line->remove_prefix(kByteOrderMark.size());
    }
    if (line->empty() && data_) return std::exchange(data_, std::nullopt);
    if (!line->empty()) TakeField(*line);
    if (data_ && data_->size() > max_event_) break;
  }
  if (buffer_.size() - start_ + data_.value_or("").size() > max_event_) {
    return core::Fail(core::ErrorCode::kCrashed, "an event of the stream is longer than " +
                                                     std::to_string(max_event_) + " bytes");
  }
  return std::nullopt;
}

}  // namespace zermelo::llm
