// Supervised fine-tuning: the model learns to write the completions of the rows.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "train/rows.h"
#include "train/settings.h"

namespace zermelo::train {

struct SftFiles {
  std::filesystem::path model;       // a model's folder, with tokenizer.json
  std::filesystem::path data;        // rows (train/rows.h)
  std::filesystem::path validation;  // rows that are not trained on; empty: none
  std::filesystem::path out;         // of the run
};

/// One step, as it is written to curve.jsonl.
using OnStep = std::function<void(const nlohmann::json&)>;
using OnRows = std::function<void(const RowFile&)>;

/// Trains, or continues from the newest checkpoint in `files.out`: on a CPU with the same number of
/// threads, the result is bit for bit the same. The loss is the mean over the tokens of a step that
/// carry loss. With `stop`, ends after a checkpoint with kCancelled. kInput as ReadRows and
/// Transformer::Load; kUsage as RunFolder::Open; kEnvironment, with the last checkpoint kept: the
/// loss is not finite, or the disk is full.
core::Status TrainSft(const SftFiles& files, const SftSettings& settings, const OnRows& on_rows,
                      const OnStep& on_step, const std::atomic<bool>& stop);

}  // namespace zermelo::train
