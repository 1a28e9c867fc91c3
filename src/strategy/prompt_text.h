// Parts of prompts that are assembled from the data of a statement.
#pragma once

#include <string>
#include <string_view>

#include "llm/prompt/prompt_template.h"

namespace zermelo::strategy {

/// A prompt's values from alternating names and values. (Avoids braced lists in coroutines, whose
/// elements g++ 12 does not always destroy exactly once.)
llm::PromptTemplates::Values PromptValues(const auto&... names_and_values) {
  static_assert(sizeof...(names_and_values) % 2 == 0);
  const std::string texts[] = {std::string(names_and_values)...};
  llm::PromptTemplates::Values values;
  for (size_t i = 0; i < std::size(texts); i += 2) values[texts[i]] = texts[i + 1];
  return values;
}

/// A fenced block of Lean code.
std::string LeanBlock(std::string_view code);

/// The header of a file as a fenced block; long headers are cut in the middle.
std::string HeaderBlock(std::string_view header);

/// A paragraph with a title before it; empty if the text is empty.
std::string FormatSection(std::string_view title, std::string_view text);

/// Cuts text in the middle to about `max_bytes` bytes, with a note on how much is missing.
std::string Shortened(std::string_view text, size_t max_bytes);

}  // namespace zermelo::strategy
