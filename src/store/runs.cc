#include "store/runs.h"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace zermelo::store {

using core::Result;
using core::Status;

namespace {

constexpr const char* kRunColumns =
    "id, started, program, file, fingerprint, toolchain, request, state, seconds, result";

Run ReadRun(SQLite::Statement& row) {
  Run run;
  run.id = row.getColumn(0).getInt64();
  run.started = row.getColumn(1).getString();
  run.program = row.getColumn(2).getString();
  run.file = row.getColumn(3).getString();
  run.fingerprint = row.getColumn(4).getString();
  run.toolchain = row.getColumn(5).getString();
  run.request = row.getColumn(6).getString();
  run.state = row.getColumn(7).getString();
  run.seconds = row.getColumn(8).getDouble();
  run.result = row.getColumn(9).getString();
  return run;
}

Event ReadEvent(SQLite::Statement& row) {
  Event event;
  event.seq = row.getColumn(0).getInt64();
  event.at = row.getColumn(1).getDouble();
  event.kind = row.getColumn(2).getString();
  event.fields = row.getColumn(3).getString();
  event.answer = row.getColumn(4).getString();
  if (!row.getColumn(5).isNull()) {
    event.call = ReadModelCall(row, 5);
  }
  return event;
}

TheoremRow ReadTheorem(SQLite::Statement& row) {
  TheoremRow theorem;
  theorem.position = row.getColumn(0).getInt64();
  theorem.name = row.getColumn(1).getString();
  theorem.line = row.getColumn(2).getInt64();
  theorem.status = row.getColumn(3).getString();
  theorem.proof = row.getColumn(4).getString();
  theorem.message = row.getColumn(5).getString();
  theorem.axioms = row.getColumn(6).getString();
  theorem.seconds = row.getColumn(7).getDouble();
  theorem.checks = row.getColumn(8).getInt64();
  theorem.samples = row.getColumn(9).getInt64();
  return theorem;
}

}  // namespace

Result<int64_t> Runs::Add(const Run& run) {
  return database_.Try("record a run", [&]() -> int64_t {
    auto insert = database_.Prepare(
        "INSERT INTO runs (started, program, file, fingerprint, toolchain, request, state, "
        "seconds, result) VALUES (?, ?, ?, ?, ?, ?, 'open', 0, '') RETURNING id");
    insert.bind(1, run.started);
    insert.bind(2, run.program);
    insert.bind(3, run.file);
    insert.bind(4, run.fingerprint);
    insert.bind(5, run.toolchain);
    insert.bind(6, run.request);
    insert.executeStep();
    const int64_t id = insert.getColumn(0).getInt64();
    insert.executeStep();
    return id;
  });
}

Result<std::optional<Run>> Runs::Find(int64_t id) {
  return database_.Try("look up a run", [&]() -> std::optional<Run> {
    auto select = database_.Prepare(fmt::format("SELECT {} FROM runs WHERE id = ?", kRunColumns));
    select.bind(1, id);
    if (!select.executeStep()) return std::nullopt;
    return ReadRun(select);
  });
}

Result<bool> Runs::RemoveEmpty(int64_t id) {
  return database_.Try("remove a run", [&]() -> bool {
    auto remove = database_.Prepare(
        "DELETE FROM runs WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM events WHERE run = ?1)");
    remove.bind(1, id);
    return remove.exec() > 0;
  });
}

Result<std::vector<Run>> Runs::Newest(size_t count) {
  return database_.Try("list runs", [&] {
    std::vector<Run> runs;
    auto select =
        database_.Prepare(fmt::format("SELECT {} FROM runs ORDER BY id DESC LIMIT ?", kRunColumns));
    select.bind(1, static_cast<int64_t>(count));
    while (select.executeStep()) runs.push_back(ReadRun(select));
    return runs;
  });
}

Status Runs::Append(int64_t run, const std::vector<Event>& events, double seconds,
                    const std::string& used) {
  return database_.Try("record events", [&] {
    auto transaction = database_.Begin();
    auto insert = database_.Prepare(
        "INSERT INTO events (run, seq, at, kind, fields, answer, call) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (const Event& event : events) {
      insert.reset();
      insert.bind(1, run);
      insert.bind(2, event.seq);
      insert.bind(3, event.at);
      insert.bind(4, event.kind);
      insert.bind(5, event.fields);
      insert.bind(6, event.answer);
      if (event.call) {
        insert.bind(7, ModelCalls::AppendWithin(database_, *event.call));
      } else {
        insert.bind(7);  // NULL
      }
      insert.exec();
    }
    auto update = database_.Prepare(
        "UPDATE runs SET seconds = max(seconds, ?1), "
        "result = iif(?2 = '', result, json_patch(iif(result = '', '{}', result), ?2)) "
        "WHERE id = ?3");
    update.bind(1, seconds);
    update.bind(2, used);
    update.bind(3, run);
    update.exec();
    transaction.commit();
  });
}

