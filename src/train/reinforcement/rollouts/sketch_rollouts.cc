#include "train/reinforcement/rollouts/sketch_rollouts.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <set>

#include "llm/seeding_model.h"
#include "strategy/session.h"
#include "strategy/sketch/draft.h"
#include "train/reinforcement/one_blas_thread.h"
#include "train/reinforcement/rollouts/policy_model.h"
#include "train/reinforcement/rollouts/rollouts.h"
#include "train/reinforcement/run_until_done.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using strategy::sketch::Draft;
using strategy::sketch::Drafter;
using strategy::sketch::DraftTask;

/// The models of other roles; the n-th request with a prompt in a step always has the same seed.
class StepRoles final : public strategy::Roles {
 public:
  explicit StepRoles(strategy::Roles& inner) : inner_(inner) {}

  void Begin(uint64_t seed) {
    if (seed_ == seed) return;
    seed_ = seed;
    seeded_.clear();
  }
  llm::Model* chat(std::string_view role) override {
    llm::Model* const model = inner_.chat(role);
    if (model == nullptr) return nullptr;
    return &seeded_.try_emplace(std::string(role), *model, *seed_).first->second;
  }
  policy::CompletionPolicy* prover(std::string_view role) override { return inner_.prover(role); }

 private:
  strategy::Roles& inner_;
  std::optional<uint64_t> seed_;
  std::map<std::string, llm::SeedingModel> seeded_;  // by role
};

namespace {

strategy::SketchParameters SketchParametersOf(const RlSettings& settings) {
  strategy::SketchParameters sketch;
  sketch.check_seconds = settings.check_seconds;
  return sketch;
}

/// What all sketches of a problem begin with.
struct Subject {
  syntax::Theorem theorem;
  std::string words;  // empty: nobody has written a proof
  bool words_are_given = false;
  std::optional<core::Error> error;
};

/// A sketch in the making. Does not move.
class Sketching {
 public:
  Sketching(size_t problem, const Subject& subject, const PolicyWriter& writer,
            const decoder::Tokenizer& tokenizer, lean::Checker& lean, strategy::Roles& others,
            const RlSettings& settings, uint64_t seed)
      : problem_(problem),
        subject_(subject),
        settings_(settings),
        transcript_(TranscriptOf(writer, tokenizer, settings, seed, [this] { place_->reset(); })),
        lean_(lean),
        roles_(strategy::role::kSketcher, transcript_, &others) {}

  /// `place`: to write in; others may have it while Lean and the judge are asked.
  Task<void> Run(const llm::PromptTemplates& prompts, core::Executor executor,
                 const strategy::Limits& limits, std::unique_ptr<core::Gate::Pass> place) {
    place_ = &place;
    strategy::Services services{.checker = lean_};
    services.roles = &roles_;
    strategy::Session session(services, limits, executor, &prompts);
    const strategy::LemmaStore known(subject_.theorem.taken);
    const strategy::SketchParameters parameters = SketchParametersOf(settings_);
    Drafter drafter(session, subject_.theorem.header, known, parameters);
    DraftTask task{.target = strategy::TargetOf(subject_.theorem), .words = subject_.words};
    task.forbidden.push_back(task.target.key);
    task.min_lemmas = strategy::sketch::kWantedLemmas;
    result_.draft = co_await drafter.Make(std::move(task));
    result_.error = session.error();
    result_.is_written = !transcript_.row().tokens.empty();
    result_.lean_crashed = lean_.crashed();
    result_.ended = session.limits().Ended();
  }

  const std::optional<core::Error>& error() const { return result_.error; }
  /// nullopt: no sample. Errors: those that end a step.
  Result<std::optional<Rollout>> Take() const {
    const auto reward = RewardOf(result_);
    if (!reward) {
      const core::Error& why = reward.error();
      if (why.code != ErrorCode::kTooLong) return Fail(why);
      if (subject_.words_are_given) return Fail(TooLong(problem_, why));
      return std::nullopt;  // others may be shorter
    }
    if (!*reward) return std::nullopt;
    Rollout rollout{.problem = problem_, .row = transcript_.row(), .text = transcript_.Text()};
    rollout.known_reward = **reward;
    return rollout;
  }

