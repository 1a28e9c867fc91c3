// Runs seeded pairs of a proof state and a tactic in the state server; see states.py.
#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/files/file.h"
#include "core/text.h"
#include "lean/pool.h"
#include "lean/states/late_state_server.h"
#include "lean/states/state_comparison.h"
#include "lean/states/state_server.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"

namespace zermelo {
namespace {

using nlohmann::json;

constexpr size_t kColumn = 2;                      // of the tactics, from the declaration's
constexpr size_t kFewTheorems = 14;                // of the measurement of memory and of faults
constexpr double kFaults = 0.02;                   // share of the runs with one
constexpr auto kLimit = std::chrono::seconds(20);  // of a run
constexpr auto kLimitWithFaults = std::chrono::seconds(5);  // that a process that hangs costs
constexpr const char* kHungry =
    "run_tac do\n  let a := Array.replicate 700000000 (0 : Nat)\n  if a.size == 1 then throw "
    "default\n";

/// A theorem whose proof is a sequence of tactics.
struct Theorem {
  std::string name;
  std::string before;  // its file up to the tactics, which begin on a new line
  size_t column = 0;   // of the tactics
  std::vector<std::string>
      steps;  // the prefixes of the proof, in whole tactics; the first is empty
};

/// Tactics from a state of a theorem, laid out as in its file.
struct Pair {
  size_t theorem = 0;
  std::string tactics;
};

/// The theorems of the files, and all tactics in their proofs, each at column 0.
struct Corpus {
  std::vector<Theorem> theorems;
  std::vector<std::string> tactics;
};

size_t ColumnOf(std::string_view text, size_t at) {
  const size_t line = text.substr(0, at).rfind('\n');
  return at - (line == std::string_view::npos ? 0 : line + 1);
}

void AddTactics(const std::string& block, Corpus& corpus) {
  const auto tokens = syntax::LexCode(block);
  for (const auto& step : syntax::AnalyzeTactics(block, tokens).steps) {
    const size_t begin = tokens[step.first].begin;
    const std::string padded = std::string(ColumnOf(block, begin), ' ') +
                               block.substr(begin, tokens[step.last].end - begin) + "\n";
    corpus.tactics.push_back(core::Dedented(padded, ColumnOf(block, begin)));
  }
}

void AddTheorem(const std::string& text, const syntax::Declaration& declaration, Corpus& corpus) {
  const std::string value =
      text.substr(declaration.value.begin, declaration.range.end - declaration.value.begin);
  const auto tokens = syntax::LexCode(value);
  if (syntax::WordAt(value, tokens, 0) != ":=" || syntax::WordAt(value, tokens, 1) != "by") return;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto word = syntax::WordAt(value, tokens, i);
    if (word == "termination_by" || word == "decreasing_by" || word == "where") return;
  }
  if (tokens.size() < 3) return;
  const size_t first = tokens[2].begin;
  const size_t column = ColumnOf(text, declaration.value.begin + first);
  const std::string block =
      core::Dedented(std::string(column, ' ') + value.substr(first) + "\n", column);
  Theorem theorem;
  theorem.name = declaration.DisplayName();
  theorem.before = text.substr(0, declaration.value.begin + tokens[1].end) + "\n";
  theorem.column = declaration.indent + kColumn;
  theorem.steps.emplace_back();
  for (const auto& tactic : syntax::SplitTactics(block)) {
    theorem.steps.push_back(block.substr(0, tactic.end) + "\n");
  }
  theorem.steps.pop_back();  // the whole proof
  corpus.theorems.push_back(std::move(theorem));
  AddTactics(block, corpus);
}

Corpus ReadCorpus(const std::vector<std::string>& files) {
  Corpus corpus;
  for (const std::string& file : files) {
    const auto text = core::ReadTextFile(file);
    if (!text) continue;
    // The document that Lean gets ends with the tactics, so no block may be open.
    if (std::ranges::count(syntax::WordsOf(*text), "mutual") > 0) continue;
    for (const auto& declaration : syntax::FindDeclarations(*text)) {
      AddTheorem(*text, declaration, corpus);
    }
  }
  return corpus;
}

using Random = std::mt19937_64;

template <class T>
const T& AnyOf(const std::vector<T>& values, Random& random) {
  return values[random() % values.size()];
}

/// The tactic, or a larger one that contains it.
std::string Varied(const std::string& tactic, Random& random) {
  const std::string inner = core::Indented(tactic, 2);
  const bool is_one_line = std::ranges::count(tactic, '\n') == 1;
  const std::string line = tactic.substr(0, tactic.size() - 1);
  switch (random() % 12) {
    case 0:
      return "have zz : 1 + 1 = 2 := by\n" + inner + "exact absurd zz (by decide)\n";
    case 1:
      return "· " + core::Indented(tactic, 2).substr(2);
    case 2:
      return "first\n| " + core::Indented(tactic, 2).substr(2) + "| skip\n";
    case 3:
      return is_one_line ? "(" + line + ") <;> simp_all\n" : tactic;
    case 4:
      return is_one_line ? "set_option maxRecDepth 600 in " + line + "\n" : tactic;
    case 5:
      return "refine ⟨?zz, ?_⟩\ncase zz =>\n" + inner;
    default:
      return tactic;
  }
}

std::vector<Pair> MakePairs(const Corpus& corpus, size_t count, size_t theorems, uint64_t seed) {
  Random random(seed);
  std::vector<size_t> chosen(corpus.theorems.size());
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  std::ranges::shuffle(chosen, random);
  chosen.resize(std::min(chosen.size(), theorems));
  std::vector<Pair> pairs;
  for (size_t i = 0; i < count; ++i) {
    const size_t theorem = AnyOf(chosen, random);
    const Theorem& in = corpus.theorems[theorem];
    std::string tactics = AnyOf(in.steps, random);
    const std::string& tactic = AnyOf(corpus.tactics, random);
    tactics += Varied(tactic, random);
    pairs.push_back({theorem, core::Indented(tactics, in.column)});
  }
  std::ranges::stable_sort(pairs, {}, &Pair::theorem);
  return pairs;
}

lean::StateQuery QueryOf(const Theorem& theorem, std::string tactics, core::Duration limit) {
  lean::StateQuery query;
  query.hole.text = theorem.before + std::string(theorem.column, ' ') + "sorry\n";
  query.hole.byte = theorem.before.size() + theorem.column;
  query.goals_at = lean::GoalPlaces(tactics);
  query.tactics = std::move(tactics);
  query.limit = limit;
  return query;
}

/// What a run said, for comparison with another run of the same tactics; empty if it was cut off.
std::string Said(const lean::StateRun& run) {
  if (run.cut()) return "";
  std::string said;
  for (const std::string& goal : run.goals) said += lean::Normalized(goal) + "\n";
  const lean::Diagnostic* error = run.FirstError();
  if (error != nullptr) said += lean::Normalized(error->message) + "\n";
  return said + (run.has_sorry ? "sorry" : "") + (run.has_holes ? "holes" : "") + ".";
}

struct Counts {
  size_t runs = 0;
  size_t cut = 0;
  size_t failed = 0;      // no answer
  size_t with_error = 0;  // of the runs
  size_t compared = 0;
  size_t differences = 0;
  size_t faults = 0;
  size_t at_once = 0;                        // of the pairs, those run with another in one hole
  std::map<std::string, size_t> not_opened;  // by theorem

