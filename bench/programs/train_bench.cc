// Run by ./zermelo bench train; bench/train.py describes the measurements.
//
// usage: train_bench sft|grpo MODEL DATA OUT THREADS [KEY=VALUE...]
//
// One JSON line for each step, as in curve.jsonl, with the processor's seconds besides; at the end
// one with the peak memory. The rewards of grpo are a stand-in, which answers at once.
#include <ATen/Parallel.h>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "resources.h"
#include "train/reinforcement/grpo.h"
#include "train/sft.h"

namespace zermelo::train {
namespace {

using bench::ProcessorSeconds;
using core::Result;
using nlohmann::json;

void Print(const json& line) {
  fmt::print("{}\n", line.dump(-1, ' ', false, json::error_handler_t::replace));
  std::fflush(stdout);
}

/// Every other answer is a proof, so that each group has something to teach.
Result<std::vector<std::optional<bool>>> EveryOther(const std::vector<Answer>& answers) {
  std::vector<std::optional<bool>> verdicts;
  for (size_t i = 0; i < answers.size(); ++i) verdicts.emplace_back(i % 2 == 0);
  return verdicts;
}

core::Status Sft(const SftFiles& files, const SftSettings& settings) {
  double last = ProcessorSeconds();
  const auto on_step = [&](json line) {
    const double now = ProcessorSeconds();
    line["processor_seconds"] = now - std::exchange(last, now);
    Print(line);
  };
  return TrainSft(files, settings, {}, on_step, false);
}

core::Status Grpo(const RlFiles& files, const GrpoSettings& settings) {
  double last = ProcessorSeconds();
  double sampled = 0;  // when the samples were there
  const auto judge = [&](const std::vector<Answer>& answers) {
    sampled = ProcessorSeconds();
    return EveryOther(answers);
  };
  const auto on_step = [&](json line) {
    const double now = ProcessorSeconds();
    line["sampling_processor_seconds"] = sampled - last;
    line["update_processor_seconds"] = now - sampled;
    last = now;
    Print(line);
  };
  return TrainGrpo(files, settings, Environment(Judge(judge)), on_step, false);
}

core::Status Run(const std::string& method, const std::filesystem::path& model,
                 const std::filesystem::path& data, const std::filesystem::path& out,
                 const std::vector<std::string>& changes) {
  if (method == "sft") {
    const auto settings = ReadSftSettings(changes);
    if (!settings) return core::Fail(settings.error());
    return Sft({.model = model, .data = data, .validation = {}, .out = out}, *settings);
  }
  const auto settings = ReadGrpoSettings(changes);
  if (!settings) return core::Fail(settings.error());
  return Grpo({.model = model, .data = data, .out = out}, *settings);
}

}  // namespace
}  // namespace zermelo::train

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  at::set_num_threads(std::atoi(argv[5]));
  const auto ran = zermelo::train::Run(argv[1], argv[2], argv[3], argv[4], {argv + 6, argv + argc});
  if (!ran) {
    fmt::print(stderr, "train_bench: {}\n", ran.error().message);
    return 1;
  }
  zermelo::train::Print({{"peak_megabytes", zermelo::bench::PeakMegabytes()}});
  return 0;
}
