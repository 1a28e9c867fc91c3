#include "cli/prove_request.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string Absolute(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
}

template <class T>
json Maybe(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

template <class T>
std::optional<T> MaybeOf(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

ProveOptions Read(const json& request) {
  ProveOptions options;
  options.file = request.at("file");
  options.theorems = request.at("theorems");
  options.out = request.at("out");
  options.in_place = request.at("in_place");
  options.seconds = request.at("seconds");
  options.workers = request.at("workers");
  options.lean.lean = request.at("lean");
  options.lean.no_sandbox = request.at("no_sandbox");
  options.trust.allow_axioms = request.value("allow_axioms", std::vector<std::string>());
  options.runs.trace = request.at("trace");
  options.strategy.no_builtin = request.at("no_builtin");
  // Runs recorded before premises existed.
  options.strategy.no_premises = request.value("no_premises", true);
  options.parameters = request.at("strategy").get<strategy::StrategyParameters>();
  const json& models = request.at("models");
  options.models.models = models.at("names");
  options.models.config = models.at("config");
  options.models.samples = MaybeOf<int64_t>(models.at("samples"));
  options.models.tokens = MaybeOf<int64_t>(models.at("tokens"));
  options.models.dollars = MaybeOf<double>(models.at("dollars"));
  options.models.seed = MaybeOf<uint64_t>(models.at("seed"));
  options.models.recording.record = models.at("record");
  options.models.recording.replay = models.at("replay");
  options.models.recording.cache = models.at("cache");
  return options;
}

}  // namespace

fs::path ProveOptions::OutPath() const {
  if (in_place) return file;
  if (!out.empty()) return out;
  fs::path path = file;
  return path.replace_extension(".proved.lean");
}

fs::path ProveOptions::LemmasPath() const {
  fs::path path = OutPath();
  if (path.stem().extension() == ".proved") path.replace_extension();
  return path.replace_extension(".lemmas.lean");
}

json ToRequest(const ProveOptions& options) {
  const json models{{"names", options.models.models},
                    {"config", Absolute(options.models.config)},
                    {"samples", Maybe(options.models.samples)},
                    {"tokens", Maybe(options.models.tokens)},
                    {"dollars", Maybe(options.models.dollars)},
                    {"seed", Maybe(options.models.seed)},
                    {"record", Absolute(options.models.recording.record)},
                    {"replay", Absolute(options.models.recording.replay)},
                    {"cache", options.models.recording.cache}};
  return {{"verb", "prove"},
          {"file", Absolute(options.file)},
          {"theorems", options.theorems},
          {"out", Absolute(options.out)},
          {"in_place", options.in_place},
          {"seconds", options.seconds},
          {"workers", options.workers},
          {"lean", Absolute(options.lean.lean)},
          {"no_sandbox", options.lean.no_sandbox},
          {"allow_axioms", options.trust.allow_axioms},
          {"trace", options.runs.trace},
          {"no_builtin", options.strategy.no_builtin},
          {"no_premises", options.strategy.no_premises},
          {"strategy", options.parameters.value()},
          {"models", models}};
}

core::Result<ProveOptions> FromRequest(const json& request) {
  try {
    return Read(request);
  } catch (const json::exception& e) {
    return core::Fail(core::ErrorCode::kInput,
                      std::string("cannot read the run's request: ") + e.what(),
                      "start a new run; another version of Zermelo may have recorded this one");
  }
}

}  // namespace zermelo::cli
