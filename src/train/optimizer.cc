#include "train/optimizer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <cmath>
#include <numbers>

namespace zermelo::train {

double LearningRate(const OptimizerSettings& settings, size_t step, size_t steps) {
  if (step < settings.warmup) {
    return settings.learning_rate * static_cast<double>(step + 1) /
           static_cast<double>(settings.warmup);
  }
  if (settings.schedule == Schedule::kConstant || steps <= settings.warmup)
    return settings.learning_rate;
  constexpr double kLowest = 0.1;
  const double done =
      static_cast<double>(step - settings.warmup) / static_cast<double>(steps - settings.warmup);
  const double height = (1 + std::cos(std::numbers::pi * std::min(1.0, done))) / 2;
  return settings.learning_rate * (kLowest + (1 - kLowest) * height);
}

AdamW::AdamW(const NamedTensors& parameters, OptimizerSettings settings) : settings_(settings) {
  for (const auto& [name, tensor] : parameters) {
    names_.push_back(name);
    parameters_.push_back(tensor);
    first_.push_back(at::zeros_like(tensor.detach()));
    second_.push_back(at::zeros_like(tensor.detach()));
    steps_.push_back(at::zeros({}, at::kFloat));
  }
}

double AdamW::Step(double learning_rate) {
  const c10::NoGradGuard no_gradients;
  std::vector<at::Tensor> used, gradients, first, second, steps;
  double squares = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    used.push_back(parameters_[i]);
    gradients.push_back(parameters_[i].grad());
    first.push_back(first_[i]);
    second.push_back(second_[i]);
    steps.push_back(steps_[i]);
    squares += gradients.back().square().sum().item<double>();
  }
  const double norm = std::sqrt(squares);
  if (std::isfinite(norm) && !used.empty()) {
    if (settings_.clip > 0 && norm > settings_.clip) {
      for (at::Tensor& gradient : gradients) gradient.mul_(settings_.clip / norm);
    }
    // The kernel reads the number of this step.
    for (at::Tensor& step : steps) step.add_(1);
    at::_fused_adamw_(used, gradients, first, second, {}, steps, learning_rate, settings_.beta1,
                      settings_.beta2, settings_.weight_decay, settings_.epsilon, /*amsgrad=*/false,
                      /*maximize=*/false);
  }
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  return norm;
}

NamedTensors AdamW::State() const {
  NamedTensors state;
  for (size_t i = 0; i < names_.size(); ++i) {
    state[names_[i] + ".m"] = first_[i];
    state[names_[i] + ".v"] = second_[i];
    state[names_[i] + ".steps"] = steps_[i].view({1});
  }
  return state;
}

bool AdamW::Restore(const NamedTensors& state) {
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto first = state.find(names_[i] + ".m");
    const auto second = state.find(names_[i] + ".v");
    const auto steps = state.find(names_[i] + ".steps");
    if (first == state.end() || second == state.end() || steps == state.end()) return false;
    if (first->second.sizes() != first_[i].sizes() || second->second.sizes() != first_[i].sizes() ||
        steps->second.numel() != 1) {
      return false;
    }
    first_[i].copy_(first->second);
    second_[i].copy_(second->second);
    steps_[i].fill_(steps->second.item<double>());
  }
  return state.size() == 3 * names_.size();
}

}  // namespace zermelo::train
