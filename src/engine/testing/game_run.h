// For tests only: a recorded job on fake_lean.py's game, with models whose answers are a function
// of the request. It runs in a process of its own that can be killed at any moment.
#pragma once

#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include "core/hash/hash.h"
#include "core/random.h"
#include "core/testing/testing.h"
#include "engine/recorded_run.h"
#include "lean/pool.h"
#include "lean/testing/fake_lean.h"
#include "llm/testing/fake_model.h"
#include "policy/completion.h"
#include "record/recorded_calls.h"
#include "strategy/best_first/best_first.h"
#include "strategy/hilbert/hilbert.h"
#include "strategy/rmaxts/rmaxts.h"
#include "strategy/sg_mdp/sg_mdp.h"
#include "strategy/testing/scripted_reasoner.h"
#include "strategy/whole_proof/whole_proof.h"

namespace zermelo::engine::testing {

using core::Result;
using core::Task;

/// A request with its own seed.
inline llm::Request Ask(std::string prompt, int n, uint64_t seed) {
  llm::Request request;
  request.prompt = std::move(prompt);
  request.sampling.n = n;
  request.sampling.seed = seed;
  return request;
}

/// Steps down from `number`, sometimes too far, so that Lean rejects the proof.
inline std::string GameProof(int number, uint64_t draw) {
  std::string proof;
  for (int left = number; left > 0;) {
    const int step = 1 + static_cast<int>(draw % 4);
    proof += fmt::format("sub {}\n", step);
    left -= step;
    draw = core::Mix(draw, 1);
  }
  return proof + "zero";
}

/// Answers Hilbert's prompts about the game, occasionally wrongly.
class GameReasoner {
 public:
  GameReasoner(const std::vector<llm::Message>& chat, uint64_t draw) : draw_(draw) {
    for (const llm::Message& message : chat) {
      if (message.role == "user" && first_.empty()) first_ = message.content;
    }
    for (const llm::Message& message : chat) {
      const std::string step = message.content.substr(5, message.content.find('\n') - 5);
      if (message.role == "user" && step != "missing_tag") step_ = step;
    }
    haves_ = Find("have");
    theorems_ = Find("theorem");
  }

  std::string Answer() const {
    if (step_ == "informal_proof") return "<informal_proof>Divide it.</informal_proof>";
    if (step_ == "search_queries" || step_ == "error_queries") {
      return fmt::format("<query>q{}</query>", draw_ % 3);
    }
    if (step_ == "select_premises") return "<theorem>p0</theorem>";
    if (step_.starts_with("judge")) {
      return draw_ % 7 == 0 ? "<reason>no</reason><verdict>NO</verdict>" : "<verdict>YES</verdict>";
    }
    if (draw_ % 11 == 5) return "I have no code.";
    if (step_ == "missing_subgoals") return Theorems(haves_.size());
    if (step_ == "extract_subgoals") return Theorems(haves_.size() - (draw_ % 3 == 0 ? 1 : 0));
    if (step_.starts_with("correct_statement")) return Corrected();
    if (step_ == "assemble" || step_ == "correct_assembly") return Assembly();
    if (step_ == "prove" && draw_ % 3 == 1) return OfGoal("exact nobody_knows");
    if (step_ == "prove" || step_ == "correct_proof") return OfGoal(GameProof(Number(), draw_));
    return Sketch();
  }

 private:
  using Named = std::vector<std::pair<std::string, int>>;

  /// The declarations "theorem t : 5 := by" of the first prompt, in order: name and number.
  Named Find(const std::string& keyword) const {
    Named found;
    for (size_t at = first_.find(keyword + " "); at != std::string::npos;
         at = first_.find(keyword + " ", at + 1)) {
      const size_t name = at + keyword.size() + 1;
      const size_t colon = first_.find(" : ", name);
      if (colon == std::string::npos || first_.find('\n', name) < colon) continue;
      const int number = std::atoi(first_.c_str() + colon + 3);
      if (number > 0) found.emplace_back(first_.substr(name, colon - name), number);
    }
    return found;
  }
  int Number() const { return theorems_.empty() ? 1 : theorems_.back().second; }

