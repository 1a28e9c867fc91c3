// Run by ./zermelo bench learning-store; bench/learning-store.py describes the measurements.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/files/file.h"
#include "learn/knowledge.h"

namespace zermelo::learn {
namespace {

/// Of this process, so that other programs do not count.
double Seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Goals whose symbols are as unequally frequent as those of a library (Zipf's law).
class Goals {
 public:
  std::string Next() {
    std::string goal = "x y : f3\n";
    for (int i = 0; i < 2; ++i) goal += fmt::format("h{} : {}\n", i, Term(Rank(), 1));
    return goal + "⊢ " + Term(Rank(), 2) + " = " + Term(Rank(), 1);
  }
  uint64_t Random(uint64_t below) { return random_() % below; }

 private:
  uint64_t Zipf(double most) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    return static_cast<uint64_t>(std::exp(u * std::log(most)));
  }
  uint64_t Rank() { return Zipf(kSymbols); }
  /// What stands below a symbol is mostly one of a few.
  std::string Term(uint64_t rank, int depth) {
    if (depth == 0) return fmt::format("f{}", rank);
    const auto below = [&] { return (rank * 31 + Zipf(50)) % kSymbols; };
    const std::string first = Term(below(), depth - 1);
    return fmt::format("f{} ({}) ({})", rank, first, Term(below(), depth - 1));
  }
  static constexpr uint64_t kSymbols = 20'000;
  std::mt19937_64 random_{1};
};

std::string Write(const std::filesystem::path& file, size_t count) {
  Goals goals;
  std::vector<std::string> records;
  std::string last;
  for (size_t i = 0; i < count; ++i) {
    last = goals.Next();
    Source source;
    source.place = fmt::format("module{}", i / 300);
    source.theorem = fmt::format("t{}", i / 5);
    source.statement = i / 5 + 1;
    const auto tactic = fmt::format("simp [Foo.bar{}, h1]", goals.Random(5'000));
    if (const auto example = MakeExample(last, tactic, true, source))
      records.push_back(Encode(*example));
    if (records.size() < 100'000 && i + 1 < count) continue;
    if (const auto done = AppendRecords(file, records); !done) return done.error().message;
    records.clear();
  }
  return "";
}

/// Outcomes of goals, in searches of 30: every third symbol makes those that begin with it hard.
std::string WriteOutcomes(const std::filesystem::path& file, size_t count) {
  Goals goals;
  std::vector<std::string> records;
  for (size_t i = 0; i < count; ++i) {
    const std::string goal = goals.Next();
    const size_t symbol = goal.find("⊢ f") + std::string_view("⊢ f").size();
    const bool closed = goals.Random(4) > 0 && std::stoul(goal.substr(symbol)) % 3 > 0;
    Source source;
    source.theorem = fmt::format("t{}", i / 30);
    const size_t tried = 12 * (1 + goals.Random(closed ? 3 : 12));
    if (const auto outcome = MakeOutcome(goal, closed, tried, source))
      records.push_back(Encode(*outcome));
    if (records.size() < 100'000 && i + 1 < count) continue;
    if (const auto done = AppendRecords(file, records); !done) return done.error().message;
    records.clear();
  }
  return "";
}

/// Fails with an empty object.
nlohmann::json MeasureValue(const std::filesystem::path& file, size_t count, size_t queries) {
  if (const std::string why = WriteOutcomes(file, count); !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return {};
  }
  const double started = Seconds();
  Knowledge knowledge;
  if (!knowledge.Read(file)) return {};
  const double read = Seconds();
  static_cast<void>(knowledge.AnyValue());
  const double trained = Seconds();
  Goals goals;
  size_t estimated = 0;
  for (size_t i = 0; i < queries; ++i)
    estimated += knowledge.Estimate({.goals = {goals.Next()}, .source = {}}).chances.size();
  if (estimated != queries) {
    fmt::print(stderr, "the value is of no use\n");
    return {};
  }
  return {{"outcomes", knowledge.outcomes()},
          {"outcomes_open_s", read - started},
          {"value_train_s", trained - read},
          {"value_query_ms", (Seconds() - trained) * 1e3 / static_cast<double>(queries)}};
}

int Main(size_t count, size_t queries) {
  const auto folder = core::TemporaryFolder::Create("zermelo-learning-");
  if (!folder) return 1;
  const auto file = folder->path() / "learned";
  if (const std::string why = Write(file, count); !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return 1;
  }
  const double started = Seconds();
  Knowledge knowledge;
  if (!knowledge.Read(file)) return 1;
  const double open = Seconds() - started;
  std::vector<double> times;
  size_t found = 0;
  Goals goals;
  for (size_t i = 0; i < queries; ++i) {
    Query query;
    query.goal = goals.Next();
    const double asked = Seconds();
    found += knowledge.Ask(query).tactics.size();
    times.push_back((Seconds() - asked) * 1e3);
  }
  std::ranges::sort(times);
  nlohmann::json out{
      {"examples", knowledge.size()},
      {"megabytes", static_cast<double>(std::filesystem::file_size(file)) / 1e6},
      {"open_s", open},
      {"query_ms_median", times[times.size() / 2]},
      {"query_ms_p99", times[times.size() * 99 / 100]},
      {"tactics_per_query", static_cast<double>(found) / static_cast<double>(queries)}};
  out.update(MeasureValue(folder->path() / "outcomes", count, queries));
  fmt::print("{}\n", out.dump());
  return 0;
}

}  // namespace
}  // namespace zermelo::learn

int main(int argc, char** argv) {
  const size_t count = argc > 1 ? std::stoul(argv[1]) : 1'000'000;
  const size_t queries = argc > 2 ? std::stoul(argv[2]) : 1'000;
  return zermelo::learn::Main(count, queries);
}
