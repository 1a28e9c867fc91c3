// Placeholders in the texts of prompts and formats: a word in braces, as {statement}.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::llm {

/// The names of the placeholders of `text`, in order, without braces.
std::vector<std::string> PlaceholdersOf(std::string_view text);

/// `text` with what `value` gives for each placeholder; one without a value (null) stays as it is.
/// Values are not looked through for placeholders: they are other people's text.
std::string FillPlaceholders(std::string_view text,
                             const std::function<const std::string*(const std::string&)>& value);

}  // namespace zermelo::llm
