// `zermelo export`: rows of training data from runs, evaluations and traces.
#include "data/export.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/options/run_options.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/text.h"
#include "data/perplexity.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using data::Row;
using nlohmann::json;

namespace {

struct DataOptions {
  std::string kind;  // "sft" or "rl"
  std::vector<std::string> from;
  std::string database;
  std::vector<std::string> formats{"deepseek-prover-v1.5"};
  bool format_given = false;
  std::string preset;
  std::string out;
  std::vector<std::string> without;
  double valid = 0;
  uint64_t seed = 0;
  size_t cuts = 1;
  bool failed = false;
  std::optional<size_t> header_bytes;
  bool replies = false;
  double partial = 0;
  bool guided = false;
  std::string perplexity;
  data::Tails tails;
  bool as_json = false;
  data::Filters filters;
};

Result<data::Material> Read(const DataOptions& options) {
  data::MaterialRequest request{.from = options.from, .database = {}};
  if (auto database = FindRunDatabase(options.database)) {
    request.database = *database;
  } else if (options.from.empty()) {
    return Fail(database.error());
  }
  return ReadMaterial(request);
}

/// "each in both modes" (DeepSeek-Prover-V1.5, section 3.2).
constexpr const char* kPaper = "paper=dsv15";
/// Three kinds of task, and what 32 samples prove one to three times (Seed-Prover 1.5,
/// section 3.1).
constexpr const char* kSeedPaper = "paper=seed15";
const std::vector<std::string> kPaperFormats{"deepseek-prover-v1.5", "deepseek-prover-v1.5-cot"};

Result<std::vector<llm::Format>> FormatsOf(const DataOptions& options) {
  const auto known = llm::LoadFormats(llm::PromptFolder());
  if (!known) return Fail(known.error());
  std::vector<llm::Format> formats;
  for (const std::string& name : options.formats) {
    auto format = llm::FindFormat(*known, name);
    if (!format) return Fail(format.error());
    formats.push_back(*std::move(format));
  }
  return formats;
}

Result<std::vector<Row>> MakeRows(const DataOptions& options, data::Material& material) {
  auto formats = FormatsOf(options);
  if (!formats) return Fail(formats.error());
  if (options.kind == "rl") {
    return RlRows(material, {.formats = *std::move(formats),
                             .header_bytes = options.header_bytes,
                             .partial = options.partial,
                             .seed = options.seed,
                             .guided = options.guided});
  }
  data::RowOptions rows{.format = std::move(formats->front()), .cuts = options.cuts};
  rows.failed = options.failed;
  rows.header_bytes = options.header_bytes;
  rows.replies = options.replies;
  return SftRows(material, rows);
}

Result<data::Filters> FiltersOf(const DataOptions& options) {
  data::Filters filters = options.filters;
  for (const std::string& benchmark : options.without) {
    auto keys = data::StatementsOf(benchmark);
    if (!keys) return Fail(keys.error());
    filters.without.merge(*keys);
  }
  return filters;
}

/// All filters in turn.
Result<data::Filtered> Filter(const DataOptions& options, std::vector<Row> rows) {
  data::Filtered filtered = Apply(options.filters, std::move(rows));
  if (options.perplexity.empty()) return filtered;
  const auto perplexity = data::PerplexityFrom(options.perplexity);
  if (!perplexity) return Fail(perplexity.error());
  Progress progress(Progress::ModeFor(false));
  size_t done = 0;
  const data::Perplexity shown = [&](const Row& row) {
    progress.Show(fmt::format("perplexity: {} of {} rows", ++done, filtered.rows.size()));
    return (*perplexity)(row);
  };
  if (auto dropped = DropTails(shown, options.tails, filtered); !dropped) {
    return Fail(dropped.error());
  }
  return filtered;
}

template <class T>
json Set(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json Settings(const DataOptions& options) {
  json settings{{"kind", options.kind},
                {"from", options.from},
                {"without", options.without},
                {"valid", options.valid},
                {"seed", options.seed},
                {"header_bytes", Set(options.header_bytes)},
                {"max_bytes", Set(options.filters.max_bytes)}};
  if (!options.perplexity.empty()) {
    settings["perplexity"] = {{"under", options.perplexity},
                              {"lower_tail", options.tails.lower},
                              {"upper_tail", options.tails.upper}};
  }
  if (options.kind == "sft") {
    settings["format"] = options.formats.front();
    settings["cuts"] = options.cuts;
    settings["failed"] = options.failed;
    settings["replies"] = options.replies;
  } else {
    settings["formats"] = options.formats;
    settings["partial"] = options.partial;
    settings["guided"] = options.guided;
    settings["min_pass_rate"] = Set(options.filters.min_pass_rate);
    settings["max_pass_rate"] = Set(options.filters.max_pass_rate);
    settings["min_proved"] = Set(options.filters.min_proved);
    settings["max_proved"] = Set(options.filters.max_proved);
  }
  return settings;
}

json Read(const data::Material& material) {
  return {{"proofs", material.proofs.size()},   {"search_tactics", material.tactics.size()},
          {"replies", material.replies.size()}, {"conversations", material.conversations.size()},
          {"guides", material.guides.size()},   {"attempted", material.attempts.size()}};
}

core::Status Write(const fs::path& out, const std::vector<Row>& rows) {
  return core::WriteFileAtomically(out, data::Lines(rows));
}

/// The rows on stdout, or two files and their card.
Result<json> Deliver(const DataOptions& options, const data::Material& material, size_t made,
                     data::Filtered filtered) {
  auto [train, valid] = data::SplitByModule(std::move(filtered.rows), options.valid, options.seed);
  json card{{"zermelo", ZERMELO_VERSION},  {"settings", Settings(options)},
            {"in", Read(material)},        {"unusable", material.skipped},
            {"rows_before_filters", made}, {"removed", filtered.removed},
            {"train", Describe(train)}};
  card["statements_of_test_sets"] = options.filters.without.size();
  if (options.valid > 0) card["valid"] = Describe(valid);
  if (options.out.empty()) {
    fmt::print("{}", data::Lines(train));
    return card;
  }
  if (auto written = Write(options.out, train); !written) return Fail(written.error());
  if (options.valid > 0) {
    const fs::path file = data::BesideOut(options.out, ".valid.jsonl");
    if (auto written = Write(file, valid); !written) return Fail(written.error());
  }
  const auto written =
      core::WriteFileAtomically(data::BesideOut(options.out, ".card.json"), card.dump(2) + '\n');
  if (!written) return Fail(written.error());
  return card;
}

void Print(const DataOptions& options, const json& card) {
  std::string left_out;
  for (const char* part : {"unusable", "removed"}) {
    for (const auto& [reason, count] : card[part].items()) {
      if (count == 0) continue;
      left_out +=
          fmt::format("{}{} {}", left_out.empty() ? "; left out: " : ", ", count.dump(), reason);
    }
  }
  const auto counted = [&](const char* set) {
    return core::Counted(card[set]["rows"].get<size_t>(), "row");
  };
  fmt::print(stderr, "{}: {}{}{}\n", options.out.empty() ? "stdout" : options.out, counted("train"),
             card.contains("valid") ? fmt::format(", {} for validation", counted("valid")) : "",
             left_out);
}

int RunDataExport(DataOptions options) {
  if (options.out.empty() && (options.as_json || options.valid > 0)) {
    return Report({ErrorCode::kUsage, "--json and --valid need --out FILE", ""});
  }
  if (options.tails.lower + options.tails.upper >= 1) {
    return Report({ErrorCode::kUsage, "--lower-tail and --upper-tail leave no rows", ""});
  }
  if (options.preset == kPaper) {
    if (options.format_given) {
      return Report({ErrorCode::kUsage, "--set paper=dsv15 has formats of its own",
                     "leave out --format or --set"});
    }
    options.formats = kPaperFormats;
  }
  if (options.preset == kSeedPaper) {
    options.guided = true;
    if (!options.filters.min_proved) options.filters.min_proved = 1;
    if (!options.filters.max_proved) options.filters.max_proved = 3;
  }
  auto filters = FiltersOf(options);
  if (!filters) return Report(filters.error());
  options.filters = *filters;
  auto material = Read(options);
  if (!material) return Report(material.error());
  auto rows = MakeRows(options, *material);
  if (!rows) return Report(rows.error());
  const size_t made = rows->size();
  auto filtered = Filter(options, *std::move(rows));
  if (!filtered) return Report(filtered.error());
  const auto card = Deliver(options, *material, made, *std::move(filtered));
  if (!card) return Report(card.error());
  Print(options, *card);
  if (options.as_json) fmt::print("{}\n", card->dump());
  return (*card)["train"]["rows"] == 0 ? 1 : 0;
}

void AddCommon(CLI::App& verb, DataOptions& options) {
  verb.add_option("--from", options.from,
                  "Number of a run, folder of an evaluation or file of a trace (repeatable; "
                  "default: all runs of the database)")
      ->allow_extra_args(false)
      ->type_name("SOURCE");
  verb.add_option("--run-db", options.database,
                  "Run database (default: the nearest .zermelo/runs.db in this folder or above)")
      ->type_name("FILE");
  verb.add_option("-o,--out", options.out,
                  "File to write, with a data card beside it (default: rows on stdout)")
      ->type_name("FILE");
  verb.add_option("--without", options.without,
                  "Leave out statements of this benchmark, whatever their names (repeatable)")
      ->allow_extra_args(false)
      ->check(CLI::ExistingPath)
      ->type_name("BENCHMARK");
  verb.add_option("--max-bytes", options.filters.max_bytes, "Leave out longer rows")
      ->type_name("N");
  CLI::Option* perplexity =
      verb.add_option(
              "--perplexity", options.perplexity,
              "Leave out both tails of perplexity: under a small model (its folder), or as a "
              "JSONL file of rows gives it")
          ->check(CLI::ExistingPath)
          ->type_name("SOURCE");
  verb.add_option("--lower-tail", options.tails.lower,
                  "Share of the rows to leave out whose perplexity is lowest (default: 0.1)")
      ->needs(perplexity)
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  verb.add_option("--upper-tail", options.tails.upper,
                  "Share of the rows to leave out whose perplexity is highest (default: 0.1)")
      ->needs(perplexity)
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  verb.add_option("--header-bytes", options.header_bytes,
                  "Shorten the text above the theorem in a prompt to imports, context and the last "
                  "declarations that fit (default: the whole text)")
      ->type_name("N");
  verb.add_option("--valid", options.valid,
                  "Share of the modules whose rows go to a second file, for validation")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  verb.add_option("--seed", options.seed, "Seed for what is chosen at random (default: 0)")
      ->type_name("N");
  verb.add_flag("--json", options.as_json, "Print the data card as one JSON object on stdout");
}

void AddSft(CLI::App& verb, DataOptions& options) {
  verb.footer(
      "Example:\n  zermelo export sft --out sft.jsonl\n"
      "  zermelo export sft --from trace.jsonl --format bfs-prover --valid 0.05 --out sft.jsonl\n\n"
      "Formats whose models write tactics get tactics with their states, the others whole proofs.");
  AddCommon(verb, options);
  verb.add_option("--format", options.formats.front(),
                  "Prompt format, as in zermelo.toml (default: deepseek-prover-v1.5)")
      ->type_name("NAME");
  verb.add_option("--cuts", options.cuts,
                  "Number of rows per proof that begin in its middle, with the tactic state there "
                  "(default: 1)")
      ->type_name("N");
  verb.add_flag("--failed", options.failed,
                "Also write what failed, with a label: tactics that Lean rejected (prove "
                "--record-tactics) and bad sketches");
  verb.add_flag(
      "--replies", options.replies,
      "Also write the models' own replies and the prompts for them: replies, corrections, "
      "sketches, conversations with tools");
}

void AddRl(CLI::App& verb, DataOptions& options) {
  verb.footer(
      "Example:\n  zermelo export rl --from runs/sft --min-proved 1 --max-pass-rate 0.5 --out "
      "rl.jsonl");
  AddCommon(verb, options);
  verb.add_option("--format", options.formats,
                  "Prompt format, as in zermelo.toml; repeated, every prompt is written in each "
                  "(default: deepseek-prover-v1.5)")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->each([&options](const std::string&) { options.format_given = true; });
  verb.add_option("--set", options.preset,
                  "Choose a preset: paper=dsv15 writes every prompt in both formats of "
                  "DeepSeek-Prover-V1.5; paper=seed15 is --guided with one to three proofs, as in "
                  "Seed-Prover 1.5")
      ->check(CLI::IsMember({kPaper, kSeedPaper}))
      ->type_name("KEY=VALUE");
  verb.add_option("--partial", options.partial,
                  "Share of the prompts that begin in the middle of a known proof, with the tactic "
                  "state there (default: 0)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  verb.add_flag(
      "--guided", options.guided,
      "Also write prompts with what the models of runs were told: proofs in words, and what "
      "failed attempts taught");
  verb.add_option("--min-pass-rate", options.filters.min_pass_rate,
                  "Minimum share of samples that proved the theorem")
      ->type_name("SHARE");
  verb.add_option("--max-pass-rate", options.filters.max_pass_rate,
                  "Maximum share of samples that proved the theorem")
      ->type_name("SHARE");
  verb.add_option("--min-proved", options.filters.min_proved,
                  "Minimum number of samples that proved the theorem")
      ->type_name("N");
  verb.add_option("--max-proved", options.filters.max_proved,
                  "Maximum number of samples that proved the theorem")
      ->type_name("N");
}

}  // namespace

void AddExport(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("export",
                                      "Write training data from runs, evaluations and "
                                      "traces");
  verb->footer(
      "Example:\n  zermelo export sft --out sft.jsonl\n  zermelo export rl --out rl.jsonl");
  verb->require_subcommand(1);
  const auto add = [&](const std::string& kind, const std::string& help, auto add_options) {
    auto options = std::make_shared<DataOptions>();
    options->kind = kind;
    CLI::App* sub = verb->add_subcommand(kind, help);
    add_options(*sub, *options);
    sub->callback([options, &exit_code] { exit_code = RunDataExport(*options); });
  };
  add("sft", "Write prompts and completions for supervised training", AddSft);
  add("rl", "Write prompts for reinforcement learning, with pass rates", AddRl);
}

}  // namespace zermelo::cli
