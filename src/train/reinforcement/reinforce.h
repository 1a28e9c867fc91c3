// The common parts of the reinforcement learning methods: problems, samples, Lean's verdicts,
// checkpoints.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
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
  Row row;             // prompt and answer; the answer is learnt
  std::string text;    // of the answer
  double reward = 0;
};

/// How a model is changed by its rollouts. Holds the policy and everything that learns with it.
class Method {
 public:
  virtual ~Method() = default;
  /// One step (from 0) on rollouts sampled from the current policy; those of one problem are
  /// consecutive. Adds figures to `line`, among them `loss`; nothing is changed if that is not
  /// finite.
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

/// As TrainSft. The samples are in rollouts.jsonl: {"step", "problem", "text", "tokens", "reward"}.
/// `recorded`: all settings; `policy`: the model in `files.model`, which `method` changes.
core::Status Reinforce(const RlFiles& files, const RlSettings& settings, nlohmann::json recorded,
                       ModelAndTokenizer& policy, Method& method, const Judge& judge,
                       const OnStep& on_step, const std::atomic<bool>& stop);

}  // namespace zermelo::train
