#include "view/run_reader.h"

namespace zermelo::view {

using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kShortBytes = 1024;               // of a request or an answer
constexpr size_t kWholeBytes = size_t{16} << 20U;  // of all requests and answers in one file

size_t CallBytes(const store::Event& event) {
  return event.answer.size() +
         (event.call ? event.call->request.size() + event.call->reply.size() : 0);
}

}  // namespace

RunReader::RunReader(std::unique_ptr<store::Database> database)
    : database_(std::move(database)), runs_(std::make_unique<store::Runs>(*database_)) {}

Result<RunReader> RunReader::Open(const std::filesystem::path& database) {
  auto opened = store::Database::Open(database, store::Access::kReadOnly);
  if (!opened) return Fail(opened.error());
  return RunReader(std::move(*opened));
}

Result<json> RunReader::List(size_t count) {
  const auto runs = runs_->Newest(count);
  if (!runs) return Fail(runs.error());
  json list{{"database", database_->path().string()}, {"runs", json::array()}};
  for (const store::Run& run : *runs) list["runs"].push_back(SummaryJson(run));
  return list;
}

Result<json> RunReader::Run(int64_t id) {
  const auto run = FindRun(*runs_, id);
  if (!run) return Fail(run.error());
  return RunJson(*runs_, *run);
}

Result<bool> RunReader::Ended(int64_t id) {
  const auto run = FindRun(*runs_, id);
  if (!run) return Fail(run.error());
  return run->state == "finished";
}

Result<std::vector<json>> RunReader::Events(int64_t id, int64_t from, size_t count) {
  const auto events = runs_->Events(id, from, count);
  if (!events) return Fail(events.error());
  std::vector<json> objects;
  for (const store::Event& event : *events) objects.push_back(EventJson(event, kShortBytes));
  return objects;
}

Result<json> RunReader::Event(int64_t id, int64_t seq) {
  const auto events = runs_->Events(id, seq, 1);
  if (!events) return Fail(events.error());
  if (events->empty() || events->front().seq != seq) return json();
  return EventJson(events->front());
}

Result<json> RunReader::Whole(int64_t id) {
  auto run = Run(id);
  if (!run) return Fail(run.error());
  const auto events = AllEvents(*runs_, id, {});
  if (!events) return Fail(events.error());
  size_t bytes = 0;
  for (const store::Event& event : *events) bytes += CallBytes(event);
  const size_t limit = bytes > kWholeBytes ? kShortBytes : SIZE_MAX;
  json objects = json::array();
  StepChanges changes;
  for (const store::Event& event : *events) {
    objects.push_back(EventJson(event, limit));
    changes.AddTo(objects.back());
  }
  json whole;
  whole["run"] = std::move(*run);
  whole["events"] = std::move(objects);
  return whole;
}

}  // namespace zermelo::view