  json ToJson() const {
    return {{"runs", runs},
            {"cut", cut},
            {"failed", failed},
            {"with_error", with_error},
            {"compared", compared},
            {"differences", differences},
            {"faults", faults},
            {"at_once", at_once},
            {"not_opened", not_opened}};
  }
};

/// Pairs of one theorem after another, or two of them at a time; two theorems at a time.
class Bench {
 public:
  Bench(core::Executor executor, lean::Toolchain toolchain, Corpus corpus, std::vector<Pair> pairs)
      : executor_(std::move(executor)),
        toolchain_(std::move(toolchain)),
        corpus_(std::move(corpus)),
        pairs_(std::move(pairs)) {}

  core::Task<json> Agreement() {
    lean::PoolOptions options;
    options.workers = 2;
    options.worker.skip_kernel = true;
    lean::Pool pool(executor_, toolchain_, options);
    some_in_twos_ = true;
    co_return co_await Measured(2, [this, &pool](lean::StateServer& server, const Pair& pair) {
      return Compare(server, pool, pair);
    });
  }

  core::Task<json> Memory() {
    co_return co_await Measured(1, [this](lean::StateServer& server, const Pair& pair) {
      return Run(server, pair, kLimit);
    });
  }

  core::Task<json> Faults(uint64_t seed) {
    const auto measured = co_await Measured(
        2, [this](lean::StateServer& server, const Pair& pair) { return Remember(server, pair); });
    json both{{"without", measured}};
    counts_ = Counts();
    Random random(seed);
    both["with"] =
        co_await Measured(2, [this, &random](lean::StateServer& server, const Pair& pair) {
          return RunWithFaults(server, pair, random);
        });
    co_return both;
  }

