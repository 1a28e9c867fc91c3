#include <array>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/places.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/json.h"
#include "core/process/machine.h"
#include "core/process/sandbox.h"
#include "core/text.h"
#include "lean/pool.h"
#include "lean/probe_json.h"
#include "lean/remote/far_side.h"
#include "lean/states/state_probes.h"
#include "lean/states/state_server.h"
#include "lean/states/tried_states.h"
#include "lean/versions.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;
using nlohmann::json;

namespace {

enum class Level { kGood, kWarning, kProblem };

/// One examined subject: what was found, and what to do about it.
struct Observation {
  std::string subject;
  Level level = Level::kGood;
  std::string found;
  std::string advice = {};
};

const char* Name(Level level) {
  switch (level) {
    case Level::kGood:
      return "ok";
    case Level::kWarning:
      return "warning";
    case Level::kProblem:
      return "problem";
  }
  return "problem";
}

std::string Gigabytes(uint64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

/// The packages of a Lake project, by its manifest.
Observation Packages(const fs::path& project) {
  Observation finding{.subject = "packages"};
  const auto manifest = core::ReadTextFile(project / "lake-manifest.json");
  if (!manifest) {
    finding.found = "none (" + project.string() + " has no lake-manifest.json)";
    return finding;
  }
  const auto parsed = core::JsonOrDiscarded(*manifest);
  std::string names;
  std::string unbuilt;
  if (parsed.is_object() && parsed.contains("packages") && parsed["packages"].is_array()) {
    for (const auto& package : parsed["packages"]) {
      if (!package.is_object() || !package.contains("name")) continue;
      const std::string name = package["name"].is_string() ? package["name"] : "";
      names += (names.empty() ? "" : ", ") + name;
      std::error_code ignored;
      if (!fs::exists(project / ".lake" / "packages" / name, ignored)) {
        unbuilt += (unbuilt.empty() ? "" : ", ") + name;
      }
    }
  }
  finding.found = names.empty() ? "none" : names;
  if (!unbuilt.empty()) {
    finding.level = Level::kWarning;
    finding.found += " (not fetched: " + unbuilt + ")";
    finding.advice = "run `lake exe cache get` (Mathlib) and `lake build` in " + project.string();
  }
  return finding;
}

std::vector<Observation> MachineFindings(size_t workers) {
  std::vector<Observation> findings;
  const core::Machine machine = core::DescribeMachine();
  Observation cores{.subject = "cores", .found = std::to_string(machine.cores)};
  if (machine.cores < workers) {
    cores.level = Level::kWarning;
    cores.advice = "use --workers 1";
  }
  findings.push_back(cores);
  constexpr uint64_t kPerWorker = 3'000'000'000;
  Observation memory{
      .subject = "memory",
      .found = fmt::format("{} free of {}", Gigabytes(machine.available_memory_bytes),
                           Gigabytes(machine.memory_bytes))};
  if (machine.available_memory_bytes < (workers + 1) * kPerWorker) {
    memory.level = Level::kWarning;
    memory.advice = "a Lean worker can take 3 GB; use --workers 1 or close other programs";
  }
  findings.push_back(memory);
  const lean::PoolOptions limits;
  findings.push_back(
      {.subject = "memory limits",
       .found = fmt::format(
           "{} for one Lean process during a check (replaced after it above {}); --memory of "
           "serve, mcp and lsp limits all of them together",
           Gigabytes(limits.worker.max_resident_bytes), Gigabytes(limits.max_resident_bytes))});
  const core::SandboxAbilities sandbox = core::DescribeSandbox();
  Observation landlock{.subject = "sandbox: files"};
  if (sandbox.landlock_abi > 0) {
    landlock.found = fmt::format("Landlock, version {}", sandbox.landlock_abi);
  } else {
    landlock.level = Level::kWarning;
    landlock.found = "this kernel has no Landlock";
    landlock.advice =
        "code in Lean files has your file access: run untrusted files in a container, or use "
        "Linux 5.13 or later with Landlock enabled";
  }
  findings.push_back(landlock);
  Observation seccomp{.subject = "sandbox: network"};
  if (sandbox.seccomp) {
    seccomp.found = "seccomp";
  } else {
    seccomp.level = Level::kWarning;
    seccomp.found = "this kernel has no seccomp filters";
    seccomp.advice = "code in Lean files can open sockets: run untrusted files in a container";
  }
  findings.push_back(seccomp);
  return findings;
}

/// Whether this Lean accepts a true theorem and rejects a false one.
Task<Observation> TryLean(const lean::Toolchain& toolchain) {
  const auto executor = co_await boost::asio::this_coro::executor;
  lean::PoolOptions options;
  options.workers = 1;
  lean::Pool pool(executor, toolchain, options);
  Observation finding;
  finding.subject = "Lean works";
  const auto started = core::Clock::now();
  lean::CheckRequest request;
  request.text = "theorem good : 2 + 2 = 4 := by decide\ntheorem bad : 2 + 2 = 5 := by decide\n";
  request.deadline = core::Deadline::After(std::chrono::minutes(5));
  const auto checked = co_await pool.Check(std::move(request));
  const double seconds = core::Seconds(core::Clock::now() - started);
  if (!checked) {
    finding.level = Level::kProblem;
    finding.found = checked.error().message;
    finding.advice = "run `" + toolchain.lean.string() + " --version` by hand";
    co_return finding;
  }
  const bool right = checked->diagnostics.size() == 1 &&
                     checked->diagnostics[0].severity == lean::Severity::kError &&
                     checked->diagnostics[0].begin.line == 1;
  finding.level = right ? Level::kGood : Level::kProblem;
  finding.found =
      right ? fmt::format("proves 2 + 2 = 4 and rejects 2 + 2 = 5; started in {:.1f} s", seconds)
            : "wrong answers to 2 + 2 = 4 and 2 + 2 = 5";
  if (!right) finding.advice = "do not use this Lean; choose another with --lean";
  co_return finding;
}

/// What is known of the state server with this Lean.
Observation StatesFinding(const lean::Toolchain& toolchain) {
  Observation finding{.subject = "state server"};
  const auto trial = lean::KnownTrial(toolchain);
  if (!trial) {
    finding.found = lean::TrustsStates(toolchain)
                        ? "agrees with Lean's workers in Zermelo's own tests of this version"
                        : "never compared with Lean's workers here (doctor --states does that); "
                          "--states auto does without it";
    return finding;
  }
  if (trial->agree()) {
    finding.found = fmt::format("agreed with Lean's workers on {} tactics", trial->probes);
    return finding;
  }
  finding.level = Level::kWarning;
  finding.found = trial->probes == 0
                      ? "could not be used with this Lean"
                      : fmt::format("disagreed with Lean's workers on {} of {} tactics",
                                    trial->differences, trial->probes);
  finding.advice =
      "`zermelo doctor --states` says why; until it agrees, --states auto does "
      "without it";
  return finding;
}

/// The comparison of the state server with Lean's workers.
struct StatesReport {
  size_t probes = 0;  // 0: it was not made
  std::vector<lean::ProbeDifference> differences;
  std::string failure;  // why it could not be made
  bool kept = false;    // for --states auto
};

Task<core::Result<std::vector<lean::ProbeDifference>>> CompareStates(
    const lean::Toolchain& toolchain, lean::StateServer& server, Progress& progress) {
  const auto executor = co_await boost::asio::this_coro::executor;
  lean::PoolOptions options;
  options.workers = 1;
  options.worker.skip_kernel = true;
  lean::Pool pool(executor, toolchain, options);
  auto probes = lean::StateProbes();
  const size_t all = lean::CandidatesOf(probes);
  co_return co_await lean::CompareOn(pool, server, std::move(probes), [&](size_t done) {
    progress.Show(fmt::format("{} comparing the state server with Lean's workers, {} of {}",
                              Bar(done, all, 10), done, all));
  });
}

/// Compares them and keeps the result, unless the comparison itself fails.
Task<StatesReport> TryStates(const lean::Toolchain& toolchain) {
  const auto executor = co_await boost::asio::this_coro::executor;
  StatesReport report;
  Progress progress(Progress::ModeFor(false));
  progress.Show("starting the state server …");
  lean::StateServerOptions options;
  options.start_limit = std::chrono::minutes(2);
  auto server = co_await lean::StateServer::Start(executor, toolchain, options);
  lean::StatesTrial trial;
  if (server) {
    auto compared = co_await CompareStates(toolchain, **server, progress);
    if (!compared) {
      report.failure = "could not be compared: " + compared.error().message;
      co_return report;
    }
    using enum lean::ProbeResult::Outcome;
    const auto slow = static_cast<size_t>(std::ranges::count_if(*compared, [](const auto& one) {
      return one.worker.outcome == kSlow || one.worker.outcome == kUnknown;
    }));
    if (slow > 0 && slow == compared->size()) {
      report.failure = fmt::format(
          "could not be compared: Lean's worker was too slow for {} tactics; try again when the "
          "machine has less to do",
          slow);
      co_return report;
    }
    report.probes = trial.probes = lean::CandidatesOf(lean::StateProbes());
    report.differences = std::move(*compared);
    trial.differences = report.differences.size();
  } else {
    report.failure = server.error().message;
  }
  report.kept = lean::KeepTrial(toolchain, trial).has_value();
  co_return report;
}

Observation Summary(const StatesReport& report) {
  Observation finding{.subject = "state server"};
  if (report.probes > 0 && report.differences.empty()) {
    finding.found = fmt::format("agrees with Lean's workers on {} tactics{}", report.probes,
                                report.kept ? "" : " (but this could not be written to the cache)");
    return finding;
  }
  finding.level = Level::kProblem;
  finding.found = report.failure;
  if (report.failure.empty()) {
    finding.found = fmt::format("disagrees with Lean's workers on {} of {} tactics",
                                report.differences.size(), report.probes);
  }
  finding.advice = report.kept ? "search without it: `--states off` or `--states auto`"
                               : "search without it: `--states off`";
  return finding;
}

/// With the fields that are usually left out when they are empty.
json ToJson(const lean::ProbeResult& result) {
  json all{{"goals", json::array()}, {"message", ""}, {"suggestion", ""}};
  all.update(json(result));
  return all;
}

json ToJson(const StatesReport& report) {
  json differences = json::array();
  for (const lean::ProbeDifference& difference : report.differences) {
    differences.push_back({{"subject", difference.probe.subject},
                           {"text", difference.probe.text},
                           {"after", difference.probe.tactics},
                           {"tactic", difference.probe.candidates.front()},
                           {"worker", ToJson(difference.worker)},
                           {"states", ToJson(difference.states)}});
  }
  return {
      {"probes", report.probes}, {"differences", std::move(differences)}, {"kept", report.kept}};
}

void Print(const lean::ProbeDifference& difference) {
  const lean::StateProbe& probe = difference.probe;
  fmt::print("\n{}:\n{}", probe.subject, core::Indented(probe.text, 4));
  if (!probe.tactics.empty()) fmt::print("  after\n{}", core::Indented(probe.tactics, 4));
  fmt::print("  the tactic\n{}", core::Indented(probe.candidates.front(), 4));
  for (const auto& [who, result] : {std::pair("Lean's worker", &difference.worker),
                                    std::pair("the state server", &difference.states)}) {
    std::string said = result->message;
    for (const std::string& goal : result->goals) said += (said.empty() ? "" : "\n\n") + goal;
    if (!result->suggestion.empty()) said += "\nTry this: " + result->suggestion;
    if (!said.empty()) said += "\n";
    fmt::print("  {}: {}\n{}", who, Name(result->outcome), core::Indented(said, 4));
  }
}

/// What a check on a worker elsewhere says, or why there is none.
Task<core::Result<std::string>> TryWorker(lean::Worker& worker) {
  const auto deadline = core::Deadline::After(std::chrono::minutes(5));
  const auto started = core::Clock::now();
  lean::CheckRequest request;
  request.text = "theorem good : 2 + 2 = 4 := by decide\n";
  request.deadline = deadline;
  if (auto ready = co_await worker.Connect(deadline, nullptr); !ready)
    co_return core::Fail(ready.error());
  const double connected = core::Seconds(core::Clock::now() - started);
  if (auto loaded = co_await worker.Load(request); !loaded) co_return core::Fail(loaded.error());
  const double loaded = core::Seconds(core::Clock::now() - started);
  const auto checked = co_await worker.Check(request);
  if (!checked) co_return core::Fail(checked.error());
  if (checked->status != lean::CheckStatus::kAccepted) {
    co_return core::Fail(core::ErrorCode::kEnvironment, "a wrong answer to 2 + 2 = 4");
  }
  co_return fmt::format("on {}: reached in {:.1f} s, started in {:.1f} s, a check takes {:.3f} s",
                        worker.far_side()->ready()->host, connected, loaded - connected,
                        checked->seconds);
}

/// Whether workers of [[workers]] can be started and have the same Lean and the same imports.
Task<Observation> TryPlace(std::shared_ptr<const lean::Toolchain> toolchain,
                           std::shared_ptr<const lean::remote::Place> place) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Observation finding;
  finding.subject = core::Counted(place->workers, "worker");
  lean::WorkerOptions options;
  auto order = lean::remote::OrderFor(*place, *toolchain, /*own_project=*/true, options, {});
  auto worker = lean::Worker::StartElsewhere(
      executor,
      std::make_shared<lean::remote::FarSide>(executor, place, toolchain, std::move(order)),
      options);
  core::Result<std::string> found;
  if (worker) found = co_await TryWorker(**worker);
  if (!worker) found = core::Fail(worker.error());
  if (found) {
    finding.found = place->name + ", " + *found;
    co_return finding;
  }
  finding.level = Level::kProblem;
  finding.found = found.error().message;
  finding.advice = "run `" + place->name + " " + place->program +
                   " --version` by hand (docs/workers.md); until it works, checks go elsewhere";
  co_return finding;
}

/// The places that the configuration names; a configuration that cannot be read is reported with
/// the models.
Task<std::vector<Observation>> PlaceFindings(const lean::Toolchain& toolchain, std::string config) {
  std::vector<Observation> findings;
  const auto places = FindPlaces(config, fs::current_path());
  if (!places) co_return findings;
  const auto shared = std::make_shared<const lean::Toolchain>(toolchain);
  for (const auto& place : places->list) findings.push_back(co_await TryPlace(shared, place));
  if (!places->unused.empty()) {
    Observation unused;
    unused.subject = "workers";
    unused.level = Level::kWarning;
    unused.found = places->unused;
    unused.advice = "look at the commands, then name the file (docs/workers.md)";
    findings.push_back(std::move(unused));
  }
  co_return findings;
}

Observation Confinement(const lean::Toolchain& toolchain) {
  if (!toolchain.sandbox) {
    return {.subject = "Lean's sandbox",
            .level = Level::kWarning,
            .found = "none",
            .advice =
                "code in Lean files has your permissions: check only files that you trust, or "
                "use a container"};
  }
  if (toolchain.sandbox->processes) {
    return {.subject = "Lean's sandbox",
            .level = Level::kWarning,
            .found = "on, but this Lean may start other processes, and so may code in Lean files",
            .advice = "give the toolchain's own bin/lean with --lean"};
  }
  return {.subject = "Lean's sandbox", .found = "on"};
}

/// What is known of this version of Lean (lean/versions.h).
Observation VersionFinding(const std::string& version) {
  Observation finding{.subject = "version"};
  const auto numbers = lean::NumbersOf(version);
  if (!numbers || *numbers < lean::kFirstCovered || lean::kLastCovered < *numbers) {
    finding.level = Level::kWarning;
    finding.found = version + " is not among the versions that Zermelo knows (4.9 to 4.35)";
    finding.advice = "see docs/versions.md";
    return finding;
  }
  std::string lacking;
  for (const lean::Interface* interface : lean::Lacking(*numbers)) {
    lacking += (lacking.empty() ? "" : ", ") + std::string(interface->name);
  }
  if (!lacking.empty()) {
    finding.level = Level::kProblem;
    finding.found = fmt::format("{} lacks what `zermelo prove` needs: {}", version, lacking);
    finding.advice = "use a later Lean (docs/versions.md)";
    return finding;
  }
  finding.found =
      version == lean::kRunVersion
          ? version + " is the version that Zermelo's tests run"
          : version +
                ": not run by Zermelo's tests; its interfaces are known only from its sources "
                "(docs/versions.md)";
  return finding;
}

/// What is used of this version, for --json.
json InterfacesJson(const std::string& version) {
  json list = json::array();
  const auto numbers = lean::NumbersOf(version);
  for (const lean::Interface& interface : lean::Interfaces()) {
    if (!numbers || !interface.IsIn(*numbers)) continue;
    json entry;
    entry["kind"] = lean::Name(interface.kind);
    entry["name"] = interface.name;
    entry["use"] = interface.use;
    entry["source"] = interface.source;
    entry["run"] = interface.run && version == lean::kRunVersion;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<Observation> ToolchainFindings(const lean::Toolchain& toolchain) {
  std::vector<Observation> findings;
  findings.push_back({.subject = "Lean",
                      .found = fmt::format("{} ({}), {}", toolchain.version, Name(toolchain.kind),
                                           toolchain.lean.string())});
  for (const std::string& problem : lean::KnownProblems(toolchain.version)) {
    findings.push_back({.subject = "known problem",
                        .level = Level::kWarning,
                        .found = problem,
                        .advice = fmt::format("re-check proofs that matter with Lean {} or later",
                                              lean::kNoKnownProblems)});
  }
  findings.push_back(VersionFinding(toolchain.version));
  findings.push_back(Confinement(toolchain));
  findings.push_back(toolchain.project.empty()
                         ? Observation{.subject = "packages", .found = "none (not a Lake project)"}
                         : Packages(toolchain.project));
  return findings;
}

struct DoctorOptions {
  LeanOptions lean;
  std::string config;  // --config
  size_t workers = 2;
  bool states = false;  // --states
  bool as_json = false;
};

/// Prints advice that consecutive findings share once, after the last of them.
void PrintFindings(const std::vector<Observation>& findings) {
  constexpr size_t kIndent = 20;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const size_t columns = terminal ? TerminalColumns(STDOUT_FILENO) : std::string::npos;
  for (size_t i = 0; i < findings.size(); ++i) {
    const Observation& f = findings[i];
    const char* mark = f.level == Level::kGood ? "✓" : f.level == Level::kWarning ? "!" : "✗";
    fmt::print("{}\n", WrapColumns(fmt::format("{} {:<17} {}", mark, f.subject, f.found), columns,
                                   kIndent));
    const bool repeated = i + 1 < findings.size() && findings[i + 1].advice == f.advice;
    if (f.advice.empty() || repeated) continue;
    fmt::print("{}\n",
               WrapColumns(fmt::format("{:{}}→ {}", "", kIndent, f.advice), columns, kIndent + 2));
  }
}

Observation BadConfiguration(const core::Error& error) {
  return {.subject = "configuration",
          .level = Level::kProblem,
          .found = error.message,
          .advice = error.hint.empty() ? "correct the file (docs/configuration.md)" : error.hint};
}

/// Whether the configured models work; an unusable configuration is the only finding.
Task<std::vector<Observation>> ModelFindings(std::string named) {
  std::vector<Observation> findings;
  const auto config = FindConfig(named, fs::current_path());
  if (!config) {
    findings.push_back(BadConfiguration(config.error()));
    co_return findings;
  }
  for (const auto& model : co_await engine::Examine(*config)) {
    Observation finding;
    finding.subject = "model " + model.name;
    finding.level = model.works ? Level::kGood : Level::kProblem;
    finding.found = model.found;
    finding.advice = model.advice;
    findings.push_back(std::move(finding));
  }
  co_return findings;
}

Task<int> RunDoctor(DoctorOptions options) {
  std::vector<Observation> findings;
  int exit_code = 0;
  json lean_json;
  StatesReport states;
  const auto toolchain = co_await FindLean(options.lean, fs::current_path());
  if (toolchain) {
    findings = ToolchainFindings(*toolchain);
    findings.push_back(co_await TryLean(*toolchain));
    if (options.states) {
      states = co_await TryStates(*toolchain);
      findings.push_back(Summary(states));
    } else {
      findings.push_back(StatesFinding(*toolchain));
    }
    for (Observation& finding : co_await PlaceFindings(*toolchain, options.config)) {
      findings.push_back(std::move(finding));
    }
    lean_json["version"] = toolchain->version;
    lean_json["kind"] = Name(toolchain->kind);
    lean_json["path"] = toolchain->lean.string();
    lean_json["interfaces"] = InterfacesJson(toolchain->version);
  } else {
    Observation missing;
    missing.subject = "Lean";
    missing.level = Level::kProblem;
    missing.found = toolchain.error().message;
    missing.advice = toolchain.error().hint;
    findings.push_back(std::move(missing));
  }
  for (Observation& finding : co_await ModelFindings(options.config))
    findings.push_back(std::move(finding));
  for (Observation& finding : MachineFindings(options.workers))
    findings.push_back(std::move(finding));
  json list = json::array();
  for (const Observation& f : findings) {
    if (f.level == Level::kProblem) exit_code = 3;
    json entry;
    entry["subject"] = f.subject;
    entry["level"] = Name(f.level);
    entry["found"] = f.found;
    entry["advice"] = f.advice;
    list.push_back(std::move(entry));
  }
  if (options.as_json) {
    json output;
    output["lean"] = std::move(lean_json);
    output["findings"] = std::move(list);
    if (options.states) output["states"] = ToJson(states);
    fmt::print("{}\n", output.dump());
  } else {
    PrintFindings(findings);
    for (const lean::ProbeDifference& difference : states.differences) Print(difference);
  }
  co_return exit_code;
}

}  // namespace

void AddDoctor(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* verb =
      app.add_subcommand("doctor", "Examine Lean, the models and this machine, and suggest fixes");
  verb->footer("Examples:\n  zermelo doctor --json\n  zermelo doctor --states");
  verb->add_option("-j,--workers", options->workers,
                   "Number of Lean processes that you plan to run (default: 2)")
      ->check(Between(1, 256))
      ->type_name("N");
  verb->add_option("--config", options->config,
                   "Configuration file (default: the nearest zermelo.toml)")
      ->envname("ZERMELO_CONFIG")
      ->type_name("FILE");
  verb->add_flag("--states", options->states,
                 "Also compare the state server with Lean's workers on 200 tactics, and remember "
                 "for `--states auto` whether they agree (docs/state-server.md)");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  options->lean.AddTo(*verb);
  verb->callback([options, &exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunDoctor(*options));
  });
}

}  // namespace zermelo::cli
