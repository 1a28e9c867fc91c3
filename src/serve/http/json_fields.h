// Parses clients' JSON into types; an error becomes one sentence for the client.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/deadline.h"

namespace zermelo::serve {

/// Thrown while parsing a request; the service answers with `status` and `what()`.
class BadRequest : public std::exception {
 public:
  BadRequest(int status, std::string what) : status_(status), what_(std::move(what)) {}
  int status() const { return status_; }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  int status_;
  std::string what_;
};

/// HTTP statuses for a body that is not JSON, and for JSON with missing or wrong fields.
inline constexpr int kMalformed = 400;
inline constexpr int kInvalid = 422;

/// The longest time limit of a request, in seconds.
inline constexpr int kMaxSeconds = 3600;

/// Parses a JSON object, nested at most 64 deep. Throws BadRequest.
nlohmann::json ParseObject(const std::string& body);

/// Fields of an object; `place` names the object in errors ("snippets[3]", or empty). null counts
/// as absent. They throw BadRequest (422) if the type is wrong, or if the field is absent and there
/// is no default.
std::string StringField(const nlohmann::json& object, const char* name, const std::string& place);
std::string StringField(const nlohmann::json& object, const char* name, const std::string& place,
                        const std::string& otherwise);
bool BoolField(const nlohmann::json& object, const char* name, bool otherwise);
/// A non-negative number of seconds, capped at kMaxSeconds.
core::Duration SecondsField(const nlohmann::json& object, const char* name, double otherwise);
/// A number above 0; 0 if it is absent.
double AmountField(const nlohmann::json& object, const char* name);
/// A non-negative integer.
uint64_t CountField(const nlohmann::json& object, const char* name, uint64_t otherwise);
/// A required, non-empty array.
const nlohmann::json& ArrayField(const nlohmann::json& object, const char* name);
/// An array of strings; null entries become "". Empty if absent.
std::vector<std::string> StringsField(const nlohmann::json& object, const char* name);

}  // namespace zermelo::serve
