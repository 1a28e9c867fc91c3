#include "core/json.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"

namespace zermelo::core {

using nlohmann::json;

namespace {

constexpr size_t kMaxReason = 200;
constexpr std::array kErrorCodes{
    ErrorCode::kUsage,       ErrorCode::kInput,   ErrorCode::kTooLong,
    ErrorCode::kRefused,     ErrorCode::kTimeout, ErrorCode::kCancelled,
    ErrorCode::kEnvironment, ErrorCode::kCrashed, ErrorCode::kInternal};

/// Calls `opens` with the bracket, its line and the depth within it, both counted from 1, of each
/// array and object, as long as it returns true. Up to the first byte that is not JSON, a quotation
/// mark begins or ends a string here exactly where it does for the parser.
void ForEachBracket(std::string_view text, auto opens) {
  size_t line = 1;
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (!opens(c, line, ++depth)) return;
    } else if (!quoted && (c == ']' || c == '}')) {
      if (depth <= 1) return;  // the value ends, or it is not JSON: no more is read
      --depth;
    }
  }
}

/// The line on which the text becomes too deep.
std::optional<size_t> LineTooDeep(std::string_view text) {
  std::optional<size_t> too_deep;
  ForEachBracket(text, [&](char, size_t line, size_t depth) {
    if (depth > kMaxJsonDepth) too_deep = line;
    return !too_deep;
  });
  return too_deep;
}

/// Without the name of the exception: "[json.exception.parse_error.101] parse error at …". The
/// parser quotes the text, of which a string may be long or end in the middle of a character.
std::string Reason(const json::exception& error) {
  const std::string what = ReplaceInvalidUtf8(error.what());
  const size_t begin = what.find("] ");
  return Truncated(begin == std::string::npos ? what : what.substr(begin + 2), kMaxReason);
}

}  // namespace

tl::expected<json, NotJson> ParseJson(std::string_view text) {
  if (const auto line = LineTooDeep(text)) {
    const auto what = fmt::format("is JSON that is nested more than {} deep", kMaxJsonDepth);
    return tl::unexpected(NotJson{what, *line});
  }
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const auto before = text.substr(0, error.byte == 0 ? 0 : error.byte - 1);
    return tl::unexpected(NotJson{"is not JSON: " + Reason(error),
                                  static_cast<size_t>(1 + std::ranges::count(before, '\n'))});
  } catch (const json::exception& error) {  // a number that is too large
    return tl::unexpected(NotJson{"is not JSON: " + Reason(error)});
  }
}

std::string Dump(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

void to_json(nlohmann::json& json, const Error& error) {
  json = {{"code", Name(error.code)}, {"message", error.message}, {"hint", error.hint}};
}

void from_json(const nlohmann::json& json, Error& error) {
  error = {};
  error.message = json.value("message", "");
  error.hint = json.value("hint", "");
  const std::string name = json.value("code", "");
  for (const ErrorCode code : kErrorCodes) {
    if (name == Name(code)) error.code = code;
  }
}

Error ErrorIn(const std::filesystem::path& file, const NotJson& reason) {
  return {ErrorCode::kInput,
          fmt::format("{}:{}: this {}", file.string(), reason.line, reason.what)};
}

std::vector<size_t> LinesOfObjects(std::string_view array) {
  std::vector<size_t> lines;
  ForEachBracket(array, [&](char bracket, size_t line, size_t depth) {
    if (bracket == '{' && depth == 2) lines.push_back(line);
    return true;
  });
  return lines;
}

json JsonOrDiscarded(std::string_view text) {
  if (LineTooDeep(text)) return json(json::value_t::discarded);
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

json Picked(const json& object, std::initializer_list<const char*> names) {
  json picked = json::object();
  for (const char* name : names) {
    if (const auto found = object.find(name); found != object.end()) picked[name] = *found;
  }
  return picked;
}

}  // namespace zermelo::core