 private:
  const size_t problem_;  // index
  const Subject& subject_;
  const RlSettings& settings_;
  std::unique_ptr<core::Gate::Pass>* place_ = nullptr;  // Run's
  Transcript transcript_;
  WatchedLean lean_;
  PolicyRole roles_;
  SketchResult result_;
};

Task<void> WriteWords(Subject& subject, lean::Checker& lean, strategy::Roles& roles,
                      const llm::PromptTemplates& prompts, const RlSettings& settings,
                      core::Executor executor) {
  if (subject.words_are_given) co_return;
  strategy::Services services{.checker = lean};
  services.roles = &roles;
  const strategy::Limits unlimited;
  const strategy::Timebox time(executor, unlimited, core::FromSeconds(settings.tool_seconds));
  strategy::Session session(services, time.limits(), executor, &prompts);
  const strategy::LemmaStore known(subject.theorem.taken);
  const strategy::SketchParameters parameters = SketchParametersOf(settings);
  Drafter drafter(session, subject.theorem.header, known, parameters);
  subject.words = co_await drafter.ProofInWords(strategy::TargetOf(subject.theorem).head, "");
  subject.error = session.error();
}

/// kUsage: nobody can judge, or write the proofs in words that the data does not have.
core::Status CheckRoles(const std::vector<Problem>& problems, strategy::Roles& roles) {
  const bool all_words = std::ranges::none_of(problems, &std::string::empty, &Problem::words);
  std::string_view missing;
  if (!all_words && roles.chat(strategy::role::kInformal) == nullptr) {
    missing = strategy::role::kInformal;
  }
  if (roles.chat(strategy::role::kJudge) == nullptr) missing = strategy::role::kJudge;
  if (missing.empty()) return {};
  return Fail(
      ErrorCode::kUsage, fmt::format("sketches need a chat model as {}", missing),
      fmt::format("name one of zermelo.toml with --judge NAME, or under [roles] as {}", missing));
}

/// Why no sketch has a reward.
core::Error NoSample(const std::map<size_t, Subject>& subjects,
                     const std::deque<Sketching>& sketches) {
  std::string why = sketches.empty() ? "there is no proof in words"
                                     : "neither Lean nor the judge has said what it needs";
  for (const auto& [problem, subject] : subjects) {
    if (subject.error) why = subject.error->message;
  }
  for (const Sketching& sketch : sketches) {
    if (sketch.error()) why = sketch.error()->message;
  }
  return {ErrorCode::kEnvironment, "no sketch of a step has a reward: " + why, ""};
}

}  // namespace

Result<std::optional<double>> RewardOf(const SketchResult& result) {
  const Draft& draft = result.draft;
  const ErrorCode error = result.error ? result.error->code : ErrorCode::kInternal;
  const bool no_room = error == ErrorCode::kTooLong && !result.is_written;  // for the policy
  if (error == ErrorCode::kUsage || no_room) return Fail(*result.error);
  if (!result.is_written || (result.ended && !draft.plan)) return std::nullopt;
  const bool incomplete = result.ended || result.error.has_value();
  const bool checked = draft.structure >= 0 || !(incomplete || result.lean_crashed);
  const bool missing = incomplete || !checked || draft.unjudged;
  if (missing && draft.BestReward(checked) > 0) return std::nullopt;
  return draft.Reward();
}

SketchRollouts::SketchRollouts(boost::asio::io_context& io, lean::Checker& lean,
                               strategy::Roles& others, WriterOf writer)
    : io_(io),
      lean_(lean),
      writer_of_(std::move(writer)),
      others_(std::make_shared<StepRoles>(others)) {}

Result<std::vector<Rollout>> SketchRollouts::operator()(const ModelAndTokenizer& policy,
                                                        const std::vector<Problem>& problems,
                                                        const std::vector<size_t>& drawn,
                                                        const RlSettings& settings,
                                                        size_t step) const {
  others_->Begin(MixedSeed(settings.seed, step, 0) >> 33U);  // servers read 31 bits, some signed
  if (auto complete = CheckRoles(problems, *others_); !complete) return Fail(complete.error());
  const auto prompts = llm::PromptTemplates::Load(llm::PromptFolder() / "sketch");
  if (!prompts) return Fail(prompts.error());
  const core::Executor executor = io_.get_executor();
  const auto writer = writer_of_(policy);
  if (!writer) return Fail(writer.error());
  std::map<size_t, Subject> subjects;  // by problem
  for (const size_t problem : drawn) {
    auto theorem = TheoremOf(problems[problem]);
    if (!theorem) return Fail(theorem.error());
    const std::string& words = problems[problem].words;
    subjects[problem] = {*std::move(theorem), words, !words.empty(), {}};
  }
  const OneBlasThread one;
  core::Gate places(executor, writer->at_once.value_or(drawn.size() * settings.group));
  std::deque<Sketching> all;
  const auto run = [&]() -> Task<bool> {
    core::TaskGroup words(executor);
    for (auto& [problem, subject] : subjects) {
      words.Spawn(WriteWords(subject, lean_, *others_, *prompts, settings, executor));
    }
    co_await words.Join();
    for (size_t i = 0; i < drawn.size(); ++i) {
      const Subject& subject = subjects.at(drawn[i]);
      const uint64_t seed = MixedSeed(settings.seed, step, i + 1);
      for (size_t member = 0; member < settings.group && !subject.words.empty(); ++member) {
        all.emplace_back(drawn[i], subject, *writer, policy.tokenizer, lean_, *others_, settings,
                         MixedSeed(seed, 0, member));
      }
    }
    core::TaskGroup sketches(executor);
    for (Sketching& sketching : all) {
      sketches.Spawn(DoInPlace(places, executor, settings.tool_seconds,
                               [&](const strategy::Limits& limits, auto place) {
                                 return sketching.Run(*prompts, executor, limits, std::move(place));
                               }));
    }
    co_await sketches.Join();
    co_return true;
  };
  RunUntilDone(io_, run());
  for (const auto& [problem, subject] : subjects) {
    if (subject.error && subject.error->code == ErrorCode::kUsage) return Fail(*subject.error);
  }
  std::vector<Rollout> rollouts;
  for (const Sketching& sketching : all) {
    auto rollout = sketching.Take();
    if (!rollout) return Fail(rollout.error());
    if (*rollout) rollouts.push_back(**std::move(rollout));
  }
  if (rollouts.empty()) return Fail(NoSample(subjects, all));
  return rollouts;
}

}  // namespace zermelo::train
