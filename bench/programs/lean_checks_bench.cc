// Replays a recorded tree-search trace by eight methods; see lean-checks.py.
#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/async.h"
#include "lean/pool.h"
#include "lean/states/state_comparison.h"
#include "lean/states/state_server.h"
#include "syntax/lexer.h"
#include "syntax/proof/tactic_structure.h"

namespace zermelo {
namespace {

using nlohmann::json;

constexpr auto kEachCheck = std::chrono::seconds(20);  // time limit of a search for a candidate
constexpr size_t kWorkers = 2;

struct Candidate {
  size_t number = 0;      // in the trace
  size_t state = 0;       // candidates of one state are sent together
  std::string text;       // the whole document
  size_t header_end = 0;  // end of the part that a REPL reuses
  size_t root = 0;        // end of the statement: where the tactics of its proof begin
};

using Search = std::vector<Candidate>;  // the candidates of one theorem, in the order of its search

struct Outcome {
  size_t checks = 0;
  size_t stalled = 0;  // cut off
  size_t tactics = 0;  // elaborated, not reused
  double seconds = 0;
  std::map<size_t, lean::CheckStatus> verdicts;  // by the candidate's number
};

/// End positions of the tactics, in bytes.
std::vector<size_t> TacticEnds(const std::string& text) {
  const auto tokens = syntax::LexCode(text);
  const auto structure = syntax::AnalyzeTactics(text, tokens);
  std::vector<size_t> ends;
  for (const auto& step : structure.steps) {
    const bool is_tactic = structure.blocks[step.block].kind != syntax::BlockKind::kRoot;
    if (is_tactic) ends.push_back(tokens[step.last].end);
  }
  return ends;
}

/// Number of tactics that end after byte `from`.
size_t TacticsFrom(const std::string& text, size_t from) {
  return static_cast<size_t>(
      std::ranges::count_if(TacticEnds(text), [&](size_t end) { return end > from; }));
}

std::vector<Search> ReadTrace(const char* file) {
  std::map<std::string, size_t> places;
  std::map<std::string, size_t> states;
  std::vector<Search> searches;
  std::ifstream in(file);
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    const json entry = json::parse(line);
    const auto [place, is_new] = places.emplace(entry.at("theorem"), searches.size());
    if (is_new) searches.emplace_back();
    Candidate candidate;
    candidate.text =
        entry.at("before").get<std::string>() + entry.at("candidate").get<std::string>() + "\n";
    candidate.root = entry.at("before").get<std::string>().size();
    candidate.number = number++;
    candidate.header_end = entry.at("header").get<std::string>().size();
    std::string before = entry.at("before");
    candidate.state = states.emplace(std::move(before), states.size()).first->second;
    searches[place->second].push_back(std::move(candidate));
  }
  for (Search& search : searches) {  // what comes before the first state is the statement
    for (Candidate& candidate : search) candidate.root = search.front().root;
  }
  return searches;
}

struct Answer {
  lean::CheckStatus verdict = lean::CheckStatus::kStalled;
  size_t tactics = 0;  // elaborated
};
/// Answers a check: the method to measure.
using Checker = std::function<core::Task<Answer>(const Candidate&)>;

/// Runs all searches concurrently, as when several problems share one pool; one after another would
/// be too easy. Each search sends the candidates of a state together, and continues with the next
/// state when it has the answers.
core::Task<Outcome> Replay(const std::vector<Search>& searches, Checker check) {
  Outcome outcome;
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto one = [&](const Candidate& candidate) -> core::Task<void> {
    const Answer answer = co_await check(candidate);
    ++outcome.checks;
    outcome.verdicts[candidate.number] = answer.verdict;
    if (answer.verdict == lean::CheckStatus::kStalled) ++outcome.stalled;
    outcome.tactics += answer.tactics;
  };
  const auto run = [&](size_t s) -> core::Task<void> {
    const Search& search = searches[s];
    for (size_t i = 0; i < search.size();) {
      core::TaskGroup state(executor);
      const size_t at = search[i].state;
      for (; i < search.size() && search[i].state == at; ++i) {
        state.Spawn(one(search[i]));
      }
      co_await state.Join();
    }
  };
  const auto started = core::Clock::now();
  core::TaskGroup group(executor);
  for (size_t s = 0; s < searches.size(); ++s) group.Spawn(run(s));
  co_await group.Join();
  outcome.seconds = core::Seconds(core::Clock::now() - started);
  co_return outcome;
}

/// Checks a whole document. Time in the queue does not count.
core::Task<Answer> CheckDocument(lean::Checker& checker, const Candidate& candidate,
                                 bool stop_at_error) {
  lean::CheckRequest request;
  request.text = candidate.text;
  request.deadline = core::Deadline::After(std::chrono::minutes(20));
  request.limit = kEachCheck;
  if (stop_at_error) {
    const auto lines = std::ranges::count(request.text, '\n');
    request.extent = lean::UpToFirstError{{.first = 0, .last = static_cast<uint32_t>(lines)}};
  }
  const auto result = co_await checker.Check(std::move(request));
  Answer answer;
  if (!result) co_return answer;
  answer.verdict = result->status;
  answer.tactics = TacticsFrom(candidate.text, result->reused_bytes);
  co_return answer;
}

enum class Goals { kNone, kAll };  // what a run is asked beside its errors

lean::StateQuery QueryOf(const Candidate& candidate, bool stop_at_error, Goals goals) {
  lean::StateQuery query;
  query.hole.text = candidate.text.substr(0, candidate.root) + "  sorry\n";
  query.hole.byte = candidate.root + 2;
  query.tactics = candidate.text.substr(candidate.root);
  query.limit = kEachCheck;
  query.stop_at_error = stop_at_error;
  if (goals == Goals::kAll) query.goals_at = lean::GoalPlaces(query.tactics);
  return query;
}

lean::CheckStatus VerdictOf(const lean::StateRun& run) {
  if (run.cut()) return lean::CheckStatus::kStalled;
  if (run.FirstError() != nullptr || !run.goals.empty() || run.has_holes) {
    return lean::CheckStatus::kRejected;
  }
  return run.has_sorry ? lean::CheckStatus::kSorry : lean::CheckStatus::kAccepted;
}

using Runs = std::map<size_t, lean::StateRun>;  // by the candidate's number

core::Task<Answer> RunFromStatement(lean::StateServer& server, const Candidate& candidate,
                                    bool stop_at_error, Goals goals, Runs& runs) {
  const auto run = co_await server.Run(QueryOf(candidate, stop_at_error, goals));
  Answer answer;
  if (!run) {
    std::fprintf(stderr, "candidate %zu: %s\n", candidate.number, run.error().message.c_str());
    co_return answer;
  }
  answer.verdict = VerdictOf(*run);
  answer.tactics = static_cast<size_t>(
      std::ranges::count_if(run->steps, [](const auto& step) { return step.elaborated; }));
  runs.emplace(candidate.number, *run);
  co_return answer;
}

/// Number of runs whose states or first error are not the language server's.
core::Task<size_t> StateDifferences(const std::vector<Search>& searches, const Runs& runs,
                                    lean::Checker& checker) {
  size_t differences = 0;
  for (const Search& search : searches) {
    for (const Candidate& candidate : search) {
      const auto run = runs.find(candidate.number);
      if (run == runs.end()) {
        ++differences;
        continue;
      }
      if (run->second.cut() || run->second.steps.empty()) continue;
      const lean::StateComparison comparison(candidate.text.substr(0, candidate.root),
                                             candidate.text.substr(candidate.root), run->second);
      lean::CheckRequest request = comparison.request();
      request.deadline = core::Deadline::After(std::chrono::minutes(20));
      request.limit = 2 * kEachCheck;
      const auto result = co_await checker.Check(std::move(request));
      const std::string difference =
          result ? comparison.Difference(*result) : result.error().message;
      if (difference.empty()) continue;
      ++differences;
      std::fprintf(stderr, "candidate %zu differs in %s\n", candidate.number, difference.c_str());
    }
  }
  co_return differences;
}

/// Makes the text unique from the end of the header on, so that nothing after it is reused.
std::string Unlike(const Candidate& candidate, size_t number) {
  std::string text = candidate.text;
  return text.insert(candidate.header_end, "-- " + std::to_string(number) + "\n");
}

std::vector<Search> AllUnlike(std::vector<Search> searches, size_t* number) {
  for (Search& search : searches) {
    for (Candidate& candidate : search) {
      const size_t size = candidate.text.size();
      candidate.text = Unlike(candidate, (*number)++);
      candidate.root += candidate.text.size() - size;
    }
  }
  return searches;
}

/// Number of tactics that differ in themselves or in the text before them: a lower bound for any
/// reuse of prefixes.
size_t DistinctTactics(const std::vector<Search>& searches) {
  std::set<std::string> prefixes;
  for (const Search& search : searches) {
    for (const Candidate& candidate : search) {
      for (const size_t end : TacticEnds(candidate.text)) {
        prefixes.insert(candidate.text.substr(0, end));
      }
    }
  }
  return prefixes.size();
}

json ToJson(const Outcome& outcome) {
  return {{"checks", outcome.checks},
          {"stalled", outcome.stalled},
          {"tactics", outcome.tactics},
          {"seconds", outcome.seconds}};
}

size_t Differences(const Outcome& a, const Outcome& b) {
  return static_cast<size_t>(std::ranges::count_if(a.verdicts, [&](const auto& entry) {
    const auto other = b.verdicts.find(entry.first);
    return other != b.verdicts.end() && other->second != entry.second;
  }));
}

/// About `count` candidates, spread evenly over all searches, for methods independent of the order.
std::vector<Search> Sample(const std::vector<Search>& searches, size_t count) {
  size_t all = 0;
  for (const Search& search : searches) all += search.size();
  const size_t step = std::max<size_t>(1, all / std::max<size_t>(1, count));
  std::vector<Search> sampled(searches.size());
  for (size_t s = 0; s < searches.size(); ++s) {
    for (const Candidate& candidate : searches[s]) {
      if (candidate.number % step == 0) sampled[s].push_back(candidate);
    }
  }
  return sampled;
}

constexpr size_t kWarmUp = 24;  // candidates

/// Runs the methods on one trace, one after the other.
class Ways {
 public:
  Ways(core::Executor executor, lean::Toolchain toolchain, std::vector<Search> searches)
      : executor_(std::move(executor)),
        toolchain_(std::move(toolchain)),
        searches_(std::move(searches)) {
    options_.workers = kWorkers;
  }

