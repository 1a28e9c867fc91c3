// `zermelo learn`: what the proofs of a project teach the built-in policy, and what is known so
// far.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "data/examples.h"
#include "data/material.h"
#include "engine/recorded_run.h"
#include "learn/knowledge.h"
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

std::string InWords(const learn::ValueReport& value, bool useful) {
  if (value.known < learn::Value::kFewest) {
    return fmt::format(
        "value: not used yet; it is known of {} goals whether {} tactics close them, and {} are "
        "needed",
        value.known, learn::Value::kWithin, learn::Value::kFewest);
  }
  return fmt::format(
      "value: of the newest goals, {:.1f} % were closed within {} tactics, {:.1f} % expected; "
      "calibration error {:.3f}\n       loss {:.3f}, without looking at the goals {:.3f}{}",
      100 * value.closed, learn::Value::kWithin, 100 * value.predicted, value.error, value.loss,
      value.loss_of_mean, useful ? "" : ": not used");
}

int ShowLearned(const LearnOptions& options, const fs::path& file) {
  learn::Knowledge knowledge;
  if (auto read = knowledge.Read(file); !read) return Report(read.error());
  const learn::Value& value = knowledge.AnyValue();
  if (options.as_json) {
    json judged = value.report();
    judged["within"] = learn::Value::kWithin;
    judged["useful"] = value.useful();
    const json output{{"file", file.string()}, {"examples", knowledge.size()}, {"value", judged}};
    fmt::print("{}\n", output.dump());
  } else if (!options.quiet) {
    fmt::print(
        "{}: {}, {} of searches\n{}\n", file.string(), core::Counted(knowledge.size(), "tactic"),
        core::Counted(value.report().goals, "goal"), InWords(value.report(), value.useful()));
  }
  return 0;
}

int RunLearn(const LearnOptions& options) {
  const fs::path out = options.out.empty() ? engine::LearnedFile(fs::current_path() / "any.lean")
                                           : fs::path(options.out);
  if (options.traces.empty()) return ShowLearned(options, out);
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
      "Learning the same trace again changes nothing. Without a trace, the verb shows what has "
      "been\n"
      "learned. docs/learning.md explains what is learned, and how it is used.");
  verb->add_option("trace", options->traces, "Traces that `zermelo trace` wrote")
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
