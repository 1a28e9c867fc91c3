#include "train/run_folder.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <c10/core/GradMode.h>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/file.h>

#include "core/files/file.h"
#include "core/json.h"
#include "train/curve_page.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "checkpoint-";
constexpr const char* kUnfinished = ".unfinished";
constexpr const char* kMean = "ema";
constexpr size_t kMaxLines = size_t{1} << 30U;  // bytes

/// The number of steps in a checkpoint's name.
std::optional<size_t> StepsOf(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kPrefix)) return std::nullopt;
  size_t steps = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kPrefix.size(), end, steps);
  return read.ec == std::errc() && read.ptr == end ? std::optional(steps) : std::nullopt;
}

std::vector<size_t> Checkpoints(const fs::path& folder) {
  std::vector<size_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (const auto steps = StepsOf(entry.path())) found.push_back(*steps);
  }
  std::ranges::sort(found);
  return found;
}

/// What runs of earlier versions, which may go on, do not have.
constexpr std::string_view kAddedLater[] = {"lean", "judge", "informal", "tokenizer", "config"};

/// The first setting in which two runs differ; empty if there is none. A run may be made longer.
std::string Difference(const json& before, const json& now) {
  for (const auto& [key, value] : now.items()) {
    if (key == "steps" || key == "ours") continue;
    const bool is_new = !before.contains(key);
    if (is_new && std::ranges::find(kAddedLater, key) != std::end(kAddedLater)) continue;
    if (is_new || before[key] != value) return key;
  }
  for (const auto& [key, value] : before.items()) {
    if (key != "ours" && !now.contains(key)) return key;
  }
  return "";
}

core::Status ReadWeights(const fs::path& folder, Transformer& model) {
  const auto weights = LoadTensors(folder / "model.safetensors");
  if (!weights) return Fail(weights.error());
  const c10::NoGradGuard no_gradients;
  for (auto& [name, tensor] : model.parameters()) {
    const auto found = weights->find(name);
    if (found == weights->end() || found->second.sizes() != tensor.sizes()) {
      return Fail(ErrorCode::kInput, folder.string() + " is of another model");
    }
    tensor.copy_(found->second);
  }
  return {};
}

core::Status FlushFolder(const fs::path& folder) {
  const core::Fd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0 && fsync(fd.get()) == 0) return {};
  return Fail(ErrorCode::kEnvironment, "cannot write to " + folder.string());
}

/// `tokenizer`: the text of tokenizer.json.
core::Status SaveModel(const Transformer& model, const std::string& tokenizer,
                       const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (auto saved = model.Save(folder); !saved) return saved;
  if (auto saved = core::WriteFileAtomically(folder / "tokenizer.json", tokenizer); !saved) {
    return Fail(ErrorCode::kEnvironment, saved.error().message);
  }
  return FlushFolder(folder);
}

}  // namespace

