// The log of model calls in the database. Adapts llm::CallLog to rows of `store`.
#pragma once

#include <string>

#include "llm/record.h"
#include "store/model_calls.h"

namespace zermelo::engine {

class StoredCallLog : public llm::CallLog {
 public:
  /// The database must outlive the log.
  explicit StoredCallLog(store::Database& database) : calls_(database) {}

  core::Status Append(const llm::RecordedCall& call) override;
  core::Result<std::optional<llm::RecordedCall>> Find(const std::string& key, int64_t nth) override;
  core::Result<int64_t> NextOf(const std::string& key) override;
  core::Result<std::vector<llm::RecordedCall>> OfModel(const std::string& model) override;
  core::Result<std::vector<std::string>> Models() override { return calls_.Models(); }

 private:
  store::ModelCalls calls_;
};

}  // namespace zermelo::engine
