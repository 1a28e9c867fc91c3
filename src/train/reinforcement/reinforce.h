// The common parts of the reinforcement learning methods: problems, samples, Lean's verdicts,
// checkpoints.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "train/inputs.h"
#include "train/reinforcement/problems.h"
#include "train/rows.h"
#include "train/settings.h"
#include "train/sft.h"

namespace zermelo::train {

/// Whether each answer is a proof; nullopt if that is not known (Lean crashed, or there was none),
/// so the answer is not a sample. kEnvironment if nothing can be judged any more.
using Judge =
    std::function<core::Result<std::vector<std::optional<bool>>>(const std::vector<Answer>&)>;

struct Rollout {
  size_t problem = 0;  // index
  Row row;             // prompt and answer, or a conversation; what the model wrote is learnt
  std::string text;    // of the answer, or of the conversation
  double reward = 0;
  std::optional<size_t> tool_calls;    // of a conversation; nullopt: an answer
  std::string file;                    // of a conversation: with its proof; empty: it has none
  std::optional<double> known_reward;  // of a sketch: it needs no verdict
};

/// The rollouts of a step (from 0) on the drawn problems, in this order, without rewards; a
/// conversation in which Lean crashed may be missing. kInput: a prompt leaves no room in the
/// context; kEnvironment: nothing can be sampled any more.
using Sampler = std::function<core::Result<std::vector<Rollout>>(
    const ModelAndTokenizer& policy, const std::vector<Problem>& problems,
    const std::vector<size_t>& drawn, const RlSettings& settings, size_t step)>;

/// What a policy learns from.
struct Environment {
  Environment(Judge judge_of_answers) : judge(std::move(judge_of_answers)) {}  // NOLINT(*explicit*)
  Judge judge;
  /// Judges answers while others are written, without waiting for a Lean that is away; null: all
  /// are judged when all are written.
  Judge early_judge;
  Sampler sample;  // null: SampleAnswers (train/reinforcement/rollouts/rollouts.h)
  /// Recorded with the run, which goes on with the same only: the version of `lean`, and the names
  /// of the models that are `judge` and `informal` (if some problem has no words).
  nlohmann::json names = nlohmann::json::object();
};

/// How a model is changed by its rollouts. Holds the policy and everything that learns with it.
class Method {
 public:
  virtual ~Method() = default;
  /// One step (from 0) on rollouts sampled from the current policy; those of one problem are
  /// consecutive. Adds figures to `line`, among them `loss`. An update whose figures are not
  /// finite changes nothing.
  virtual void Learn(std::vector<Rollout> rollouts, size_t step, nlohmann::json& line) = 0;
  /// Everything that must be saved besides the policy.
  virtual NamedTensors State() const = 0;
  virtual bool Restore(const NamedTensors& state) = 0;
  /// Keys of curve.jsonl to draw.
  virtual std::vector<std::string> Shown() const = 0;
};

struct RlFiles {
  std::filesystem::path model;  // the initial model
  std::filesystem::path data;   // problems
  std::filesystem::path out;    // of the run
};

/// As TrainSft. The samples are in rollouts.jsonl: {"step", "problem", "text", "tokens", "reward"}
/// and, of conversations, "tool_calls" and "learnt", the texts that carry the loss (of sketches,
/// too). `recorded`: all settings; `policy`: the model in `files.model`, which `method` changes.
core::Status Reinforce(const RlFiles& files, const RlSettings& settings, nlohmann::json recorded,
                       ModelAndTokenizer& policy, Method& method, const Environment& environment,
                       const OnStep& on_step, const std::atomic<bool>& stop);

}  // namespace zermelo::train
