#include "train/sft.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <cmath>
#include <fmt/format.h>

#include "core/deadline.h"
#include "train/inputs.h"
#include "train/model/running_average.h"
#include "train/model/transformer.h"
#include "train/run_folder.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

/// The packs of one epoch after another, by their number since the beginning.
class PackOrder {
 public:
  PackOrder(std::span<const Row> rows, size_t context, uint64_t seed)
      : rows_(rows), context_(context), seed_(seed), packs_(MakePacks(rows, context, seed, 0)) {}

  /// `count` packs from number `first` on; `first` must not decrease. Epochs may differ in their
  /// number of packs.
  std::vector<Pack> Take(size_t first, size_t count) {
    std::vector<Pack> out;
    for (size_t number = first; number < first + count; ++number) {
      while (number >= begin_ + packs_.size()) {
        begin_ += packs_.size();
        packs_ = MakePacks(rows_, context_, seed_, ++epoch_);
      }
      out.push_back(packs_[number - begin_]);
    }
    return out;
  }
  size_t epoch() const { return epoch_; }

 private:
  const std::span<const Row> rows_;
  const size_t context_;
  const uint64_t seed_;
  std::vector<Pack> packs_;
  size_t begin_ = 0;  // number of the first of packs_
  size_t epoch_ = 0;
};

size_t Learnt(std::span<const Row> rows, std::span<const Pack> packs) {
  size_t count = 0;
  for (const Pack& pack : packs) {
    for (const size_t index : pack) {
      count += static_cast<size_t>(
          std::count(rows[index].learnt.begin() + 1, rows[index].learnt.end(), true));
    }
  }
  return count;
}

size_t Tokens(std::span<const Row> rows, std::span<const Pack> packs) {
  size_t count = 0;
  for (const Pack& pack : packs) {
    for (const size_t index : pack) count += rows[index].tokens.size();
  }
  return count;
}

/// The mean loss over the learnt tokens of all packs; with `backward`, its gradients are added to
/// the parameters'.
double Loss(const Transformer& model, std::span<const Row> rows, std::span<const Pack> packs,
            size_t micro_batch, bool backward) {
  const auto learnt = static_cast<double>(Learnt(rows, packs));
  double sum = 0;
  for (size_t at = 0; at < packs.size(); at += micro_batch) {
    const PackedRows batch =
        Collate(rows, packs.subspan(at, std::min(micro_batch, packs.size() - at)));
    const at::Tensor loss = -model.TargetLogprobs(batch).sum() / learnt;
    sum += loss.item<double>();
    if (backward) loss.backward();
  }
  return sum;
}

double ValidationLoss(const Transformer& model, std::span<const Row> rows, size_t context,
                      size_t micro_batch) {
  const c10::NoGradGuard no_gradients;
  return Loss(model, rows, MakePacks(rows, context, 0, 0), micro_batch, false);
}

}  // namespace

core::Status TrainSft(const SftFiles& files, const SftSettings& settings, const OnRows& on_rows,
                      const OnStep& on_step, const std::atomic<bool>& stop) {
  json recorded = ToJson(settings);
  recorded["method"] = "sft";
  if (auto added = AddInputs(files.model, files.data, recorded); !added) return Fail(added.error());
  auto inputs = LoadModel(files.model, settings);
  if (!inputs) return Fail(inputs.error());
  Transformer& model = inputs->model;
  const auto& config = model.config();
  const size_t context =
      settings.context == 0 ? config.context : std::min(settings.context, config.context);
  const auto read = [&](const fs::path& path) {
    return ReadRows(path, inputs->tokenizer, config.ends, context, settings.drop_long);
  };
  const auto data = read(files.data);
  if (!data) return Fail(data.error());
  std::vector<Row> held_out;
  if (!files.validation.empty()) {
    auto validation = read(files.validation);
    if (!validation) return Fail(validation.error());
    held_out = std::move(validation->rows);
  }
  if (on_rows) on_rows(*data);
  auto run = RunFolder::Open(files.out, recorded);
  if (!run) return Fail(run.error());
  AdamW optimizer(model.parameters(), settings.Optimizer());
  RunningAverage mean(model, settings.ema);
  const auto state = run->Restore(model, mean.model());
  if (!state) return Fail(state.error());
  if (!state->empty() && !optimizer.Restore(*state)) {
    return Fail(ErrorCode::kInput, files.out.string() + " is a run of another model");
  }
  PackOrder order(data->rows, context, settings.seed);
  const auto save = [&](size_t steps) {
    auto saved = run->Save(steps, model, mean.model(), optimizer.State(),
                           files.model / "tokenizer.json", settings.keep);
    return saved ? run->Draw({"loss", "validation_loss", "learning_rate", "gradient_norm",
                              "tokens_per_second"})
                 : saved;
  };
  for (size_t step = run->steps(); step < settings.steps; ++step) {
    const auto started = core::Clock::now();
    const auto packs = order.Take(step * settings.batch, settings.batch);
    const double loss = Loss(model, data->rows, packs, settings.micro_batch, true);
    const double rate = LearningRate(settings.Optimizer(), step, settings.steps);
    const double norm = optimizer.Step(rate);
    if (!std::isfinite(loss) || !std::isfinite(norm)) {
      return run->NotFinite(step + 1);
    }
    mean.Add(model, step);
    const double seconds = core::Seconds(core::Clock::now() - started);
    const size_t tokens = Tokens(data->rows, packs);
    json line{
        {"step", step + 1},      {"epoch", order.epoch()},
        {"loss", loss},          {"learning_rate", rate},
        {"gradient_norm", norm}, {"tokens", tokens},
        {"seconds", seconds},    {"tokens_per_second", static_cast<double>(tokens) / seconds}};
    const bool last = step + 1 == settings.steps;
    const bool checkpoint = last || stop || (step + 1) % settings.checkpoint_every == 0;
    if (checkpoint && !held_out.empty()) {
      line["validation_loss"] = ValidationLoss(model, held_out, context, settings.micro_batch);
    }
    if (auto appended = run->Append("curve.jsonl", line); !appended) return appended;
    if (on_step) on_step(line);
    if (!checkpoint) continue;
    if (auto saved = save(step + 1); !saved) return saved;
    if (stop && !last)
      return Fail(ErrorCode::kCancelled, fmt::format("stopped after step {}", step + 1));
  }
  return {};
}

}  // namespace zermelo::train
