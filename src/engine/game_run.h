// For tests only: a recorded job on fake_lean.py's game, with models that answer from a function of
// their request, in a process of its own that can be killed at any moment.
#pragma once

#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include "core/testing.h"
#include "engine/answer_json.h"
#include "engine/recorded_checker.h"
#include "engine/recorded_model.h"
#include "engine/run_journal.h"
#include "lean/fake_lean.h"
#include "lean/pool.h"
#include "llm/fake_model.h"
#include "policy/completion.h"
#include "search/random.h"
#include "strategy/best_first/best_first.h"
#include "strategy/rmaxts/rmaxts.h"
#include "strategy/sg_mdp/sg_mdp.h"
#include "strategy/whole_proof/whole_proof.h"

namespace zermelo::engine::testing {

using core::Result;
using core::Task;

/// A seed of its own for every call.
inline llm::Request Ask(std::string prompt, int n, uint64_t seed) {
  llm::Request request;
  request.prompt = std::move(prompt);
  request.sampling.n = n;
  request.sampling.seed = seed;
  return request;
}

/// Answers after up to two milliseconds and writes down what it was asked before it does.
class GameModel : public llm::Model {
 public:
  explicit GameModel(std::filesystem::path log) : log_(std::move(log)) {}

  const std::string& name() const override { return name_; }

  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext) override {
    std::ofstream(log_, std::ios::app) << llm::DescribeCall(name_, "", request).key + "\n";
    const std::string prompt = std::get<std::string>(request.prompt);
    uint64_t draw = search::Mix(*request.sampling.seed, std::stoull(Fingerprint(prompt), {}, 16));
    core::Signal never(co_await boost::asio::this_coro::executor);
    co_await never.Wait(core::Deadline::After(std::chrono::microseconds(draw % 2000)));
    std::vector<std::string> texts;
    for (int i = 0; i < request.sampling.n; ++i) {
      draw = search::Mix(draw, static_cast<uint64_t>(i));
      texts.push_back(prompt.starts_with("prove") ? Proof(draw) : Tactic(draw));
    }
    co_return llm::testing::Answer(texts);
  }

 private:
  static std::string Tactic(uint64_t draw) {
    static constexpr std::array kTactics{"dec", "nonsense", "sub 2", "zero", "sub 3", "fail"};
    return kTactics.at(draw % kTactics.size());
  }
  static std::string Proof(uint64_t draw) {
    std::string proof;
    for (int left = 5; left > 0;) {
      const int step = 1 + static_cast<int>(draw % 4);
      proof += fmt::format("sub {}\n", step);
      left -= step;  // below 0: Lean will refuse it
      draw = search::Mix(draw, 1);
    }
    return proof + "zero";
  }

  const std::string name_ = "game";
  const std::filesystem::path log_;
};

class GameSteps : public policy::Policy {
 public:
  explicit GameSteps(llm::Model& model) : model_(model) {}
  Task<Result<policy::Proposal>> Propose(policy::StepContext context, size_t n,
                                         llm::CallContext call) override {
    auto request = Ask(context.theorem.state, static_cast<int>(std::min<size_t>(n, 4)), seed_++);
    const auto reply = co_await model_.Generate(std::move(request), std::move(call));
    if (!reply) co_return core::Fail(reply.error());
    policy::Proposal proposal;
    for (const auto& completion : reply->completions) {
      policy::Candidate candidate;
      candidate.tactic = completion.text;
      proposal.candidates.push_back(std::move(candidate));
    }
    co_return proposal;
  }

 private:
  llm::Model& model_;
  uint64_t seed_ = 100;
};

class GameProofs : public policy::CompletionPolicy {
 public:
  explicit GameProofs(llm::Model& model) : model_(model) {}
  Task<Result<policy::Samples>> Complete(llm::PromptInput, size_t n,
                                         llm::CallContext call) override {
    auto request = Ask("prove", static_cast<int>(n), seed_++);
    const auto reply = co_await model_.Generate(std::move(request), std::move(call));
    if (!reply) co_return core::Fail(reply.error());
    policy::Samples samples;
    for (const auto& completion : reply->completions) samples.samples.push_back(Read(completion));
    co_return samples;
  }

 private:
  static policy::Sample Read(const llm::Completion& completion) {
    policy::ReplyProof proof;
    proof.tactics = completion.text;
    return {.proof = std::move(proof), .reply = completion.text};
  }

  llm::Model& model_;
  uint64_t seed_ = 1000;
};