 private:
  using Each = std::function<core::Task<void>(lean::StateServer&, const Pair&)>;

  /// With as many runs at a time as a search has with so many workers.
  core::Task<json> Measured(size_t workers, Each each) {
    lean::StateServerOptions options = lean::ForSearch(workers);
    options.shares_holes = false;
    options.grace = std::chrono::seconds(1);
    auto server = co_await lean::StateServer::Start(executor_, toolchain_, options);
    if (!server) co_return json{{"error", server.error().message}};
    const auto started = core::Clock::now();
    size_t next = 0;
    core::TaskGroup lanes(executor_);
    for (size_t i = 0; i < 2; ++i) lanes.Spawn(Lane(**server, each, next));
    co_await lanes.Join();
    json measured = counts_.ToJson();
    measured["seconds"] = core::Seconds(core::Clock::now() - started);
    measured["tactics"] = (*server)->stats().tactics;
    measured["elaborated"] = (*server)->stats().elaborated;
    measured["processes_started"] = (*server)->stats().started;
    measured["most_resident_mb"] =
        static_cast<double>((*server)->stats().most_resident_bytes) / 1e6;
    co_return measured;
  }

  core::Task<void> Lane(lean::StateServer& server, const Each& each, size_t& next) {
    while (next < pairs_.size()) {
      const size_t begin = next;
      while (next < pairs_.size() && pairs_[next].theorem == pairs_[begin].theorem) ++next;
      const size_t end = next;
      const bool in_twos = some_in_twos_ && pairs_[begin].theorem % 2 == 0;
      for (size_t i = begin; i < end;) {
        core::TaskGroup at_once(executor_);
        const size_t last = std::min(end, i + (in_twos ? 2 : 1));
        if (last - i == 2) counts_.at_once += 2;
        for (; i < last; ++i) {
          at_once.Spawn(each(server, pairs_[i]));
          ++done_;
        }
        co_await at_once.Join();
        if (done_ / 500 > said_done_) {
          said_done_ = done_ / 500;
          std::fprintf(stderr, "%zu runs, at most %.0f MB\n", done_,
                       static_cast<double>(server.stats().most_resident_bytes) / 1e6);
        }
      }
    }
  }

  core::Task<std::optional<lean::StateRun>> Answer(lean::StateServer& server, const Pair& pair,
                                                   core::Duration limit) {
    const Theorem& theorem = corpus_.theorems[pair.theorem];
    auto run = co_await server.Run(QueryOf(theorem, pair.tactics, limit));
    ++counts_.runs;
    if (run) {
      counts_.cut += run->cut() ? 1 : 0;
      counts_.with_error += run->FirstError() != nullptr ? 1 : 0;
      co_return std::move(*run);
    }
    if (run.error().code == core::ErrorCode::kInput) {
      ++counts_.not_opened[theorem.name + ": " + run.error().message];
    } else {
      ++counts_.failed;
      std::fprintf(stderr, "%s: %s\n", theorem.name.c_str(), run.error().message.c_str());
    }
    co_return std::nullopt;
  }

  core::Task<void> Run(lean::StateServer& server, const Pair& pair, core::Duration limit) {
    co_await Answer(server, pair, limit);
  }

  core::Task<void> Compare(lean::StateServer& server, lean::Pool& pool, const Pair& pair) {
    const auto run = co_await Answer(server, pair, kLimit);
    if (!run || run->cut() || run->steps.empty()) co_return;
    const Theorem& theorem = corpus_.theorems[pair.theorem];
    const lean::StateComparison comparison(theorem.before, pair.tactics, *run);
    lean::CheckRequest request = comparison.request();
    request.deadline = core::Deadline::After(std::chrono::minutes(20));
    request.limit = 3 * kLimit;
    const auto checked = co_await pool.Check(std::move(request));
    if (!checked || checked->status == lean::CheckStatus::kStalled) {
      ++counts_.cut;  // by Lean, at three times the limit
      co_return;
    }
    ++counts_.compared;
    const std::string difference = comparison.Difference(*checked);
    if (difference.empty()) co_return;
    ++counts_.differences;
    std::fprintf(stderr, "=== %s differs in %s\n%s\n--- states: %s\n", theorem.name.c_str(),
                 difference.c_str(), pair.tactics.c_str(), Said(*run).c_str());
    for (const lean::Diagnostic& d : checked->diagnostics) {
      std::fprintf(stderr, "--- Lean, %u:%u: %s\n", d.begin.line, d.begin.character,
                   d.message.c_str());
    }
  }

