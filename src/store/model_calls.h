// The table of requests to language models and their replies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"

namespace zermelo::store {

struct ModelCall {
  std::string model;    // its name in the configuration
  std::string key;      // of the request: equal requests have equal keys
  int64_t nth = 0;      // among the calls with this key, from 0
  std::string request;  // JSON
  std::string reply;    // JSON
  bool operator==(const ModelCall&) const = default;
};

/// Reads the columns model, key, nth, request, reply of a row, starting at column `first`.
ModelCall ReadModelCall(SQLite::Statement& row, int first = 0);

/// Errors as Database::Try. Writes are atomic.
class ModelCalls {
 public:
  /// The database must outlive the object.
  explicit ModelCalls(Database& database) : database_(database) {}

  /// Fails if there is a call with this key and number.
  core::Status Append(const ModelCall& call);
  /// Inside a transaction: appends the call as the next of its key (ignores `nth`) and returns its
  /// row ID. May throw SQLite::Exception.
  static int64_t AppendWithin(Database& database, const ModelCall& call);
  /// nullopt if there is no such call.
  core::Result<std::optional<ModelCall>> Find(const std::string& key, int64_t nth);
  /// The number after the highest of this key; 0 if it has no calls.
  core::Result<int64_t> NextOf(const std::string& key);
  /// All calls of a model, in the order in which they were recorded.
  core::Result<std::vector<ModelCall>> OfModel(const std::string& model);
  /// The models with recorded calls, in alphabetical order.
  core::Result<std::vector<std::string>> Models();

 private:
  Database& database_;
};

}  // namespace zermelo::store
