#include "serve/http/schema_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/names.h"

namespace zermelo::serve {

using nlohmann::json;

namespace {

constexpr size_t kMaxName = 100;

bool HasType(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return value.is_number();
}

const char* Described(const std::string& type) {
  if (type == "object") return "an object";
  if (type == "array") return "an array";
  if (type == "string") return "a string";
  if (type == "boolean") return "true or false";
  if (type == "integer") return "an integer";
  return "a number";
}

std::string FormatPlace(const std::string& place) { return place.empty() ? "the value" : place; }

std::string NumberError(const json& value, const json& schema, const std::string& place) {
  const auto beyond = [&](const char* bound, bool least) {
    const auto found = schema.find(bound);
    if (found == schema.end()) return false;
    return least ? value < *found : value > *found;
  };
  if (beyond("minimum", true)) {
    return fmt::format("{} must be at least {}", FormatPlace(place), schema.at("minimum").dump());
  }
  if (beyond("maximum", false)) {
    return fmt::format("{} must be at most {}", FormatPlace(place), schema.at("maximum").dump());
  }
  return "";
}

std::string ArrayError(const json& value, const json& schema, const std::string& place) {
  if (value.size() < schema.value("minItems", size_t{0})) {
    return fmt::format("{} must not be empty", FormatPlace(place));
  }
  if (schema.contains("maxItems") && value.size() > schema.at("maxItems").get<size_t>()) {
    return fmt::format("{} must have at most {} entries", FormatPlace(place),
                       schema.at("maxItems").dump());
  }
  if (!schema.contains("items")) return "";
  for (size_t i = 0; i < value.size(); ++i) {
    auto why = SchemaError(value[i], schema.at("items"), fmt::format("{}[{}]", place, i));
    if (!why.empty()) return why;
  }
  return "";
}

std::string ObjectError(const json& value, const json& schema, const std::string& place) {
  const json& properties = schema.at("properties");
  const auto inner = [&](const std::string& name) {
    return place.empty() ? name : place + "." + name;
  };
  for (const json& name : schema.value("required", json::array())) {
    const auto found = value.find(name.get<std::string>());
    if (found == value.end() || found->is_null()) return inner(name) + " is missing";
  }
  for (const auto& [name, member] : value.items()) {
    if (!properties.contains(name)) {
      std::vector<std::string> known;
      for (const auto& [key, ignored] : properties.items()) known.push_back(key);
      const std::string hint = core::DidYouMean(name, known);
      return fmt::format(
          "unknown property {}; {}", inner(name.substr(0, kMaxName)),
          hint.empty() ? fmt::format("known properties: {}", fmt::join(known, ", ")) : hint);
    }
    if (member.is_null()) continue;
    auto why = SchemaError(member, properties.at(name), inner(name));
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace

std::string SchemaError(const json& value, const json& schema, const std::string& place) {
  const auto type = schema.at("type").get<std::string>();
  if (!HasType(value, type))
    return fmt::format("{} must be {}", FormatPlace(place), Described(type));
  if (schema.contains("enum")) {
    for (const json& allowed : schema.at("enum")) {
      if (value == allowed) return "";
    }
    return fmt::format("{} must be one of {}", FormatPlace(place), schema.at("enum").dump());
  }
  if (value.is_number()) return NumberError(value, schema, place);
  if (value.is_array()) return ArrayError(value, schema, place);
  if (value.is_object() && schema.contains("properties")) return ObjectError(value, schema, place);
  return "";
}

}  // namespace zermelo::serve
