#include "train/model/running_average.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <c10/core/GradMode.h>

namespace zermelo::train {

RunningAverage::RunningAverage(const Transformer& model, double decay) : decay_(decay) {
  if (decay > 0) mean_ = model.Frozen();
}

void RunningAverage::Add(const Transformer& model, size_t step) {
  if (!mean_) return;
  const c10::NoGradGuard no_gradients;
  const auto taken = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + taken) / (10 + taken));
  for (auto& [name, mean] : mean_->parameters()) {
    mean += (1 - decay) * (model.parameters().find(name)->second - mean);
  }
}

}  // namespace zermelo::train
