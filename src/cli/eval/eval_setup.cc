#include "cli/eval/eval_setup.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "core/hash/sha256.h"
#include "core/names.h"
#include "core/process/machine.h"
#include "engine/receipt/git_commit.h"
#include "eval/folder.h"
#include "eval/library/library_dataset.h"
#include "llm/prompt/format.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using nlohmann::json;

namespace {

/// Memory of a job: one Lean that searches and two that verify, embedded or not.
constexpr uint64_t kBytesPerJob = 4'500'000'000;
constexpr uint64_t kBytesPerStateServer = 1'500'000'000;

core::Status ReadShard(const std::string& text, eval::Selection& selection) {
  if (text.empty()) return {};
  size_t index = 0, count = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, index);
  const bool has_slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = has_slash ? std::from_chars(first.ptr + 1, end, count)
                                : std::from_chars_result{end, std::errc::invalid_argument};
  if (second.ec != std::errc() || second.ptr != end || index < 1 || index > count) {
    return Fail(ErrorCode::kUsage, "'" + text + "' is not a shard",
                "use --shard i/n for the i-th of n parts, counted from 1; in a Slurm array "
                "--shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT");
  }
  selection.shard = index - 1;
  selection.shards = count;
  return {};
}

core::Status ReadFields(const std::vector<std::string>& fields, eval::LoadOptions& load) {
  for (const std::string& field : fields) {
    const size_t equals = field.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == field.size()) {
      return Fail(ErrorCode::kUsage, "'" + field + "' is not FIELD=KEY",
                  "for example --field statement=lean_code");
    }
    load.fields[field.substr(0, equals)] = field.substr(equals + 1);
  }
  return {};
}

core::Status CheckStrategy(const EvalOptions& options,
                           const strategy::StrategyParameters& parameters) {
  const strategy::Needs needs = strategy::ChosenStrategy(parameters).needs();
  const bool needs_model = needs.proofs || needs.AsksByRole();
  if (!options.models.empty() || (!needs_model && !options.strategy.no_builtin)) return {};
  return Fail(ErrorCode::kUsage, "no model is named", "add --model NAME");
}

core::Status CheckModels(const EvalOptions& options, const eval::AttemptBudget& budget) {
  if (!options.models.empty()) return {};
  if (budget.tokens || budget.dollars) {
    return Fail(ErrorCode::kUsage, "a budget of tokens or money needs a model",
                "add --model NAME, or give a time: --budget 60s");
  }
  if (options.recording.IsSet()) {
    return Fail(ErrorCode::kUsage, "--record, --replay and --cache need a model",
                "add --model NAME");
  }
  return {};
}

std::vector<std::string> CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

json ModelsJson(const EvalOptions& options, const core::Config& config) {
  json models = json::object();
  for (const std::string& name : options.models) {
    const auto found = config.models.find(name);
    if (found != config.models.end()) models[name] = found->second;
  }
  return models;
}

json DatasetJson(const EvalOptions& options, const eval::Dataset& dataset) {
  json files = json::object();
  for (const eval::Problem& problem : dataset.problems) {
    files[problem.source.file] = problem.source.sha256;
  }
  std::error_code ignored;
  const bool is_named = dataset.format == eval::kLibraryFormat;
  const fs::path path = fs::absolute(options.dataset, ignored).lexically_normal();
  return {{"name", dataset.name},     {"path", is_named ? options.dataset : path.string()},
          {"format", dataset.format}, {"commit", dataset.commit},
          {"notes", dataset.notes},   {"sha256", std::move(files)}};
}

/// The file of --learn as it was when the evaluation in `out` began: the copy in its folder.
fs::path TaughtFile(const EvalOptions& options, const fs::path& out) {
  std::error_code ignored;
  const fs::path copy = out / "taught";
  return fs::exists(copy, ignored) ? copy : fs::path(options.learn);
}

std::string FingerprintOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return core::Sha256Hex(bytes).substr(0, 16);
}

/// What the evaluation learns from, in words: "examples of learned (sha256 …), its own proofs".
std::string LearningOf(const EvalOptions& options, const fs::path& out) {
  std::string text;
  if (!options.learn.empty()) {
    text = fmt::format("examples of {} (sha256 {})", fs::path(options.learn).filename().string(),
                       FingerprintOf(TaughtFile(options, out)));
  }
  if (options.learn_online) text += text.empty() ? "its own proofs" : ", its own proofs";
  return text;
}

std::string OwnCommit() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? "" : engine::CommitAt(self.parent_path());
}

