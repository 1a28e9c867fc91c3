#include "store/model_calls.h"

namespace zermelo::store {

using core::Result;
using core::Status;

ModelCall ReadModelCall(SQLite::Statement& row, int first) {
  ModelCall call;
  call.model = row.getColumn(first).getString();
  call.key = row.getColumn(first + 1).getString();
  call.nth = row.getColumn(first + 2).getInt64();
  call.request = row.getColumn(first + 3).getString();
  call.reply = row.getColumn(first + 4).getString();
  return call;
}

Status ModelCalls::Append(const ModelCall& call) {
  return database_.Try("record a model call", [&] {
    auto insert = database_.Prepare(
        "INSERT INTO model_calls (model, key, nth, request, reply) VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, call.model);
    insert.bind(2, call.key);
    insert.bind(3, call.nth);
    insert.bind(4, call.request);
    insert.bind(5, call.reply);
    insert.exec();
  });
}

int64_t ModelCalls::AppendWithin(Database& database, const ModelCall& call) {
  auto insert = database.Prepare(
      "INSERT INTO model_calls (model, key, nth, request, reply) VALUES (?1, ?2, (SELECT "
      "coalesce(max(nth) + 1, 0) FROM model_calls WHERE key = ?2), ?3, ?4) RETURNING id");
  insert.bind(1, call.model);
  insert.bind(2, call.key);
  insert.bind(3, call.request);
  insert.bind(4, call.reply);
  insert.executeStep();
  const int64_t id = insert.getColumn(0).getInt64();
  insert.executeStep();
  return id;
}

Result<std::optional<ModelCall>> ModelCalls::Find(const std::string& key, int64_t nth) {
  return database_.Try("look up a model call", [&]() -> std::optional<ModelCall> {
    auto select = database_.Prepare(
        "SELECT model, key, nth, request, reply FROM model_calls WHERE key = ? AND nth = ?");
    select.bind(1, key);
    select.bind(2, nth);
    if (!select.executeStep()) return std::nullopt;
    return ReadModelCall(select);
  });
}

Result<int64_t> ModelCalls::NextOf(const std::string& key) {
  return database_.Try("count model calls", [&]() -> int64_t {
    auto select =
        database_.Prepare("SELECT coalesce(max(nth) + 1, 0) FROM model_calls WHERE key = ?");
    select.bind(1, key);
    select.executeStep();
    return select.getColumn(0).getInt64();
  });
}

Result<std::vector<ModelCall>> ModelCalls::OfModel(const std::string& model) {
  return database_.Try("read model calls", [&] {
    std::vector<ModelCall> calls;
    auto select = database_.Prepare(
        "SELECT model, key, nth, request, reply FROM model_calls WHERE model = ? ORDER BY id");
    select.bind(1, model);
    while (select.executeStep()) calls.push_back(ReadModelCall(select));
    return calls;
  });
}

Result<std::vector<std::string>> ModelCalls::Models() {
  return database_.Try("read the models of calls", [&] {
    std::vector<std::string> models;
    auto select = database_.Prepare("SELECT DISTINCT model FROM model_calls ORDER BY model");
    while (select.executeStep()) models.push_back(select.getColumn(0).getString());
    return models;
  });
}

}  // namespace zermelo::store