  core::Task<json> Run(size_t fresh, size_t header_only) {
    json ways;
    ways["distinct_tactics"] = DistinctTactics(searches_);
    {  // 1. A fresh process per proof, for some candidates only, because it is slow.
      const std::vector<Search> some = Sample(searches_, fresh);
      lean::PoolOptions once = options_;
      once.max_checks = 1;
      lean::Pool pool(executor_, toolchain_, once);
      const Outcome outcome = co_await Replay(some, On(pool));
      ways["fresh"] = ToJson(outcome);
    }
    Outcome by_header, by_affinity;
    {  // 2. The header is elaborated once, the rest every time.
      lean::Pool pool(executor_, toolchain_, options_);
      co_await WarmUp(pool);
      const std::vector<Search> some = AllUnlike(Sample(searches_, header_only), &number_);
      by_header = co_await Replay(some, On(pool));
      ways["header"] = ToJson(by_header);
    }
    {  // 3. Lean's own reuse, on a random worker.
      lean::PoolOptions one = options_;
      one.workers = 1;
      one.fairness = one.max_hold = core::Duration::zero();  // first come, first served
      std::vector<std::unique_ptr<lean::Pool>> pools;
      for (size_t i = 0; i < kWorkers; ++i) {
        pools.push_back(std::make_unique<lean::Pool>(executor_, toolchain_, one));
        co_await WarmUp(*pools.back());
      }
      std::mt19937 random(1);
      Checker checker = [&](const Candidate& candidate) {
        return CheckDocument(*pools[random() % kWorkers], candidate, false);
      };
      ways["no_affinity"] = Compared(co_await Replay(searches_, checker), by_header);
    }
    for (const char* name : {"affinity", "affinity_no_kernel", "first_error"}) {  // 4, 5 and 6.
      lean::PoolOptions options = options_;
      options.worker.skip_kernel = name != std::string_view("affinity");
      lean::Pool pool(executor_, toolchain_, options);
      co_await WarmUp(pool);
      const bool stop_at_error = name == std::string_view("first_error");
      const Outcome outcome = co_await Replay(searches_, On(pool, stop_at_error));
      ways[name] = Compared(outcome, by_header);
      if (name == std::string_view("affinity")) by_affinity = outcome;
    }
    for (const char* name : {"states", "states_first_error"}) {  // 7 and 8.
      const bool stop_at_error = name == std::string_view("states_first_error");
      ways[name] = co_await States(by_affinity, stop_at_error);
    }
    co_return ways;
  }

