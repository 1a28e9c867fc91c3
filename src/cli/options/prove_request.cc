#include "cli/options/prove_request.h"

#include "core/fields.h"
#include "engine/project_imports.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

void MakeAbsolute(std::string& path) {
  if (!path.empty()) path = fs::absolute(path).lexically_normal().string();
}

}  // namespace

void Fields(auto& field, ModelOptions& models) {
  field("names", models.models);
  field("config", models.config);
  Fields(field, models.budget);
  field("seed", models.seed);
  field("record", models.recording.record);
  field("replay", models.recording.replay);
  field("cache", models.recording.cache);
}

void Fields(auto& field, ProveOptions& options) {
  field("file", options.file);
  field("theorems", options.theorems);
  field("out", options.out);
  field("in_place", options.in_place);
  field("seconds", options.seconds);
  field("workers", options.workers);
  field("lean", options.lean.lean);
  field("no_sandbox", options.lean.no_sandbox);
  field("allow_axioms", options.trust.allow_axioms);
  field("kernel", options.trust.kernel);
  field("trace", options.runs.trace);
  field("no_builtin", options.strategy.no_builtin);
  field("no_premises", options.strategy.no_premises);
  field("strategy", options.parameters);
  field("readers", options.readers);
  field("models", options.models);
  field.OrElse("states", options.states.use, "off");
  field.OrElse("record_tactics", options.runs.record_tactics);
  field.OrElse("shorten", options.shorten);
  field.OrElse("receipt", options.receipt);
}

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

json ToRequest(ProveOptions options) {
  for (std::string* path :
       {&options.file, &options.out, &options.receipt, &options.lean.lean, &options.models.config,
        &options.models.recording.record, &options.models.recording.replay}) {
    MakeAbsolute(*path);
  }
  json request = options;
  request["verb"] = "prove";
  if (options.Learns()) request["learning"] = true;
  if (!options.imported.empty()) request["imported"] = engine::ToJson(options.imported);
  return request;
}

core::Result<ProveOptions> FromRequest(const json& request) {
  try {
    // What runs recorded by earlier versions lack.
    json whole{{"allow_axioms", json::array()}, {"kernel", "on"}, {"no_premises", true}};
    whole.update(request);
    if (!whole.contains("readers")) whole["readers"] = whole.value("workers", json());
    auto options = whole.get<ProveOptions>();
    options.learning.off = !request.value("learning", false);
    auto imported = engine::ImportedOf(request.value("imported", json::array()));
    if (!imported) return core::Fail(imported.error());
    options.imported = *std::move(imported);
    return options;
  } catch (const json::exception& e) {
    return core::Fail(core::ErrorCode::kInput,
                      std::string("cannot read the run's request: ") + e.what(),
                      "start a new run; another version of Zermelo may have recorded this one");
  }
}

}  // namespace zermelo::cli