struct GameJob;
Task<void> PlayGame(const GameJob& job, lean::Checker& checker, llm::Model& model,
                    strategy::Journal& journal, strategy::Limits limits, std::string& result);

struct GameJob {
  using Play = decltype(&PlayGame);
  using MakeModel = std::unique_ptr<llm::Model> (*)(const std::filesystem::path& log);
  std::filesystem::path folder;  // for its files: runs.db, asked, documents
  size_t lanes = 1;
  size_t samples = 24;
  Play play = PlayGame;
  MakeModel make_model = [](const std::filesystem::path& log) -> std::unique_ptr<llm::Model> {
    return std::make_unique<GameModel>(log);
  };

  std::filesystem::path database() const { return folder / "runs.db"; }
  std::filesystem::path asked() const { return folder / "asked"; }
};

/// What came out, as text.
inline std::string Describe(const Result<strategy::Outcome>& outcome) {
  if (!outcome) return outcome.error().message;
  return fmt::format("{} {} {} {} {};", outcome->samples, outcome->checks, outcome->nodes,
                     outcome->reason, fmt::join(outcome->proofs, "|"));
}

/// A search that finds no proof in its depth, then whole proofs, then both kinds of tree search,
/// until the samples are used up.
inline Task<void> PlayGame(const GameJob& job, lean::Checker& checker, llm::Model& model,
                           strategy::Journal&, strategy::Limits limits, std::string& result) {
  GameSteps steps(model);
  GameProofs proofs(model);
  const strategy::Problem hard{
      .site = lean::testing::GameSite(9), .goals = {"n : Nat\n⊢ 9"}, .context = {}};
  const strategy::Problem easy{
      .site = lean::testing::GameSite(5), .goals = {"n : Nat\n⊢ 5"}, .context = {}};
  const strategy::Environment all{
      .checker = checker, .steps = &steps, .completions = &proofs, .all = true};
  strategy::BestFirstParameters shallow;
  shallow.max_depth = 3;
  strategy::WholeProofParameters sampling;
  sampling.samples = job.samples;
  sampling.calls = job.lanes;
  strategy::SgMdpParameters conjecturing;
  conjecturing.iterations = 6;
  conjecturing.workers = job.lanes;
  strategy::RmaxtsParameters truncating;
  truncating.generations = 12;
  truncating.workers = job.lanes;
  const strategy::Timebox box(co_await boost::asio::this_coro::executor, limits,
                              std::chrono::seconds(50));
  const auto first = co_await strategy::BestFirst(all, hard, shallow, box.limits());
  const auto second = co_await strategy::WholeProof(all, easy, sampling, limits);
  const auto third = co_await strategy::SgMdp(all, hard, conjecturing, limits);
  const auto fourth = co_await strategy::Rmaxts(all, easy, truncating, limits);
  result = Describe(first) + Describe(second) + Describe(third) + Describe(fourth);
}

/// Runs or resumes run 1 of the job's database; answers what came out, or what went wrong.
inline std::string Execute(const GameJob& job) {
  auto database = store::Database::Open(job.database(), store::Access::kCreate);
  if (!database) return database.error().message;
  store::Runs runs(**database);
  if (!runs.Find(1).value()) {
    if (!runs.Add({})) return "cannot add";
  }
  boost::asio::io_context world;
  std::string result;
  {
    StoredRunRecord record(**database, 1);
    RunJournalOptions options;
    options.tracing = true;
    RunJournal journal(world.get_executor(), &record, options);
    lean::Pool pool(world.get_executor(), lean::testing::FakeToolchain(job.folder),
                    lean::PoolOptions{.workers = std::min<size_t>(job.lanes, 2)});
    const auto game = job.make_model(job.asked());
    RecordedChecker checker(pool, journal);
    const auto model = MakeRecordedModel(*game, journal, "");
    const auto ended = core::testing::Await(
        world, journal.Run(job.play(job, checker, *model, journal, journal.limits(), result)));
    if (!ended) result = "error: " + ended.error().message;
    if (ended && !journal.AppendAfterwards(event::kSearchEnded, {})) result = "cannot end";
  }
  core::testing::RunOut(world);
  return result;
}

/// The same in another process, which is killed after `after`; nothing: it ended before.
inline bool ExecuteAndKill(const GameJob& job, std::chrono::microseconds after) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string result = Execute(job);
    std::ofstream(job.folder / "result") << result;
    ::_exit(0);
  }
  ::usleep(static_cast<useconds_t>(after.count()));
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

}  // namespace zermelo::engine::testing
