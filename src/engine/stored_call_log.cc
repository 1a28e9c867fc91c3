#include "engine/stored_call_log.h"

namespace zermelo::engine {

using core::Result;
using llm::RecordedCall;

namespace {

RecordedCall FromRow(store::ModelCall row) {
  return {.model = std::move(row.model),
          .key = std::move(row.key),
          .nth = row.nth,
          .request = std::move(row.request),
          .outcome = std::move(row.reply)};
}

}  // namespace

core::Status StoredCallLog::Append(const RecordedCall& call) {
  return calls_.Append({.model = call.model,
                        .key = call.key,
                        .nth = call.nth,
                        .request = call.request,
                        .reply = call.outcome});
}

Result<std::optional<RecordedCall>> StoredCallLog::Find(const std::string& key, int64_t nth) {
  auto found = calls_.Find(key, nth);
  if (!found) return core::Fail(found.error());
  std::optional<store::ModelCall>& row = *found;
  if (!row) return std::nullopt;
  return FromRow(*std::move(row));
}

Result<int64_t> StoredCallLog::NextOf(const std::string& key) { return calls_.NextOf(key); }

Result<std::vector<RecordedCall>> StoredCallLog::OfModel(const std::string& model) {
  auto rows = calls_.OfModel(model);
  if (!rows) return core::Fail(rows.error());
  std::vector<RecordedCall> calls;
  for (auto& row : *rows) calls.push_back(FromRow(std::move(row)));
  return calls;
}

}  // namespace zermelo::engine
