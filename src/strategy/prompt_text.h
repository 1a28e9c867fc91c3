// Parts of prompts that are assembled from the data of a statement.
#pragma once

#include <string>
#include <string_view>

namespace zermelo::strategy {

/// A fenced block of Lean code.
std::string LeanBlock(std::string_view code);

/// The header of a file as a fenced block; long headers are cut in the middle.
std::string HeaderBlock(std::string_view header);

/// A paragraph with a title before it; empty if the text is empty.
std::string Titled(std::string_view title, std::string_view text);

/// Cuts text in the middle to about `max_bytes` bytes, with a note on how much is missing.
std::string Shortened(std::string_view text, size_t max_bytes);

}  // namespace zermelo::strategy