core::Status Runs::SetFile(int64_t run, const std::string& file) {
  return database_.Try("write the place of a run's file", [&] {
    auto update = database_.Prepare(
        "UPDATE runs SET file = ?1, request = json_set(request, '$.file', ?1) WHERE id = ?2");
    update.bind(1, file);
    update.bind(2, run);
    update.exec();
  });
}

Result<std::vector<Event>> Runs::Events(int64_t run, int64_t from, size_t count,
                                        const std::vector<std::string>& kinds) {
  return database_.Try("read events", [&] {
    const std::vector<std::string_view> places(kinds.size(), "?");
    auto select = database_.Prepare(fmt::format(
        "SELECT e.seq, e.at, e.kind, e.fields, e.answer, c.model, c.key, c.nth, c.request, c.reply "
        "FROM events e LEFT JOIN model_calls c ON c.id = e.call "
        "WHERE e.run = ? AND e.seq >= ? {} ORDER BY e.seq LIMIT ?",
        kinds.empty() ? "" : fmt::format("AND e.kind IN ({})", fmt::join(places, ", "))));
    int place = 0;
    select.bind(++place, run);
    select.bind(++place, from);
    for (const std::string& kind : kinds) select.bind(++place, kind);
    select.bind(++place, static_cast<int64_t>(count));
    std::vector<Event> events;
    while (select.executeStep()) events.push_back(ReadEvent(select));
    return events;
  });
}

Result<int64_t> Runs::CountEvents(int64_t run) {
  return database_.Try("count events", [&]() -> int64_t {
    auto select = database_.Prepare("SELECT coalesce(max(seq) + 1, 0) FROM events WHERE run = ?");
    select.bind(1, run);
    select.executeStep();
    return select.getColumn(0).getInt64();
  });
}

Result<std::vector<std::pair<std::string, int64_t>>> Runs::Kinds(int64_t run) {
  return database_.Try("count events", [&] {
    auto select = database_.Prepare(
        "SELECT kind, count(*) FROM events WHERE run = ? GROUP BY kind ORDER BY min(seq)");
    select.bind(1, run);
    std::vector<std::pair<std::string, int64_t>> kinds;
    while (select.executeStep()) {
      kinds.emplace_back(select.getColumn(0).getString(), select.getColumn(1).getInt64());
    }
    return kinds;
  });
}

Status Runs::Finish(int64_t run, const std::vector<TheoremRow>& theorems, const std::string& result,
                    bool finished) {
  return database_.Try("record the outcome of a run", [&] {
    auto transaction = database_.Begin();
    auto remove = database_.Prepare("DELETE FROM theorems WHERE run = ?");
    remove.bind(1, run);
    remove.exec();
    auto insert = database_.Prepare(
        "INSERT INTO theorems (run, position, name, line, status, proof, message, axioms, seconds, "
        "checks, samples) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const TheoremRow& theorem : theorems) {
      insert.reset();
      insert.bind(1, run);
      insert.bind(2, theorem.position);
      insert.bind(3, theorem.name);
      insert.bind(4, theorem.line);
      insert.bind(5, theorem.status);
      insert.bind(6, theorem.proof);
      insert.bind(7, theorem.message);
      insert.bind(8, theorem.axioms);
      insert.bind(9, theorem.seconds);
      insert.bind(10, theorem.checks);
      insert.bind(11, theorem.samples);
      insert.exec();
    }
    auto update = database_.Prepare("UPDATE runs SET state = ?, result = ? WHERE id = ?");
    update.bind(1, finished ? "finished" : "open");
    update.bind(2, result);
    update.bind(3, run);
    update.exec();
    transaction.commit();
  });
}

Result<std::vector<TheoremRow>> Runs::Theorems(int64_t run) {
  return database_.Try("read the outcome of a run", [&] {
    std::vector<TheoremRow> theorems;
    auto select = database_.Prepare(
        "SELECT position, name, line, status, proof, message, axioms, seconds, checks, samples "
        "FROM theorems WHERE run = ? ORDER BY position");
    select.bind(1, run);
    while (select.executeStep()) theorems.push_back(ReadTheorem(select));
    return theorems;
  });
}

}  // namespace zermelo::store
