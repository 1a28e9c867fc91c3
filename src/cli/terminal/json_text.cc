#include "cli/terminal/json_text.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/text.h"

namespace zermelo::cli {

using nlohmann::json;

namespace {

constexpr size_t kIndent = 2;

std::string Lines(const json& value);

/// `name: value`, with a value of several lines below.
std::string Member(const std::string& name, const json& value) {
  const std::string lines = Lines(value);
  const bool below =
      lines.find('\n') != std::string::npos || (value.is_structured() && !value.empty());
  return below ? name + ":\n" + core::Indented(lines, kIndent) : name + ": " + lines;
}

/// An item of a list: its first line follows the dash.
std::string Item(const json& value) {
  const std::string indented = core::Indented(Lines(value), kIndent);
  const bool starts_blank = indented.empty() || indented.front() == '\n';
  return "- " + (starts_blank ? indented : indented.substr(kIndent));
}

std::string Joined(const std::string& so_far, const std::string& more) {
  return so_far.empty() ? more : so_far + "\n" + more;
}

std::string Lines(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  if (value.empty()) return "none";
  std::string lines;
  if (value.is_array()) {
    for (const json& item : value) lines = Joined(lines, Item(item));
    return lines;
  }
  constexpr std::string_view kFirst = "status";
  if (const auto status = value.find(kFirst); status != value.end()) {
    lines = Member(std::string(kFirst), *status);
  }
  for (const auto& [name, member] : value.items()) {
    if (name != kFirst) lines = Joined(lines, Member(name, member));
  }
  return lines;
}

}  // namespace

std::string ReadableJson(const json& value) { return Lines(value); }

}  // namespace zermelo::cli
