// The table of what language models were asked and what they answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"

namespace zermelo::store {

struct ModelCall {
  std::string model;    // its name in the configuration
  std::string key;      // of the request; equal requests have equal keys
  int64_t nth = 0;      // among the calls with this key, from 0
  std::string request;  // JSON
  std::string reply;    // JSON
  bool operator==(const ModelCall&) const = default;
};

/// From the columns model, key, nth, request, reply of a row, the first of them at `first`.
ModelCall ReadModelCall(SQLite::Statement& row, int first = 0);

/// Errors as Database tells them. A call is in the table as a whole or not at all.
class ModelCalls {
 public:
  /// The database must outlive the object.
  explicit ModelCalls(Database& database) : database_(database) {}

  /// An error if there is a call with this key and number.
  core::Status Append(const ModelCall& call);
  /// Inside of a transaction: appends it as the next of its key (`nth` is not looked at) and
  /// answers its row. Throws what SQLiteCpp throws.
  static int64_t AppendWithin(Database& database, const ModelCall& call);
  core::Result<std::optional<ModelCall>> Find(const std::string& key, int64_t nth);
  /// The number that follows the highest of this key.
  core::Result<int64_t> NextOf(const std::string& key);
  /// All calls of a model, in the order in which they ended.
  core::Result<std::vector<ModelCall>> OfModel(const std::string& model);
  /// The models that there are calls of, in alphabetical order.
  core::Result<std::vector<std::string>> Models();

 private:
  Database& database_;
};

}  // namespace zermelo::store
