#include "lean/lsp/lsp_frame.h"

#include <algorithm>
#include <charconv>

namespace zermelo::lean {

namespace {

constexpr std::string_view kLength = "Content-Length: ";
constexpr size_t kMaxHeader = 4096;

core::Result<std::optional<std::string>> Broken(const std::string& why) {
  return core::Fail(core::ErrorCode::kCrashed, "not LSP: " + why);
}

}  // namespace

std::string EncodeFrame(std::string_view body) {
  std::string frame(kLength);
  frame += std::to_string(body.size());
  frame += "\r\n\r\n";
  frame += body;
  return frame;
}

core::Result<std::optional<std::string>> FrameParser::Next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  const size_t header = rest.find(kLength);
  if (header == std::string_view::npos) {
    // Keep what could be the beginning of a header.
    const size_t skip = rest.size() - std::min(rest.size(), kLength.size() - 1);
    garbage_ += skip;
    buffer_.erase(0, start_ + skip);
    start_ = 0;
    if (garbage_ > kMaxGarbage) return Broken("no header in a megabyte");
    return std::nullopt;
  }
  if (garbage_ + header > kMaxGarbage) return Broken("no header in a megabyte");
  const std::string_view digits = rest.substr(header + kLength.size());
  size_t length = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + std::min<size_t>(digits.size(), 20), length);
  const bool digits_end_here = end == digits.data() + digits.size();
  if (digits_end_here) return std::nullopt;
  if (error != std::errc() || *end != '\r') return Broken("a header without a length");
  if (length > max_frame_) {
    return Broken("a header announces " + std::to_string(length) + " bytes, over the limit of " +
                  std::to_string(max_frame_));
  }
  const size_t body = rest.find("\r\n\r\n", header);
  if (body == std::string_view::npos) {
    if (rest.size() - header > kMaxHeader) return Broken("a header without an end");
    return std::nullopt;
  }
  if (rest.size() < body + 4 + length) return std::nullopt;
  std::string frame(rest.substr(body + 4, length));
  garbage_ = 0;
  start_ += body + 4 + length;
  if (start_ > buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  return frame;
}

}  // namespace zermelo::lean