 private:
  /// Verdicts are compared with those of all candidates by the language server.
  core::Task<json> States(const Outcome& by_affinity, bool stop_at_error) {
    lean::StateServerOptions options;
    options.processes = kWorkers;
    Runs runs;
    json way;
    {
      auto server = co_await lean::StateServer::Start(executor_, toolchain_, options);
      if (!server) {
        std::fprintf(stderr, "%s\n", server.error().message.c_str());
        co_return way;
      }
      Goals goals = Goals::kNone;
      const Checker checker = [&](const Candidate& candidate) {
        return RunFromStatement(**server, candidate, stop_at_error, goals, runs);
      };
      const size_t count = kWarmUp * kWorkers;
      const std::vector<Search> some = AllUnlike(Sample(searches_, count), &number_);
      co_await Replay(some, checker);
      way = Compared(co_await Replay(searches_, checker), by_affinity);
      runs.clear();
      goals = Goals::kAll;
      if (!stop_at_error) co_await Replay(searches_, checker);
    }
    if (stop_at_error) co_return way;
    lean::PoolOptions pool_options = options_;
    pool_options.worker.skip_kernel = true;
    lean::Pool pool(executor_, toolchain_, pool_options);
    way["state_differences"] = co_await StateDifferences(searches_, runs, pool);
    co_return way;
  }

