// The running mean of a model's weights, which is often the better model (Polyak averaging; as an
// exponential moving average).
#pragma once

#include <optional>

#include "train/model/transformer.h"

namespace zermelo::train {

class RunningAverage {
 public:
  /// Begins with `model` as it is. `decay` 0: nothing is kept.
  RunningAverage(const Transformer& model, double decay);

  /// Moves the mean towards the weights after step `step` (from 0): mean += (1 - d)(weights - mean)
  /// with d = min(decay, (1 + step) / (10 + step)), so that the first weights are soon forgotten.
  void Add(const Transformer& model, size_t step);

  /// The model with the mean weights; null if nothing is kept.
  Transformer* model() { return mean_ ? &*mean_ : nullptr; }

 private:
  const double decay_;
  std::optional<Transformer> mean_;
};

}  // namespace zermelo::train
