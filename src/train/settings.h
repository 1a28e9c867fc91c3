// The settings of a training run: defaults, presets of papers, and `--set KEY=VALUE`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "train/optimizer.h"

namespace zermelo::train {

/// Common to all methods. Keys in JSON are the names of the members.
struct RunSettings {
  size_t steps = 1000;
  uint64_t seed = 1;
  size_t micro_batch = 4;             // packs or samples in one forward pass
  size_t checkpoint_every = 100;      // steps
  size_t keep = 2;                    // checkpoints
  std::string precision = "float32";  // or bfloat16, for matrix products
  double learning_rate = 1e-4;
  size_t warmup = 100;                // steps
  std::string schedule = "constant";  // or cosine
  double weight_decay = 0;
  double clip = 1;         // largest norm of the gradients; 0: no limit
  double ema = 0;          // decay of a running mean of the weights; 0: none is kept
  bool recompute = false;  // activations for the gradients, instead of keeping them

  /// Keys that the paper of a preset does not give: no setting, but recorded with them.
  std::vector<std::string> ours;

  OptimizerSettings Optimizer() const;
};

struct SftSettings : RunSettings {
  size_t batch = 16;       // packs in a step
  size_t context = 0;      // tokens in a pack; 0: as many as the model can see
  bool drop_long = false;  // leave rows out that are longer than the context
};

/// Common to the methods of reinforcement learning.
struct RlSettings : RunSettings {
  RlSettings() {
    learning_rate = 5e-6;
    warmup = 0;
    checkpoint_every = 10;
  }
  size_t prompts = 8;     // in a step
  size_t group = 8;       // samples of each prompt
  size_t mini_batch = 0;  // samples in an update of the weights, the last of a step may have fewer;
                          // 0: all of a step
  size_t max_tokens = 512;  // of a sample; with tools, of each answer
  double temperature = 1;
  double check_seconds = 30;  // of Lean for one sample; then its reward is that of a failure
  double patience = 600;      // seconds to wait while Lean judges nothing
  double failure = 0;         // reward of what Lean rejects; what it accepts has 1
  size_t inner_epochs = 1;    // passes over a step's samples
  double clip_low = 0.2, clip_high = 0.2;  // ε
  std::string average = "sequence";        // or token, constant: over what the loss is averaged
  bool tools = false;                      // samples are conversations of the strategy `agent`
  size_t tool_calls = 28;                  // of a conversation
  size_t tool_tokens = 65536;  // of a conversation, prompt and answers of tools included
  double tool_seconds = 600;   // of a conversation or sketch by itself
  bool sketches = false;       // samples are sketches, rewarded by equation 2 of Seed-Prover 1.5
};

struct GrpoSettings : RlSettings {
  double kl_weight = 0.02;          // β
  bool divide_by_deviation = true;  // of the rewards of a group
  bool drop_equal = false;          // leave groups of equal reward out (DAPO)
};

struct VapoSettings : RlSettings {
  VapoSettings() {
    failure = -1;
    clip_high = 0.28;
    average = "token";
  }
  size_t value_steps = 50;  // at first, in which only the critic learns; 0: no value pretraining
  double critic_rate = 2;   // its learning rate over the policy's
  double alpha = 0.05;      // the policy's λ is 1 - 1/(α length); 0: `lambda` for every length
  double lambda = 0.95;     // where it is not adapted to the length
  bool decoupled = true;    // the critic's λ is 1; false: the policy's
  double nll_weight = 0.1;  // of the likelihood of proofs
};

/// Defaults, changed by `KEY=VALUE` texts in order. `paper=dsv15` or `paper=seed15` sets the values
/// that the paper gives, and `ours` has what it leaves open; `variant=dr_grpo` or `variant=dapo`
/// sets what these variants change in GRPO. kUsage: an unknown key (with a suggestion), a value of
/// another type or out of range.
core::Result<SftSettings> ReadSftSettings(const std::vector<std::string>& changes);
core::Result<GrpoSettings> ReadGrpoSettings(const std::vector<std::string>& changes);
core::Result<VapoSettings> ReadVapoSettings(const std::vector<std::string>& changes);

/// For the record of a run.
nlohmann::json ToJson(const SftSettings& settings);
nlohmann::json ToJson(const GrpoSettings& settings);
nlohmann::json ToJson(const VapoSettings& settings);

}  // namespace zermelo::train
