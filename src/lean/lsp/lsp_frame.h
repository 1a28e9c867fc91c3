// LSP's base protocol: "Content-Length: N\r\n\r\n" and N bytes of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace zermelo::lean {

/// The frame with this body.
std::string EncodeFrame(std::string_view body);

/// Splits a stream of bytes into frames. Bytes between frames that are not a header are skipped up
/// to `kMaxGarbage` (some builds of Lean print there); after that, or when a header announces more
/// than `max_frame` bytes or has no length, the stream is broken for good.
class FrameParser {
 public:
  static constexpr size_t kMaxGarbage = 1U << 20U;
  explicit FrameParser(size_t max_frame = 64U << 20U) : max_frame_(max_frame) {}

  void Feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next complete frame; nullopt if more bytes are needed; kCrashed if the stream is broken.
  core::Result<std::optional<std::string>> Next();

 private:
  std::string buffer_;
  size_t start_ = 0;  // bytes of buffer_ already consumed
  size_t garbage_ = 0;
  size_t max_frame_;
};

}  // namespace zermelo::lean