  std::string OfGoal(const std::string& tactics) const {
    return strategy::testing::Lean(fmt::format("theorem {} : {} := by\n{}",
                                               theorems_.empty() ? "t" : theorems_.back().first,
                                               Number(), policy::PrefixOf(tactics)));
  }
  std::string Sketch() const {
    const int half = (Number() + 1) / 2;
    return OfGoal(fmt::format("have h1 : {} := by\n  sorry\nhave h2 : {} := by\n  sorry\nuse {}",
                              half, half + static_cast<int>(draw_ % 3),
                              draw_ % 4 == 0 ? "h9" : "h2"));
  }
  std::string Theorems(size_t count) const {
    std::string code;
    for (size_t i = 0; i < count; ++i) {
      const bool wrong = i == 0 && step_ == "extract_subgoals" && draw_ % 3 == 1;
      code += fmt::format("theorem {} : {} := by\n  sorry\n", haves_[i].first,
                          wrong ? "nowhere" : std::to_string(haves_[i].second));
    }
    return strategy::testing::Lean(code);
  }
  /// A theorem that states the goal of the prompt.
  std::string Corrected() const {
    const size_t name = first_.find("theorem ") + 8, goal = first_.find("⊢ ");
    return strategy::testing::Lean(fmt::format(
        "theorem {} : {} := by\n  sorry\n", first_.substr(name, first_.find(" :", name) - name),
        std::atoi(first_.c_str() + goal + sizeof("⊢ ") - 1)));
  }
  std::string Assembly() const {
    std::string tactics;
    for (const auto& [have, number] : haves_) {
      const auto lemma = std::ranges::find(theorems_, number, &Named::value_type::second);
      tactics += fmt::format(
          "have {} : {} := by\n  exact {}\n", have, number,
          lemma == theorems_.end() || (step_ == "assemble" && draw_ % 2 == 1) ? "t" : lemma->first);
    }
    return OfGoal(tactics + "use h2");
  }

  const uint64_t draw_;
  std::string first_, step_;
  Named haves_, theorems_;
};

/// Answers after up to two milliseconds, and logs the key of each request before.
class GameModel : public llm::Model {
 public:
  explicit GameModel(std::filesystem::path log) : log_(std::move(log)) {}

  const std::string& name() const override { return name_; }

  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext) override {
    std::ofstream(log_, std::ios::app)
        << core::HexHash64(record::DescribeCall(name_, "", request)) + "\n";
    const auto* const chat = std::get_if<std::vector<llm::Message>>(&request.prompt);
    const std::string prompt =
        chat != nullptr ? chat->back().content : std::get<std::string>(request.prompt);
    uint64_t draw = core::Mix(*request.sampling.seed, std::stoull(core::HexHash64(prompt), {}, 16));
    core::Signal never(co_await boost::asio::this_coro::executor);
    co_await never.Wait(core::Deadline::After(std::chrono::microseconds(draw % 2000)));
    std::vector<std::string> texts;
    for (int i = 0; i < request.sampling.n; ++i) {
      draw = core::Mix(draw, static_cast<uint64_t>(i));
      if (chat != nullptr) {
        texts.push_back(GameReasoner(*chat, draw).Answer());
      } else if (prompt.starts_with("prove")) {
        texts.push_back(GameProof(prompt == "prove" ? 5 : std::stoi(prompt.substr(6)), draw));
      } else {
        texts.push_back(Tactic(draw));
      }
    }
    co_return llm::testing::Answer(texts);
  }

 private:
  static std::string Tactic(uint64_t draw) {
    static constexpr std::array kTactics{"dec", "nonsense", "sub 2", "zero", "sub 3", "fail"};
    return kTactics.at(draw % kTactics.size());
  }
  const std::string name_ = "game";
  const std::filesystem::path log_;
};

