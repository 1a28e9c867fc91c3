// Records a search that only makes events, or resumes it; see scale.py.
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "record/run_journal.h"
#include "resources.h"
#include "store/database.h"

namespace {

using namespace zermelo;  // NOLINT(google-build-using-namespace)
using bench::PeakMegabytes;
using bench::ProcessorSeconds;
using nlohmann::json;

constexpr int kWorkers = 32;

// The sizes are those of recorded runs of rmaxts (the calls of its model are longer with a real
// model: prompt and proof are 3 kB here).

json Selected(int64_t number) {
  json fields;
  fields["tree"] = 0;
  fields["node"] = number / 2;
  fields["prefix"] = number;
  return fields;
}

json NodeAdded(int64_t number) {
  json fields;
  fields["tree"] = 0;
  fields["node"] = number + 1;
  fields["parent"] = number / 2;
  fields["tactics"] = fmt::format("have h{} : a + b = b + a := by omega", number);
  fields["goals"] = fmt::format("a b : Nat\nh{} : a + b = b + a\n{}", number,
                                "⊢ a * (b + c) + c * (a + b) = (a + c) * b + c * (a + a)");
  return fields;
}

json BackedUp(int64_t number) {
  json fields = Selected(number);
  fields["last"] = number + 1;
  fields["reward"] = 1.0;
  return fields;
}

json ReplyOfModel(int64_t number) {
  json answer;
  answer["completions"] = fmt::format("{:0>1000}", number);
  return answer;
}

json ReplyOfLean(int64_t number) {
  json answer;
  answer["diagnostics"] = fmt::format("{:0>500}", number);
  return answer;
}

core::Task<json> Immediately(json answer) { co_return answer; }

record::ExternalCall Generation(int64_t number) {
  record::ExternalCall call;
  call.kind = "generated";
  call.key = fmt::format("{:016x}", number);
  call.model = "m";
  call.request = fmt::format("{{\"prompt\":\"{:0>2000}\"}}", number);
  call.costly = true;
  call.announced["model"] = "m";
  call.announced["key"] = call.key;
  call.announced["n"] = 1;
  call.perform = [number] { return Immediately(ReplyOfModel(number)); };
  return call;
}

record::ExternalCall Check(int64_t number) {
  record::ExternalCall call;
  call.kind = "checked";
  call.key = fmt::format("{:016x}", number);
  call.perform = [number] { return Immediately(ReplyOfLean(number)); };
  return call;
}

class Search {
 public:
  Search(record::RunJournal& journal, int64_t rounds, bool with_model)
      : journal_(journal), rounds_(rounds), with_model_(with_model) {}

  core::Task<void> Run() {
    core::TaskGroup workers(co_await boost::asio::this_coro::executor);
    for (int i = 0; i < kWorkers; ++i) workers.Spawn(Worker());
    co_await workers.Join();
  }

 private:
  core::Task<void> Worker() {
    while (begun_ < rounds_) {
      const int64_t number = begun_++;
      journal_.Append("selected", Selected(number));
      if (with_model_) static_cast<void>(co_await journal_.Perform(Generation(number)));
      static_cast<void>(co_await journal_.Perform(Check(number)));
      journal_.Append("node_added", NodeAdded(number));
      journal_.Append("backed_up", BackedUp(number));
    }
  }

  record::RunJournal& journal_;
  const int64_t rounds_;
  const bool with_model_;
  int64_t begun_ = 0;
};

core::Task<core::Status> Work(core::Executor host, record::RunRecord& record, int64_t rounds,
                              bool with_model, uint64_t& replayed) {
  record::RunJournal journal(host, &record, record::RunJournalOptions());
  Search search(journal, rounds, with_model);
  auto ended = co_await journal.Run(search.Run());
  replayed = journal.replayed();
  co_return ended;
}

int Report(const core::Error& error) {
  std::fprintf(stderr, "run_events_bench: %s\n", error.message.c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: run_events_bench record|resume DATABASE ROUNDS model|plain\n");
    return 2;
  }
  const bool resume = std::string_view(argv[1]) == "resume";
  const auto opened = core::Clock::now();
  const auto database = store::Database::Open(argv[2], store::Access::kCreate);
  if (!database) return Report(database.error());
  store::Runs runs(**database);
  int64_t id = 1;
  if (!resume) {
    store::Run run;
    run.started = "2026-01-01T00:00:00Z";
    run.program = "bench";
    run.file = "/bench.lean";
    run.toolchain = "{}";
    run.request = "{}";
    const auto added = runs.Add(run);
    if (!added) return Report(added.error());
    id = *added;
  }
  record::StoredRunRecord record(**database, id);
  const double open = core::Seconds(core::Clock::now() - opened);

  const double processor = ProcessorSeconds();
  const auto began = core::Clock::now();
  uint64_t replayed = 0;
  boost::asio::io_context io;
  const auto ended = core::RunToEnd(io, Work(io.get_executor(), record, std::atoll(argv[3]),
                                             std::string_view(argv[4]) == "model", replayed));
  if (!ended) return Report(ended.error());
  const auto events = record.Count();
  if (!events) return Report(events.error());
  std::printf(
      "{\"open_seconds\": %.6f, \"seconds\": %.3f, \"cpu_seconds\": %.3f, \"events\": %lld, "
      "\"replayed\": %llu, \"peak_mb\": %.1f}\n",
      open, core::Seconds(core::Clock::now() - began), ProcessorSeconds() - processor,
      static_cast<long long>(*events), static_cast<unsigned long long>(replayed), PeakMegabytes());
  return 0;
}