  static Checker On(lean::Pool& pool, bool stop_at_error = false) {
    return [&pool, stop_at_error](const Candidate& candidate) {
      return CheckDocument(pool, candidate, stop_at_error);
    };
  }

  /// Brings Lean into its state after some minutes of search, so that only the first method pays
  /// for the start: the imports are loaded and the WebAssembly in use is compiled.
  core::Task<void> WarmUp(lean::Pool& pool) {
    const size_t count = kWarmUp * pool.size();
    const std::vector<Search> some = AllUnlike(Sample(searches_, count), &number_);
    co_await Replay(some, On(pool));
  }

  static json Compared(const Outcome& outcome, const Outcome& by_header) {
    json way = ToJson(outcome);
    way["differences"] = Differences(outcome, by_header);
    return way;
  }

  const core::Executor executor_;
  const lean::Toolchain toolchain_;
  const std::vector<Search> searches_;
  lean::PoolOptions options_;
  size_t number_ = 0;  // counts candidates that are unlike all others
};

core::Task<int> Main(std::string lean, std::string trace, size_t fresh, size_t header_only) {
  lean::ToolchainRequest request;
  request.lean = lean;
  auto toolchain = co_await lean::FindToolchain(std::move(request),
                                                core::Deadline::After(std::chrono::seconds(60)));
  if (!toolchain) {
    std::fprintf(stderr, "%s\n", toolchain.error().message.c_str());
    co_return 3;
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  Ways ways(executor, std::move(*toolchain), ReadTrace(trace.c_str()));
  const json measured = co_await ways.Run(fresh, header_only);
  std::printf("%s\n", measured.dump().c_str());
  co_return 0;
}

}  // namespace
}  // namespace zermelo

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr,
                 "usage: lean_checks_bench LEAN TRACE FRESH_CANDIDATES HEADER_CANDIDATES\n");
    return 2;
  }
  boost::asio::io_context io;
  return zermelo::core::RunToEnd(
      io, zermelo::Main(argv[1], argv[2], std::stoul(argv[3]), std::stoul(argv[4])));
}
