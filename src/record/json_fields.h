// Declares the JSON of a type once, for writing and for reading:
//
//   void Declare(auto& fields, auto& usage) {  // in namespace record
//     fields("prompt_tokens", usage.prompt_tokens);
//     fields.IfSet("estimated", usage.estimated);
//   }
//
// Equal values give equal bytes. Invalid UTF-8 and numbers that are not finite survive a round
// trip.
#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace zermelo::record {

/// A string, or {"bytes": [...]} if the text is not UTF-8.
nlohmann::json WriteValue(const std::string& text);
/// A number, or "nan", "inf", "-inf".
nlohmann::json WriteValue(double value);
template <class T>
nlohmann::json WriteValue(const std::vector<T>& values);
template <class T>
nlohmann::json WriteValue(const T& value);

/// Throw json::exception if WriteValue did not write the JSON.
void ReadValue(const nlohmann::json& from, std::string& text);
void ReadValue(const nlohmann::json& from, double& value);
template <class T>
void ReadValue(const nlohmann::json& from, std::vector<T>& values);
template <class T>
void ReadValue(const nlohmann::json& from, std::optional<T>& value);
template <class T>
void ReadValue(const nlohmann::json& from, T& value);

class FieldWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    written[name] = WriteValue(value);
  }
  /// Left out if the value is empty, false or unset.
  template <class T>
  void IfSet(const char* name, const T& value) {
    if constexpr (requires { value.empty(); }) {
      if (!value.empty()) (*this)(name, value);
    } else if constexpr (requires { value.has_value(); }) {
      if (value) (*this)(name, *value);
    } else if (value) {
      (*this)(name, value);
    }
  }
  /// An enumeration by the names of its values, in their order.
  template <class T, size_t N>
  void ByName(const char* name, const T& value, const std::array<const char*, N>& names) {
    written[name] = names.at(static_cast<size_t>(value));
  }
  /// The next element of an array, for types that are written as one.
  template <class T>
  void Element(const T& value) {
    written.push_back(WriteValue(value));
  }

  nlohmann::json written;
};

class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& from) : from_(from) {}
  template <class T>
  void operator()(const char* name, T& value) {
    ReadValue(from_.at(name), value);
  }
  template <class T>
  void IfSet(const char* name, T& value) {
    if (from_.contains(name)) ReadValue(from_.at(name), value);
  }
  template <class T, size_t N>
  void ByName(const char* name, T& value, const std::array<const char*, N>& names) {
    const auto found = std::find(names.begin(), names.end(), from_.at(name).get<std::string>());
    if (found == names.end()) throw nlohmann::json::other_error::create(0, name, &from_);
    value = static_cast<T>(found - names.begin());
  }
  template <class T>
  void Element(T& value) {
    ReadValue(from_.at(next_++), value);
  }

 private:
  const nlohmann::json& from_;
  size_t next_ = 0;
};

template <class T>
nlohmann::json WriteValue(const std::vector<T>& values) {
  nlohmann::json written = nlohmann::json::array();
  for (const T& value : values) written.push_back(WriteValue(value));
  return written;
}

template <class T>
nlohmann::json WriteValue(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::underlying_type_t<T>>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    FieldWriter fields;
    Declare(fields, value);
    return std::move(fields.written);
  }
}

template <class T>
void ReadValue(const nlohmann::json& from, std::vector<T>& values) {
  values.clear();
  for (const auto& entry : from) ReadValue(entry, values.emplace_back());
}

template <class T>
void ReadValue(const nlohmann::json& from, std::optional<T>& value) {
  ReadValue(from, value.emplace());
}

template <class T>
void ReadValue(const nlohmann::json& from, T& value) {
  if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(from.get<std::underlying_type_t<T>>());
  } else if constexpr (std::is_integral_v<T>) {
    from.get_to(value);
  } else {
    FieldReader fields(from);
    Declare(fields, value);
  }
}

}  // namespace zermelo::record
