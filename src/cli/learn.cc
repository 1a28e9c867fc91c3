// `zermelo learn`: what the proofs of a project teach the built-in policy.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "data/examples.h"
#include "data/material.h"
#include "engine/recorded_run.h"
#include "learn/record_file.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Result;
using nlohmann::json;

namespace {

struct LearnOptions {
  std::vector<std::string> traces;
  std::string out;
  bool as_json = false;
  bool quiet = false;
};

struct LearnReport {
  size_t theorems = 0, tactics = 0, added = 0;
};

Result<LearnReport> LearnFrom(const std::vector<std::string>& traces, const fs::path& out) {
  data::Material material;
  for (const std::string& trace : traces) {
    if (auto read = data::AddTrace(trace, material); !read) return core::Fail(read.error());
  }
  LearnReport report;
  report.theorems = material.proofs.size();
  std::vector<std::string> records;
  for (const learn::Example& example : data::ExamplesOf(material.proofs)) {
    records.push_back(learn::Encode(example));
  }
  report.tactics = records.size();
  engine::MakeProjectFolder(out.parent_path());
  const auto added = learn::AppendRecords(out, records);
  if (!added) return core::Fail(added.error());
  report.added = *added;
  return report;
}

int RunLearn(const LearnOptions& options) {
  const fs::path out = options.out.empty() ? engine::LearnedFile(fs::current_path() / "any.lean")
                                           : fs::path(options.out);
  const auto report = LearnFrom(options.traces, out);
  if (!report) return Report(report.error());
  if (options.as_json) {
    const json output{{"file", out.string()},
                      {"theorems", report->theorems},
                      {"tactics", report->tactics},
                      {"added", report->added}};
    fmt::print("{}\n", output.dump());
  } else if (!options.quiet) {
    fmt::print("{}: {} of {}, {} new\n", out.string(), core::Counted(report->tactics, "tactic"),
               core::Counted(report->theorems, "theorem"), report->added);
  }
  return 0;
}

}  // namespace

void AddLearn(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<LearnOptions>();
  CLI::App* verb = app.add_subcommand(
      "learn",
      "Learn from a project's own proofs: later searches try their tactics on similar goals");
  verb->footer(
      "Example, in the folder of a project:\n"
      "  zermelo trace . --out trace.jsonl && zermelo learn trace.jsonl\n\n"
      "Learning the same trace again changes nothing. docs/learning.md explains what is learned,\n"
      "and how it is used.");
  verb->add_option("trace", options->traces, "Traces that `zermelo trace` wrote")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  verb->add_option("-o,--out", options->out,
                   "File of examples to add to (default: .zermelo/learned of the current folder's "
                   "project)")
      ->type_name("FILE");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  verb->add_flag("-q,--quiet", options->quiet, "Print only errors");
  verb->callback([options, &exit_code] { exit_code = RunLearn(*options); });
}

}  // namespace zermelo::cli