class GameSteps : public policy::Policy {
 public:
  explicit GameSteps(llm::Model& model) : model_(model) {}
  bool wants_library() const override { return true; }
  Task<Result<policy::Proposal>> Propose(policy::StepContext context, size_t n,
                                         llm::CallContext call) override {
    std::string prompt = context.printed;
    for (const std::string& premise : context.premises) prompt += " " + premise;
    for (const retrieve::Premise& rule : context.rules) prompt += " rw " + rule.name;
    auto request = Ask(std::move(prompt), static_cast<int>(std::min<size_t>(n, 4)), seed_++);
    const auto reply = co_await model_.Generate(std::move(request), std::move(call));
    if (!reply) co_return core::Fail(reply.error());
    policy::Proposal proposal;
    proposal.samples = reply->completions.size();
    for (const auto& completion : reply->completions) {
      policy::Candidate candidate;
      candidate.tactic = completion.text;
      candidate.sampled = true;
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
  Task<Result<policy::Samples>> Complete(policy::CompletionInput input, size_t n,
                                         llm::CallContext call) override {
    const size_t colon = input.theorem.head.find(" : ");  // present in Hilbert's statements
    const std::string number = colon == std::string::npos
                                   ? ""
                                   : fmt::format(" {}", std::atoi(&input.theorem.head[colon + 3]));
    auto request = Ask("prove" + number, static_cast<int>(n), seed_++);
    const auto reply = co_await model_.Generate(std::move(request), std::move(call));
    if (!reply) co_return core::Fail(reply.error());
    policy::Samples samples;
    for (const auto& completion : reply->completions) samples.samples.push_back(Read(completion));
    co_return samples;
  }

 private:
  static policy::Sample Read(const llm::Completion& completion) {
    syntax::ExtractedProof proof;
    proof.tactics = completion.text;
    return {.proof = std::move(proof), .reply = completion.text};
  }

  llm::Model& model_;
  uint64_t seed_ = 1000;
};

/// Serves all roles with one model; each call gets its own seed.
class GameRoles : public strategy::Roles, public llm::Model {
 public:
  GameRoles(llm::Model& model, policy::CompletionPolicy& proofs) : model_(model), proofs_(proofs) {}
  llm::Model* chat(std::string_view) override { return this; }
  policy::CompletionPolicy* prover(std::string_view) override { return &proofs_; }
  const std::string& name() const override { return model_.name(); }
  Task<Result<llm::Reply>> Generate(llm::Request request, llm::CallContext call) override {
    request.sampling.seed = seed_++;
    co_return co_await model_.Generate(std::move(request), std::move(call));
  }

 private:
  llm::Model& model_;
  policy::CompletionPolicy& proofs_;
  uint64_t seed_ = 5000;
};

/// The prompts, marked with their steps, in a folder that exists until the program ends.
inline const llm::PromptTemplates& GamePrompts() {
  static const core::TemporaryFolder folder =
      std::move(*core::TemporaryFolder::Create("zermelo-prompts-"));
  static const llm::PromptTemplates prompts = strategy::testing::MarkedPrompts(folder.path());
  return prompts;
}

/// Runs Hilbert on a theorem that no prover proves directly.
inline Task<Result<strategy::SearchResult>> PlayHilbert(const strategy::Services& services,
                                                        size_t lanes, strategy::Limits limits,
                                                        int number = 13,
                                                        size_t initial_proofs = 0) {
  strategy::Problem problem{.site = lean::testing::GameSite(number),
                            .goals = {fmt::format("n : Nat\n⊢ {}", number)},
                            .context = {}};
  problem.context.theorem = syntax::TheoremOf(fmt::format("theorem game : {}", number));
  strategy::HilbertParameters parameters;
  parameters.initial_proofs = initial_proofs;
  parameters.subgoal_proofs = 1;
  parameters.depth = 2;
  parameters.sketch_attempts = 2;
  parameters.sketch_corrections = 2;
  parameters.sketch_refinements = 1;
  parameters.shallow_attempts = 2;
  parameters.shallow_corrections = 1;
  parameters.calls = lanes;
  parameters.parallel = lanes;
  strategy::BestFirstParameters shallow;
  shallow.max_depth = 2;
  strategy::Services free = services;
  free.all = false;
  const auto builtin = [&free, &shallow](const strategy::Problem& goal, strategy::Limits own) {
    return strategy::BestFirst(free, goal, shallow, std::move(own));
  };
  co_return co_await strategy::Hilbert(services, GamePrompts(), builtin, problem, parameters,
                                       limits);
}

/// The components that a job uses.
struct GameServices {
  lean::Checker& checker;
  llm::Model& model;
  retrieve::Retriever& premises;
  record::Journal& journal;
};

struct GameJob;
Task<void> PlayGame(const GameJob& job, const GameServices& with, strategy::Limits limits,
                    std::string& result);

struct GameJob {
  using Play = decltype(&PlayGame);
  using MakeModel = std::unique_ptr<llm::Model> (*)(const std::filesystem::path& log);
  std::filesystem::path folder;  // of its files: runs.db, asked, documents
  size_t lanes = 1;
  size_t samples = 24;
  Play play = PlayGame;
  MakeModel make_model = [](const std::filesystem::path& log) -> std::unique_ptr<llm::Model> {
    return std::make_unique<GameModel>(log);
  };

  std::filesystem::path database() const { return folder / "runs.db"; }
  std::filesystem::path asked() const { return folder / "asked"; }
};

/// A search's result as text.
inline std::string Describe(const Result<strategy::SearchResult>& found) {
  if (!found) return found.error().message;
  return fmt::format("{} {} {} {} {};", found->samples, found->checks, found->nodes, found->reason,
                     fmt::join(found->proofs, "|"));
}

/// Runs a search that finds no proof within its depth, then whole proofs, then both kinds of tree
/// search until the samples are used up, then a decomposition.
inline Task<void> PlayGame(const GameJob& job, const GameServices& with, strategy::Limits limits,
                           std::string& result) {
  lean::Checker& checker = with.checker;
  llm::Model& model = with.model;
  retrieve::Retriever& premises = with.premises;
  GameSteps steps(model);
  GameProofs proofs(model);
  const strategy::Problem hard{
      .site = lean::testing::GameSite(9), .goals = {"n : Nat\n⊢ 9"}, .context = {}};
  const strategy::Problem easy{
      .site = lean::testing::GameSite(5), .goals = {"n : Nat\n⊢ 5"}, .context = {}};
  strategy::Services all{.checker = checker, .steps = &steps, .completions = &proofs, .all = true};
  all.premises = &premises;
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
  GameRoles roles(model, proofs);
  strategy::Services dividing = all;
  dividing.roles = &roles;
  const auto fifth = co_await PlayHilbert(dividing, job.lanes, limits);
  result = Describe(first) + Describe(second) + Describe(third) + Describe(fourth) +
           Describe(fifth) + (fifth ? fifth->progress + fifth->auxiliary : "");
}

/// Runs or resumes run 1 of the job's database; returns the results or the error as text.
inline std::string Execute(const GameJob& job) {
  auto database = store::Database::Open(job.database(), store::Access::kCreate);
  if (!database) return database.error().message;
  store::Runs runs(**database);
  if (!runs.Find(1).value()) {
    if (!runs.Add({})) return "cannot add";
  }
  boost::asio::io_context host;
  std::string result;
  {
    record::StoredRunRecord events(**database, 1);
    record::RunJournalOptions options;
    options.tracing = true;
    record::RunJournal journal(host.get_executor(), &events, options);
    lean::Pool pool(host.get_executor(), lean::testing::FakeToolchain(job.folder),
                    lean::PoolOptions{.workers = std::min<size_t>(job.lanes, 2)});
    const auto game = job.make_model(job.asked());
    const auto checker = record::MakeRecorded(pool, journal);
    const auto model = record::MakeRecorded(*game, journal, "");
    strategy::testing::ScriptedRetriever library;
    library.answers["q0"] = {"p0", "p1"};
    library.answers["q1"] = {"p2"};
    const auto premises = record::MakeRecorded(library, journal);
    const GameServices with{
        .checker = *checker, .model = *model, .premises = *premises, .journal = journal};
    const auto ended =
        core::testing::Await(host, journal.Run(job.play(job, with, LimitsOf(journal), result)));
    if (!ended) result = "error: " + ended.error().message;
    if (ended && !journal.AppendAfterwards(event::kSearchEnded, {})) result = "cannot end";
  }
  core::testing::RunOut(host);
  return result;
}

/// Executes the job in another process and kills it after `after`. False if it ended before.
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
