// Placeholders in prompts and formats: a word in braces, such as {statement}.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::llm {

/// The names of the placeholders of `text`, in order, without braces.
std::vector<std::string> PlaceholdersOf(std::string_view text);

/// Replaces each placeholder of `text` by its value; one without a value (null) stays. Values are
/// not searched for placeholders, because they are foreign text.
std::string FillPlaceholders(std::string_view text,
                             const std::function<const std::string*(const std::string&)>& value);

}  // namespace zermelo::llm
