// The folder of a training run: settings, checkpoints, and the figures of each step.
//
//   settings.json    what the run was started with
//   checkpoint-N/    after N steps: a model's folder (config.json, tokenizer.json,
//                    model.safetensors) and optimizer.safetensors; if the running mean of the
//                    weights is kept, it is the model in the folder `ema` inside
//   model            a link to the newest checkpoint
//   curve.jsonl      a line for each step
//   curve.html       the same as a chart
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files/fd.h"
#include "train/model/transformer.h"

namespace zermelo::train {

class RunFolder {
 public:
  /// Creates the folder, or opens that of a run that ended early. `settings`: everything that
  /// determines the result of the run; may differ from those of the run only in `steps`. kUsage:
  /// the folder has another run; kEnvironment: it cannot be written, or another process trains
  /// there. Unfinished files are removed, and the curve is cut to the checkpoint.
  static core::Result<RunFolder> Open(std::filesystem::path path, const nlohmann::json& settings);

  const std::filesystem::path& path() const { return path_; }
  /// Number of steps taken before the newest checkpoint; 0 without one.
  size_t steps() const { return steps_; }
  std::filesystem::path Checkpoint(size_t steps) const;

  /// Sets the model and the mean of its weights (null: none is kept) to the newest checkpoint, if
  /// there is one, and returns the optimizer's state there. kInput if it does not belong to this
  /// model.
  core::Result<NamedTensors> Restore(Transformer& model, Transformer* mean) const;

  /// Writes a checkpoint: all of it or, if the process is killed or the disk is full, nothing. Then
  /// removes all but the newest `keep`. `tokenizer`: tokenizer.json to copy.
  /// `mean` may be null.
  core::Status Save(size_t steps, const Transformer& model, const Transformer* mean,
                    const NamedTensors& optimizer, const std::filesystem::path& tokenizer,
                    size_t keep);

  /// The error of a step whose loss or gradient is not finite.
  core::Status NotFinite(size_t step) const;

  /// Appends to a file of JSON lines in the folder; each must have `step`, from 1.
  core::Status Append(const std::string& file, const nlohmann::json& line) const;
  /// Draws curve.html. `shown`: keys of curve.jsonl to draw, one picture each.
  core::Status Draw(const std::vector<std::string>& shown) const;

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  core::Status CutLines(const std::filesystem::path& file) const;

  std::filesystem::path path_;
  core::Fd lock_;
  size_t steps_ = 0;
};

}  // namespace zermelo::train
