// Foreign JSON, read into types; what is wrong becomes one sentence for the client.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/deadline.h"

namespace zermelo::serve {

/// Thrown while a request is read; the service answers with `status` and `what()`.
class BadRequest : public std::exception {
 public:
  BadRequest(int status, std::string what) : status_(status), what_(std::move(what)) {}
  int status() const { return status_; }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  int status_;
  std::string what_;
};

/// HTTP's status for what is no JSON object, and for one with other fields than are asked for.
inline constexpr int kMalformed = 400;
inline constexpr int kInvalid = 422;

/// The longest time that a request gets, in seconds.
inline constexpr int kMaxSeconds = 3600;

/// An object, nested at most 64 deep. Throws BadRequest.
nlohmann::json ParseObject(const std::string& body);

/// Fields of an object; `place` names it in errors ("snippets[3]", or empty). null counts as
/// absent. They throw BadRequest (422) on another type, or when the field is absent and there is no
/// default.
std::string StringField(const nlohmann::json& object, const char* name, const std::string& place);
std::string StringField(const nlohmann::json& object, const char* name, const std::string& place,
                        const std::string& otherwise);
bool BoolField(const nlohmann::json& object, const char* name, bool otherwise);
/// Seconds from 0 on; at most an hour is granted.
core::Duration SecondsField(const nlohmann::json& object, const char* name, double otherwise);
uint64_t CountField(const nlohmann::json& object, const char* name, uint64_t otherwise);
/// An array that is not empty.
const nlohmann::json& ArrayField(const nlohmann::json& object, const char* name);
/// An array whose entries are strings; null entries are "". Empty when absent.
std::vector<std::string> StringsField(const nlohmann::json& object, const char* name);

/// Never throws on text that is not UTF-8.
std::string Dump(const nlohmann::json& json);

}  // namespace zermelo::serve
