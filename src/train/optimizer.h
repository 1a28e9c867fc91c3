// AdamW with a learning rate that follows a schedule.
#pragma once

#include <ATen/core/Tensor.h>
#include <string>
#include <vector>

#include "train/model/tensors.h"

namespace zermelo::train {

enum class Schedule { kConstant, kCosine };  // after the warm-up; kCosine falls to a tenth

struct OptimizerSettings {
  double learning_rate = 1e-4;
  size_t warmup = 100;  // steps, over which the rate rises from 0
  Schedule schedule = Schedule::kConstant;
  double beta1 = 0.9, beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double clip = 1;  // largest norm of all gradients together; 0: no limit
};

/// The learning rate of step `step` (from 0) of `steps`.
double LearningRate(const OptimizerSettings& settings, size_t step, size_t steps);

/// AdamW (arXiv 1711.05101) over the parameters that require gradients.
class AdamW {
 public:
  AdamW(const NamedTensors& parameters, OptimizerSettings settings);

  /// One step along the gradients, which are then cleared. Returns their norm before clipping; if
  /// that is not finite, nothing is changed.
  double Step(double learning_rate);

  /// Both moments and the number of steps, by names: "NAME.m", "NAME.v", "steps".
  NamedTensors State() const;
  /// False if `state` is not of these parameters.
  bool Restore(const NamedTensors& state);

 private:
  const OptimizerSettings settings_;
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_, first_, second_;  // by parameter
  std::vector<at::Tensor> steps_;                        // taken, as a tensor for each parameter
};

}  // namespace zermelo::train