/// "tactics" if all of a model's formats reply with tactics, else "prover".
std::string RoleOf(const core::ModelConfig& model, const llm::Formats& formats) {
  bool tactics = !model.formats.empty();
  for (const core::FormatShare& share : model.formats) {
    const auto format = llm::FindFormat(formats, share.format);
    tactics = tactics && format && format->reply == llm::ReplyKind::kTactic;
  }
  return tactics ? "tactics" : "prover";
}

}  // namespace

void EvalOptions::AddTo(CLI::App& verb) {
  verb.add_option(
          "dataset", dataset,
          "Benchmark as published: a repository, a jsonl file, or a folder of Lean files; or the "
          "theorems of a library: corelib[:MODULE], library:MODULE")
      ->type_name("DATASET");
  verb.add_option("--format", format,
                  fmt::format("Format of the dataset (default: detected): {}",
                              fmt::join(eval::Formats(), ", ")))
      ->type_name("NAME");
  verb.add_option("--field", fields,
                  fmt::format("JSON key that holds a field (repeatable); fields: {}",
                              fmt::join(eval::FieldNames(), ", ")))
      ->type_name("FIELD=KEY")
      ->allow_extra_args(false);
  verb.add_option("--answers", answers,
                  "Treatment of known answers (PutnamBench, CombiBench): `given` puts them "
                  "into the statement, `open` leaves them to the prover (default: given)")
      ->check(CLI::IsMember({"given", "open"}))
      ->type_name("WHICH");
  verb.add_option("--split", split, "Run only this split, e.g. test or valid")->type_name("NAME");
  verb.add_option("--filter", filter, "Run only problems whose name contains a match")
      ->type_name("REGEX");
  verb.add_option("--shard", shard,
                  "Run only the i-th of n parts, counted from 1 (see: zermelo eval merge)")
      ->type_name("i/n");
  verb.add_flag("--dry-run", dry_run,
                "List the problems and elaborate each statement with sorry; prove nothing");
  verb.add_option("--write-problems", write_problems,
                  "Write the selected problems to this jsonl, which is a benchmark, too; prove "
                  "nothing")
      ->type_name("FILE");
  verb.add_option("--budget", budget,
                  "Budget per problem: 16x6400 (attempts x samples), 60s, 4x10m, 2Mtok, $0.50, or "
                  "several separated by commas; limits apply to each attempt (default: 60s)")
      ->type_name("BUDGET");
  verb.add_flag(
      "--all-attempts", all_attempts,
      "Run all attempts even after a proof, so that pass@k can be estimated without bias");
  verb.add_flag("--or-disprove", or_disprove,
                "Also try to prove each statement's negation: half of the budget for each");
  verb.add_option("--learn", learn,
                  "Use what this file teaches, e.g. .zermelo/learned (default: nothing; "
                  "docs/learning.md)")
      ->type_name("FILE");
  verb.add_flag("--learn-online", learn_online,
                "Learn from the proofs of this evaluation, for the problems that come later");
  verb.add_option("--runs", runs, "Number of runs (default: 1)")
      ->check(Between(1, 10'000))
      ->type_name("R");
  verb.add_option("-j,--jobs", jobs,
                  "Number of problems at once (default: as many as memory and cores allow)")
      ->check(Between(1, 4096))
      ->type_name("J");
  verb.add_option("--workers", workers,
                  "Number of Lean search processes for all jobs together (default: one per job)")
      ->check(Between(1, 4096))
      ->type_name("N");
  states.AddTo(verb);
  verb.add_option("-o,--out", out,
                  "Folder of the evaluation; an existing evaluation there is resumed (default: "
                  "eval-DATASET)")
      ->type_name("DIR");
  verb.add_option("--seed", seed,
                  "Random seed of the first attempt; later ones count up from it (default: 1)")
      ->type_name("N");
  verb.add_option("--project", project,
                  "Lake project to run in, e.g. one with Mathlib (default: the dataset's, then "
                  "the current folder's)")
      ->type_name("DIR");
  verb.add_flag("--json", as_json, "Print one JSON object on stdout");
  verb.add_flag("-q,--quiet", quiet, "Print only the result and errors");
  lean.AddTo(verb);
  strategy.AddTo(verb);
  const std::string group = "Language models";
  verb.add_option(
          "-m,--model", models,
          "Models to use: names of [models.NAME] in zermelo.toml, or paths of GGUF files or of "
          "folders of small models")
      ->delimiter(',')
      ->type_name("NAME[,NAME...]")
      ->allow_extra_args(false)
      ->group(group);
  verb.add_option("--config", config, "Configuration file (default: the nearest zermelo.toml)")
      ->envname("ZERMELO_CONFIG")
      ->type_name("FILE")
      ->group(group);
  recording.AddTo(verb, group);
  verb.add_flag("--record-runs", record_runs,
                "Record every attempt in DIR/runs.db, as `zermelo prove` records a run: to look at "
                "it, and for training (docs/training.md)")
      ->group("Recording");
  verb.add_flag("--record-tactics", record_tactics,
                "With --record-runs, also record every tactic that a search tries")
      ->needs("--record-runs")
      ->group("Recording");
}

core::Status NameModelsOfRoles(EvalOptions& options) {
  if (!options.models.empty()) return {};
  const auto strategy = options.strategy.Make(options.config, fs::current_path(), options.seed);
  if (!strategy) return Fail(strategy.error());
  if (!strategy::ChosenStrategy(*strategy).needs().AsksByRole()) return {};
  const auto config = FindConfig(options.config, fs::current_path());
  if (!config) return Fail(config.error());
  for (const core::RoleConfig& role : config->roles) {
    for (const std::string& model : role.models) {
      if (std::ranges::find(options.models, model) != options.models.end()) continue;
      options.models.push_back(model);
    }
  }
  return {};
}

core::Result<EvalPlan> PlanOf(const EvalOptions& options) {
  EvalPlan plan;
  plan.load.format = options.format;
  plan.load.answers = options.answers == "open" ? eval::Answers::kOpen : eval::Answers::kGiven;
  if (auto ok = ReadFields(options.fields, plan.load); !ok) return Fail(ok.error());
  plan.selection.split = options.split;
  plan.selection.filter = options.filter;
  if (auto ok = ReadShard(options.shard, plan.selection); !ok) return Fail(ok.error());
  auto strategy = options.strategy.Make(options.config, fs::current_path(), options.seed);
  if (!strategy) return Fail(strategy.error());
  if (auto ok = CheckStrategy(options, *strategy); !ok) return Fail(ok.error());
  std::error_code ignored;
  if (!options.learn.empty() && !fs::exists(TaughtFile(options, options.out), ignored)) {
    return Fail(ErrorCode::kInput, "there is no file " + options.learn,
                "name a file of examples, such as .zermelo/learned, with --learn");
  }
  if (options.learn_online && options.runs > 1) {
    return Fail(
        ErrorCode::kUsage,
        "--learn-online takes one run: a second one would learn from the first one's proofs",
        "start an evaluation for each run, with its own --out and --seed");
  }
  const auto budget = eval::ParseBudget(options.budget);
  if (!budget) return Fail(budget.error());
  if (auto ok = CheckModels(options, *budget); !ok) return Fail(ok.error());
  if (options.or_disprove && budget->samples == 1) {
    return Fail(ErrorCode::kUsage, "one sample cannot be divided between proof and disproof",
                "give --or-disprove at least two samples");
  }
  const core::Machine machine = core::DescribeMachine();
  const auto states = options.states.Wanted(options.config, fs::current_path());
  if (!states) return Fail(states.error());
  const uint64_t job = kBytesPerJob + (*states == "off" ? 0 : kBytesPerStateServer);
  const auto room = static_cast<size_t>(machine.available_memory_bytes / job);
  eval::RunnerOptions& runner = plan.runner;
  runner.budget = *budget;
  runner.strategy = *strategy;
  runner.builtin = !options.strategy.no_builtin;
  runner.runs = options.runs;
  runner.jobs =
      options.jobs > 0 ? options.jobs : std::clamp<size_t>(room, 1, std::max(1U, machine.cores));
  runner.workers = options.workers > 0 ? options.workers : runner.jobs;
  runner.seed = options.seed;
  runner.all_attempts = options.all_attempts;
  runner.or_disprove = options.or_disprove;
  runner.one_call_at_a_time = !options.recording.replay.empty();
  plan.out = options.out;
  return plan;
}

core::Result<std::string> CopyTaught(const EvalOptions& options, const fs::path& out) {
  if (options.learn.empty()) return "";
  const fs::path copy = out / "taught";
  std::error_code error;
  if (!fs::exists(out / "eval.json", error)) {
    fs::create_directories(out, error);
    if (!error) fs::copy_file(options.learn, copy, fs::copy_options::overwrite_existing, error);
    if (!error) return "";
    return Fail(
        ErrorCode::kInput,
        fmt::format("cannot copy {} to {}: {}", options.learn, copy.string(), error.message()),
        "name a file of examples, such as .zermelo/learned, with --learn");
  }
  if (FingerprintOf(options.learn) == FingerprintOf(TaughtFile(options, out))) return "";
  return fmt::format("{} has changed since the evaluation began, which still uses it as it was",
                     options.learn);
}

core::Status SetLearning(const EvalOptions& options, const fs::path& out,
                         learn::Knowledge& knowledge, eval::RunnerOptions& runner) {
  if (options.learn.empty() && !options.learn_online) return {};
  if (options.strategy.no_builtin) {
    return Fail(ErrorCode::kUsage, "only the built-in policy uses what is learned",
                "leave out --no-builtin, or --learn and --learn-online");
  }
  if (!options.learn.empty()) {
    if (auto read = knowledge.Read(TaughtFile(options, out)); !read) return read;
  }
  if (options.learn_online) {
    const fs::path own = out / "learned";
    if (auto read = knowledge.Read(own); !read) return read;
    knowledge.KeepIn(own);
  }
  runner.learned = &knowledge;
  runner.learns = options.learn_online;
  return {};
}

fs::path ProjectNear(const EvalOptions& options, const eval::Dataset& dataset) {
  if (!options.project.empty()) return options.project;
  std::error_code ignored;
  if (dataset.problems.empty()) return fs::current_path(ignored);
  const fs::path path = fs::absolute(options.dataset, ignored);
  const fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
  // PutnamBench's project is lean4/, below the repository.
  for (const fs::path& near :
       {(folder / dataset.problems.front().source.file).parent_path(), folder}) {
    if (!lean::FindProject(near).empty()) return near;
  }
  return fs::current_path(ignored);
}

eval::Manifest DescribeEvaluation(const EvalOptions& options, const EvalPlan& plan,
                                  const eval::Dataset& dataset, const lean::Toolchain& toolchain,
                                  const core::Config& config) {
  eval::Manifest manifest;
  const core::Machine machine = core::DescribeMachine();
  const json models = ModelsJson(options, config);
  manifest.parameters = {{"dataset", dataset.name},
                         {"format", dataset.format},
                         {"answers", options.answers},
                         {"split", options.split},
                         {"filter", options.filter},
                         {"shards", plan.selection.shards},
                         {"strategy", plan.runner.strategy.strategy},
                         {"strategy_parameters", plan.runner.strategy},
                         {"builtin", plan.runner.builtin},
                         {"budget", ToText(plan.runner.budget)},
                         {"runs", options.runs},
                         {"seed", options.seed},
                         {"all_attempts", options.all_attempts},
                         {"models", models},
                         {"lean", toolchain.version}};
  if (options.or_disprove) manifest.parameters["or_disprove"] = true;
  if (plan.runner.states) manifest.parameters["states"] = true;
  if (const auto learning = LearningOf(options, plan.out); !learning.empty())
    manifest.parameters["learning"] = learning;
  manifest.setup = {{"zermelo", {{"version", ZERMELO_VERSION}, {"commit", OwnCommit()}}},
                    {"lean", toolchain},
                    {"dataset", DatasetJson(options, dataset)},
                    {"machine", {{"cores", machine.cores}, {"memory_bytes", machine.memory_bytes}}},
                    {"command", CommandLine()},
                    {"jobs", plan.runner.jobs},
                    {"workers", plan.runner.workers},
                    {"replay", options.recording.replay},
                    {"started", eval::UtcNow()}};
  manifest.runs = options.runs;
  manifest.shard = plan.selection.shard;
  manifest.shards = plan.selection.shards;
  manifest.models = fmt::format("{}", fmt::join(options.models, ", "));
  manifest.independent = options.all_attempts && !options.models.empty();
  manifest.problems = dataset.problems;
  return manifest;
}

void SetModels(const EvalOptions& options, const core::Config& config,
               const core::Executor& executor, eval::RunnerOptions& runner) {
  if (options.models.empty()) return;
  core::Config shared = config;
  const auto jobs = static_cast<int64_t>(runner.jobs);
  const auto share = [&](int64_t limit) { return std::max<int64_t>(1, limit / jobs); };
  for (auto& [name, model] : shared.models) {
    model.limits.concurrency = static_cast<int>(share(model.limits.concurrency));
    if (auto& limit = model.limits.requests_per_minute) limit = share(*limit);
    if (auto& limit = model.limits.tokens_per_minute) limit = share(*limit);
  }
  if (const auto formats = llm::LoadFormats(llm::PromptFolder())) {
    for (const auto& [name, model] : config.models) runner.roles[name] = RoleOf(model, *formats);
  }
  const engine::ModelsRequest asked = options.strategy.ForModels(runner.strategy);
  runner.make_models = [options, shared, executor, asked](const eval::AttemptBudget& budget,
                                                          uint64_t seed,
                                                          record::RunJournal* journal) {
    engine::ModelsRequest request = asked;
    request.config = shared;
    request.names = options.models;
    request.budget = {
        .samples = budget.samples, .tokens = budget.tokens, .dollars = budget.dollars};
    options.recording.ApplyTo(request);
    request.seed = seed;
    request.journal = journal;
    return engine::Models::Create(executor, request);
  };
}

}  // namespace zermelo::cli