  core::Task<void> Remember(lean::StateServer& server, const Pair& pair) {
    const auto run = co_await Answer(server, pair, kLimitWithFaults);
    said_.emplace(&pair, run ? Said(*run) : "");
  }

  /// In 2 % of the runs, a process is killed or stopped meanwhile, or a tactic takes more memory
  /// than it may have, one after the other: the server gives up a run whose second process dies,
  /// too. Each run must say what it said without.
  core::Task<void> RunWithFaults(lean::StateServer& server, const Pair& pair, Random& random) {
    if (static_cast<double>(random() % 10'000) < kFaults * 10'000) ++owed_;
    const size_t kind = random() % 3;
    const size_t victim = random();
    core::TaskGroup fault(executor_);
    const size_t number = ++begun_;
    under_way_.insert(number);
    const bool strikes = owed_ > 0 && *under_way_.begin() > struck_;
    if (strikes) {
      --owed_;
      struck_ = number;
      ++counts_.faults;
      if (kind < 2) {
        fault.Spawn(Strike(server, victim, kind == 0 ? SIGKILL : SIGSTOP));
      } else {
        co_await Feed(server, pair);
      }
    }
    const auto run = co_await Answer(server, pair, kLimitWithFaults);
    co_await fault.Join();
    if (strikes) struck_ = begun_;
    under_way_.erase(number);
    const std::string before = said_.at(&pair);
    const std::string after = run ? Said(*run) : "";
    if (before.empty() || (run && run->cut())) co_return;
    ++counts_.compared;
    if (before == after) co_return;
    ++counts_.differences;
    std::fprintf(stderr, "=== %s\n%s--- said:\n%s\n--- and now:\n%s\n",
                 corpus_.theorems[pair.theorem].name.c_str(), pair.tactics.c_str(), before.c_str(),
                 after.c_str());
  }

  core::Task<void> Strike(lean::StateServer& server, size_t victim, int signal) {
    core::Signal never(executor_);
    co_await never.Wait(core::Deadline::After(std::chrono::milliseconds(victim % 7)));
    const auto pids = server.pids();
    if (!pids.empty()) ::kill(pids[victim % pids.size()], signal);
  }

  core::Task<void> Feed(lean::StateServer& server, const Pair& pair) {
    const Theorem& theorem = corpus_.theorems[pair.theorem];
    co_await server.Run(
        QueryOf(theorem, core::Indented(kHungry, theorem.column), kLimitWithFaults));
  }

  const core::Executor executor_;
  const lean::Toolchain toolchain_;
  const Corpus corpus_;
  const std::vector<Pair> pairs_;
  Counts counts_;
  std::map<const Pair*, std::string> said_;
  bool some_in_twos_ = false;  // the pairs of every second theorem are run two at a time
  size_t done_ = 0;
  size_t said_done_ = 0;
  size_t owed_ = 0;             // faults
  size_t begun_ = 0;            // runs with faults
  std::set<size_t> under_way_;  // of these, by number
  size_t struck_ = 0;           // those up to this number may have met the last fault
};

/// Runs the same tactics, none of them known, one at a time and two at a time in one process, in
/// turns; the shortest time of each counts.
class ThreadsBench {
 public:
  explicit ThreadsBench(core::Executor executor) : executor_(std::move(executor)) {}

  core::Task<json> Measure(lean::Toolchain toolchain) {
    auto server =
        co_await lean::StateServer::Start(executor_, std::move(toolchain), lean::ForSearch(2));
    if (!server) co_return json{{"error", server.error().message}};
    server_ = std::move(*server);
    co_await Seconds(1);
    double one = 0, two = 0;
    for (const Kind& kind : kKinds) {
      kind_ = &kind;
      double best_of_one = kNever, best_of_two = kNever;
      for (size_t round = 0; round < kRounds; ++round) {
        best_of_one = std::min(best_of_one, co_await Seconds(1));
        best_of_two = std::min(best_of_two, co_await Seconds(2));
      }
      std::fprintf(stderr, "%s: %.2f s, two at a time %.2f s\n", kind.tactic, best_of_one,
                   best_of_two);
      one += best_of_one;
      two += best_of_two;
    }
    json measured;
    if (failed_ > 0 || server_->stats().started > 1) {
      measured["error"] = "a run failed";
    } else {
      measured["two_threads"] = one / two;
    }
    server_->Close();
    co_await server_->Join();
    co_return measured;
  }