Result<RunFolder> RunFolder::Open(fs::path path, const json& settings) {
  RunFolder out(std::move(path));
  std::error_code error;
  fs::create_directories(out.path_, error);
  out.lock_ = core::Fd(open((out.path_ / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (out.lock_.get() < 0)
    return Fail(ErrorCode::kEnvironment, "cannot write to " + out.path_.string());
  if (flock(out.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(ErrorCode::kEnvironment, "another process trains in " + out.path_.string());
  }
  const fs::path file = out.path_ / "settings.json";
  if (fs::exists(file, error)) {
    const auto text = core::ReadTextFile(file);
    if (!text) return Fail(text.error());
    const json before = core::JsonOrDiscarded(*text);
    const std::string key = before.is_object() ? Difference(before, settings) : "settings";
    if (!key.empty()) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("{} is the folder of a run with another {}", out.path_.string(), key),
                  "give another --out, or remove that folder");
    }
  }
  if (auto written = core::WriteFileAtomically(file, settings.dump(2) + "\n"); !written) {
    return Fail(ErrorCode::kEnvironment, written.error().message);
  }
  fs::remove_all(out.path_ / kUnfinished, error);
  const auto checkpoints = Checkpoints(out.path_);
  if (!checkpoints.empty()) out.steps_ = checkpoints.back();
  for (const auto& entry : fs::directory_iterator(out.path_, error)) {
    if (entry.path().extension() != ".jsonl") continue;
    if (auto cut = out.CutLines(entry.path()); !cut) return Fail(cut.error());
  }
  return out;
}

/// Removes the lines of steps after the checkpoint, and a last line that is not whole.
core::Status RunFolder::CutLines(const fs::path& file) const {
  const auto text = core::ReadTextFile(file, kMaxLines);
  if (!text) return Fail(text.error());
  std::string kept;
  size_t begin = 0;
  for (size_t end; (end = text->find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    const json object = core::JsonOrDiscarded(line);
    if (!object.is_object() || object.value("step", SIZE_MAX) > steps_) continue;
    kept.append(line).push_back('\n');
  }
  return kept == *text ? core::Status() : core::WriteFileAtomically(file, kept);
}

fs::path RunFolder::Checkpoint(size_t steps) const {
  return path_ / fmt::format("{}{:08}", kPrefix, steps);
}

Result<NamedTensors> RunFolder::Restore(Transformer& model, Transformer* mean) const {
  if (steps_ == 0) return NamedTensors();
  const fs::path folder = Checkpoint(steps_);
  if (auto read = ReadWeights(folder, model); !read) return Fail(read.error());
  if (mean != nullptr) {
    if (auto read = ReadWeights(folder / kMean, *mean); !read) return Fail(read.error());
  }
  return LoadTensors(folder / "optimizer.safetensors");
}

core::Status RunFolder::Save(size_t steps, const Transformer& model, const Transformer* mean,
                             const NamedTensors& optimizer, const fs::path& tokenizer,
                             size_t keep) {
  const fs::path unfinished = path_ / kUnfinished;
  std::error_code error;
  fs::remove_all(unfinished, error);
  fs::create_directory(unfinished, error);
  const auto text = core::ReadTextFile(tokenizer, kMaxLines);
  if (!text) return Fail(text.error());
  if (auto saved = SaveModel(model, *text, unfinished); !saved) return saved;
  if (mean != nullptr) {
    if (auto saved = SaveModel(*mean, *text, unfinished / kMean); !saved) return saved;
  }
  if (auto saved = SaveTensors(unfinished / "optimizer.safetensors", optimizer); !saved)
    return saved;
  if (auto flushed = FlushFolder(unfinished); !flushed) return flushed;
  const fs::path folder = Checkpoint(steps);
  fs::remove_all(folder, error);
  fs::rename(unfinished, folder, error);
  if (error) return Fail(ErrorCode::kEnvironment, "cannot write " + folder.string());
  const fs::path link = path_ / ".model";
  fs::remove(link, error);
  fs::create_directory_symlink(folder.filename(), link, error);
  fs::rename(link, path_ / "model", error);
  if (auto flushed = FlushFolder(path_); !flushed) return flushed;
  steps_ = steps;
  const auto checkpoints = Checkpoints(path_);
  for (size_t i = 0; i + keep < checkpoints.size(); ++i)
    fs::remove_all(Checkpoint(checkpoints[i]), error);
  return {};
}

core::Status RunFolder::NotFinite(size_t step) const {
  return Fail(
      ErrorCode::kEnvironment,
      fmt::format("the loss is not finite in step {}; the last checkpoint is that of step {}", step,
                  steps_),
      "try a smaller learning_rate or a longer warmup in another --out");
}

core::Status RunFolder::Append(const std::string& file, const json& line) const {
  const core::Fd fd(open((path_ / file).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  const auto text = core::Dump(line) + "\n";
  if (fd.get() >= 0 && core::WriteAll(fd.get(), text)) return {};
  return Fail(ErrorCode::kEnvironment, "cannot write " + (path_ / file).string());
}

core::Status RunFolder::Draw(const std::vector<std::string>& shown) const {
  std::ifstream file(path_ / "curve.jsonl");
  std::vector<json> steps;
  for (std::string line; std::getline(file, line);) {
    json step = core::JsonOrDiscarded(line);
    if (step.is_object()) steps.push_back(std::move(step));
  }
  return core::WriteFileAtomically(path_ / "curve.html",
                                   CurvePage(path_.filename().string(), steps, shown));
}

}  // namespace zermelo::train
