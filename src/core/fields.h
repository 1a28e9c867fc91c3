// JSON of structs from one list of fields, used for writing and for reading:
//
//   void Fields(auto& field, Cost& cost) {
//     field("seconds", cost.seconds);
//     field("money", cost.dollars);
//   }
//
// In the namespace of `Cost`, this makes `json(cost)` and `json.get<Cost>()` work.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

namespace zermelo::core {

/// Writes every field to a JSON object; an unset optional as null.
class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& object) : object_(object) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    object_[name] = value;
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value) {
    object_[name] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  /// A field that is left out if it has the value that it is read as when it is missing.
  template <class T>
  void OrElse(const char* name, const T& value, const std::type_identity_t<T>& missing = {}) {
    if (!(value == missing)) (*this)(name, value);
  }

 private:
  nlohmann::json& object_;
};

/// Reads every field from a JSON object. An optional field may be missing, as in files written by
/// an older version. Throws nlohmann::json::exception if another one is missing or has the wrong
/// type.
class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& object) : object_(object) {}

  template <class T>
  void operator()(const char* name, T& value) const {
    value = object_.at(name).get<T>();
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) const {
    value.reset();
    const auto found = object_.find(name);
    if (found != object_.end() && !found->is_null()) value = found->template get<T>();
  }
  template <class T>
  void OrElse(const char* name, T& value, const std::type_identity_t<T>& missing = {}) const {
    if (object_.contains(name)) {
      (*this)(name, value);
    } else {
      value = missing;
    }
  }

 private:
  const nlohmann::json& object_;
};

template <class T>
concept HasFields = requires(FieldWriter& writer, T& value) { Fields(writer, value); };

}  // namespace zermelo::core

template <zermelo::core::HasFields T>
struct nlohmann::adl_serializer<T, void> {
  static void to_json(json& object, const T& value) {
    object = json::object();
    zermelo::core::FieldWriter writer(object);
    Fields(writer, const_cast<T&>(value));  // a writer only reads the fields
  }
  static void from_json(const json& object, T& value) {
    const zermelo::core::FieldReader reader(object);
    Fields(reader, value);
  }
};
