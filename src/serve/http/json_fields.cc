#include "serve/http/json_fields.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/json.h"

namespace zermelo::serve {

using nlohmann::json;

namespace {

constexpr int kWrongType = 422;

[[noreturn]] void Refuse(const std::string& place, const char* name, const std::string& what) {
  const char* dot = place.empty() ? "" : ".";
  throw BadRequest(kWrongType, fmt::format("{}{}{}: {}", place, dot, name, what));
}

const json* Find(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

json ParseObject(const std::string& body) {
  auto object = core::ParseJson(body);
  if (!object) throw BadRequest(kMalformed, "the body " + object.error().what);
  if (!object->is_object()) throw BadRequest(kWrongType, "the body must be a JSON object");
  return *std::move(object);
}

std::string StringField(const json& object, const char* name, const std::string& place) {
  const json* field = Find(object, name);
  if (field == nullptr) Refuse(place, name, "is missing");
  if (!field->is_string()) Refuse(place, name, "must be a string");
  return field->get<std::string>();
}

std::string StringField(const json& object, const char* name, const std::string& place,
                        const std::string& otherwise) {
  return Find(object, name) == nullptr ? otherwise : StringField(object, name, place);
}

bool BoolField(const json& object, const char* name, bool otherwise) {
  const json* field = Find(object, name);
  if (field == nullptr) return otherwise;
  if (!field->is_boolean()) Refuse("", name, "must be true or false");
  return field->get<bool>();
}

core::Duration SecondsField(const json& object, const char* name, double otherwise) {
  const json* field = Find(object, name);
  double seconds = otherwise;
  if (field != nullptr) {
    if (!field->is_number()) Refuse("", name, "must be a number of seconds");
    seconds = field->get<double>();
    if (!std::isfinite(seconds) || seconds < 0) Refuse("", name, "must not be negative");
  }
  return core::FromSeconds(std::min<double>(seconds, kMaxSeconds));
}

double AmountField(const json& object, const char* name) {
  const json* field = Find(object, name);
  if (field == nullptr) return 0;
  const double amount = field->is_number() ? field->get<double>() : 0;
  if (!std::isfinite(amount) || amount <= 0) Refuse("", name, "must be a number above 0");
  return amount;
}

uint64_t CountField(const json& object, const char* name, uint64_t otherwise) {
  const json* field = Find(object, name);
  if (field == nullptr) return otherwise;
  if (!field->is_number_integer() || *field < 0) Refuse("", name, "must be a non-negative integer");
  return field->get<uint64_t>();
}

const json& ArrayField(const json& object, const char* name) {
  const json* field = Find(object, name);
  if (field == nullptr) Refuse("", name, "is missing");
  if (!field->is_array()) Refuse("", name, "must be an array");
  if (field->empty()) Refuse("", name, "must not be empty");
  return *field;
}

std::vector<std::string> StringsField(const json& object, const char* name) {
  std::vector<std::string> strings;
  const json* field = Find(object, name);
  if (field == nullptr) return strings;
  if (!field->is_array()) Refuse("", name, "must be an array");
  for (const json& entry : *field) {
    if (!entry.is_string() && !entry.is_null()) {
      Refuse("", name, fmt::format("entry {} must be a string", strings.size()));
    }
    strings.push_back(entry.is_null() ? "" : entry.get<std::string>());
  }
  return strings;
}

}  // namespace zermelo::serve