 private:
  struct Kind {
    const char* tactic;
    size_t runs;
  };
  static constexpr Kind kKinds[] = {{"constructor <;> first | omega | simp", 100},
                                    {"grind", 60},
                                    {"simp <;> omega", 100},
                                    {"rcases l with _ | ⟨a, l⟩ <;> simp at * <;> omega", 60}};
  static constexpr size_t kRounds = 5;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  core::Task<double> Seconds(size_t lanes) {
    left_ = kind_->runs;
    const auto begun = core::Clock::now();
    core::TaskGroup group(executor_);
    for (size_t i = 0; i < lanes; ++i) group.Spawn(Lane());
    co_await group.Join();
    co_return core::Seconds(core::Clock::now() - begun);
  }

  core::Task<void> Lane() {
    while (left_ > 0) {
      --left_;
      co_await Run(++number_);
    }
  }

  /// A tactic with a number, so that it is not known.
  core::Task<void> Run(size_t number) {
    static const std::string kGoal = "x + 1 ≤ y ∧ (l ++ []).length = l.length";
    const std::string before =
        "theorem one (x y : Nat) (h : x < y) (l : List Nat) : " + kGoal + " := by\n";
    lean::StateQuery query;
    query.hole = {.text = before + "  sorry\n", .byte = before.size() + 2};
    query.tactics =
        "  have h" + std::to_string(number) + " : " + kGoal + " := by\n    " + kind_->tactic + "\n";
    const auto run = co_await server_->Run(std::move(query));
    const bool ran = run && run->steps.size() == 1 && run->steps.front().elaborated;
    if (!ran || run->FirstError() != nullptr) ++failed_;
  }

  const core::Executor executor_;
  std::unique_ptr<lean::StateServer> server_;
  const Kind* kind_ = &kKinds[0];
  size_t left_ = 0;
  size_t number_ = 0;
  size_t failed_ = 0;
};

core::Task<int> Main(std::string mode, std::string lean, uint64_t seed, size_t count,
                     std::vector<std::string> files) {
  lean::ToolchainRequest request;
  request.lean = lean;
  auto toolchain = co_await lean::FindToolchain(std::move(request),
                                                core::Deadline::After(std::chrono::seconds(60)));
  if (!toolchain) {
    std::fprintf(stderr, "%s\n", toolchain.error().message.c_str());
    co_return 3;
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  if (mode == "threads") {
    ThreadsBench threads(executor);
    json measured;
    measured["threads"] = co_await threads.Measure(std::move(*toolchain));
    std::printf("%s\n", measured.dump().c_str());
    co_return 0;
  }
  Corpus corpus = ReadCorpus(files);
  if (corpus.theorems.empty()) {
    std::fprintf(stderr, "there is no theorem with tactics in these files\n");
    co_return 3;
  }
  const size_t theorems = mode == "agreement" ? corpus.theorems.size() : kFewTheorems;
  std::vector<Pair> pairs = MakePairs(corpus, count, theorems, seed);
  json measured{{"theorems", std::min(theorems, corpus.theorems.size())},
                {"tactics_of_corpus", corpus.tactics.size()}};
  for (const char* word : {":= by", "case ", "<;>", "first", "conv", "calc", "set_option"}) {
    measured["with"][word] = std::ranges::count_if(
        pairs, [&](const Pair& pair) { return pair.tactics.find(word) != std::string::npos; });
  }
  Bench bench(executor, std::move(*toolchain), std::move(corpus), std::move(pairs));
  if (mode == "agreement") measured["agreement"] = co_await bench.Agreement();
  if (mode == "memory") measured["memory"] = co_await bench.Memory();
  if (mode == "faults") measured["faults"] = co_await bench.Faults(seed);
  std::printf("%s\n", measured.dump().c_str());
  co_return 0;
}

}  // namespace
}  // namespace zermelo

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr,
                 "usage: states_bench agreement|memory|faults|threads LEAN SEED COUNT FILE...\n");
    return 2;
  }
  boost::asio::io_context io;
  return zermelo::core::RunToEnd(
      io, zermelo::Main(argv[1], argv[2], std::stoull(argv[3]), std::stoul(argv[4]),
                        std::vector<std::string>(argv + 5, argv + argc)));
}
