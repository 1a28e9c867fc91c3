// JSON from files, the network and other programs. All of it is read here, so that its depth is
// bounded: nlohmann::json copies, compares and writes values by recursion.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/error.h"

namespace zermelo::core {

/// Arrays and objects within each other.
inline constexpr size_t kMaxJsonDepth = 64;

/// Why a text has no value.
struct NotJson {
  std::string what;  // "is not JSON: …", "is JSON that is nested more than 64 deep"; no line break
  size_t line = 1;   // of the text, from 1
};

/// The value of a text; none if it is not JSON or is nested more deeply than kMaxJsonDepth.
tl::expected<nlohmann::json, NotJson> ParseJson(std::string_view text);

/// kInput, with the file's name and the line.
Error ErrorIn(const std::filesystem::path& file, const NotJson& reason);

/// The text of a value; bytes that are not UTF-8 become U+FFFD. `indent` < 0: on one line.
std::string Dump(const nlohmann::json& value, int indent = -1);

/// {"code": "timeout", "message", "hint"}
void to_json(nlohmann::json& json, const Error& error);
/// kInternal if the code is unknown or missing. Throws nlohmann::json::exception.
void from_json(const nlohmann::json& json, Error& error);

/// The lines, from 1, on which the objects in an array begin. `array`: a text that ParseJson reads.
std::vector<size_t> LinesOfObjects(std::string_view array);

/// As ParseJson, where the reason does not matter: then the value is a discarded one, which is
/// neither an object nor anything else.
nlohmann::json JsonOrDiscarded(std::string_view text);

/// The members of an object that have these names; those that it lacks are left out.
nlohmann::json Picked(const nlohmann::json& object, std::initializer_list<const char*> names);

}  // namespace zermelo::core
