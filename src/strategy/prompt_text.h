// Pieces of prompts that are put together from what is known of a statement.
#pragma once

#include <string>
#include <string_view>

namespace zermelo::strategy {

/// A fenced block of Lean.
std::string LeanBlock(std::string_view code);

/// What stands before a theorem in its file, as a block; a long one lacks its middle.
std::string HeaderBlock(std::string_view header);

/// A paragraph with a title before it; empty when the text is.
std::string Titled(std::string_view title, std::string_view text);

/// Cuts text in its middle to about so many bytes, and says so.
std::string Shortened(std::string_view text, size_t max_bytes);

}  // namespace zermelo::strategy
