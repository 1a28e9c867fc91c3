#include "lean/toolchain.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>
#include <unistd.h>

#include "core/files/file.h"
#include "core/process/find_program.h"
#include "core/process/subprocess.h"
#include "lean/compile/saved_imports.h"
#include "lean/versions.h"

namespace zermelo::lean {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

constexpr const char* kNoLake = "/nonexistent/lake";
constexpr unsigned kFewestThreads = 4;

/// By default Lean has as many threads as processors. With a single thread it cancels a tactic only
/// when the tactic has ended by itself, and reports no progress meanwhile.
std::string ThreadsOption() {
  return "-j" + std::to_string(std::max(kFewestThreads, std::thread::hardware_concurrency()));
}

/// elan names a toolchain's folder after it, with '/' and ':' replaced by dashes.
fs::path ElanToolchain(std::string name) {
  name = std::regex_replace(name, std::regex("/"), "--");
  name = std::regex_replace(name, std::regex(":"), "---");
  const char* elan_home = std::getenv("ELAN_HOME");
  const char* home = std::getenv("HOME");
  const fs::path elan = elan_home != nullptr ? fs::path(elan_home)
                        : home != nullptr    ? fs::path(home) / ".elan"
                                             : fs::path();
  return elan.empty() ? fs::path() : elan / "toolchains" / name;
}

std::string FirstLine(const fs::path& file) {
  const auto text = core::ReadTextFile(file, 4096);
  if (!text) return "";
  std::string line = text->substr(0, text->find_first_of("\r\n"));
  line.erase(line.find_last_not_of(" \t") + 1);
  return line;
}

bool HasLakefile(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "lakefile.lean", ignored) ||
         fs::exists(folder / "lakefile.toml", ignored);
}

/// The variables among NAME=VALUE lines that Lean and Lake read.
std::map<std::string, std::string> LeanVariables(std::string_view environment) {
  std::map<std::string, std::string> variables;
  while (!environment.empty()) {
    const size_t end = std::min(environment.find('\n'), environment.size());
    const std::string_view line = environment.substr(0, end);
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos && line.starts_with("LEAN")) {
      variables.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    environment.remove_prefix(std::min(environment.size(), end + 1));
  }
  return variables;
}

// g++ 12 cannot compile braced argument lists inside coroutines; commands are built here.
core::SubprocessOptions Command(const fs::path& program, std::vector<std::string> arguments,
                                std::map<std::string, std::string> environment,
                                const fs::path& directory) {
  arguments.insert(arguments.begin(), program.string());
  return {.argv = std::move(arguments),
          .environment = std::move(environment),
          .working_directory = directory};
}

core::SubprocessOptions Ask(const Toolchain& t, const char* option) {
  auto command = Command(t.lean, {option}, t.environment, t.document_folder);
  command.sandbox = t.sandbox;
  return command;
}

/// LEAN_PATH, as the process will see it, and the toolchain's own library.
std::vector<fs::path> SearchPath(const std::map<std::string, std::string>& environment,
                                 const fs::path& library) {
  const auto set = environment.find("LEAN_PATH");
  const char* inherited = std::getenv("LEAN_PATH");
  std::string_view rest = set != environment.end() ? std::string_view(set->second)
                          : inherited != nullptr   ? std::string_view(inherited)
                                                   : std::string_view();
  std::vector<fs::path> path;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) path.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(rest.size(), colon + 1));
  }
  if (!library.empty()) path.push_back(library);
  return path;
}

/// The files that Lean's processes may read; they write nothing, except the compiler in its own
/// folder.
core::SandboxRules RulesFor(const Toolchain& t, const fs::path& prefix) {
  core::SandboxRules rules;
  rules.read = core::SystemFiles();
  rules.read.push_back(t.lean);
  for (const fs::path& more : {prefix, t.project}) {
    if (!more.empty()) rules.read.push_back(more);
  }
  rules.read.insert(rules.read.end(), t.search_path.begin(), t.search_path.end());
  return rules;
}

/// The first line that Lean prints for an option such as --print-prefix; empty if that fails.
Task<std::string> Printed(const Toolchain& toolchain, const char* option, core::Deadline deadline) {
  const auto soon = deadline.Earlier(core::Deadline::After(std::chrono::seconds(10)));
  const auto ran = co_await core::RunProcess(Ask(toolchain, option), "", soon);
  if (!ran || !ran->status.ok()) co_return "";
  co_return ran->out.substr(0, ran->out.find('\n'));
}

/// Whether Lean runs, in its sandbox if it has one; sets its version if so.
Task<bool> Answers(Toolchain& toolchain, core::Deadline deadline) {
  const std::string answer = co_await Printed(toolchain, "--version", deadline);
  const auto version = ParseLeanVersion(answer);
  if (!version) co_return false;
  toolchain.version = version->version;
  toolchain.commit = version->commit;
  co_return true;
}

/// Lean's prefix is the folder above that of its executable (Lean.getBuildDir). If its library is
/// there, this saves running Lean to ask. Empty if it is not: a script, or elan's proxy.
fs::path PrefixByLayout(const fs::path& lean) {
  std::error_code error;
  const fs::path prefix = fs::canonical(lean, error).parent_path().parent_path();
  const bool is_one = !error && fs::exists(prefix / "lib" / "lean" / "Init.olean", error);
  return is_one ? prefix : fs::path();
}

/// Sets the strictest sandbox in which this Lean runs. A `lean` that is a script or elan's proxy
/// may need more than Lean itself does: then the one in its toolchain's folder is used.
Task<void> Confine(Toolchain& toolchain, core::Deadline deadline) {
  const fs::path prefix = co_await Printed(toolchain, "--print-prefix", deadline);
  toolchain.sandbox = RulesFor(toolchain, prefix);
  if (co_await Answers(toolchain, deadline)) co_return;
  const fs::path given = toolchain.lean;
  if (const fs::path real = prefix / "bin" / "lean"; !prefix.empty() && core::IsExecutable(real)) {
    toolchain.lean = real;
    if (co_await Answers(toolchain, deadline)) co_return;
    toolchain.lean = given;
  }
  toolchain.sandbox->processes = true;
  if (co_await Answers(toolchain, deadline)) {
    toolchain.notes.push_back(given.string() +
                              " starts other processes, so its sandbox allows that");
    co_return;
  }
  toolchain.sandbox.reset();
  toolchain.notes.push_back(given.string() + " does not run in a sandbox, so it runs without one");
}

core::SubprocessOptions LakeEnvCommand(const fs::path& lake, const fs::path& project) {
  return Command(lake, {"env", "env"}, {}, project);
}

/// Asks the executable for its version and fills in what follows from it.
Task<Result<Toolchain>> Complete(Toolchain toolchain, bool confined, core::Deadline deadline) {
  if (toolchain.document_folder.empty()) toolchain.document_folder = fs::temp_directory_path();
  // Usually one process is enough.
  if (const fs::path prefix = PrefixByLayout(toolchain.lean); !prefix.empty()) {
    toolchain.search_path = SearchPath(toolchain.environment, prefix / "lib" / "lean");
    if (confined) toolchain.sandbox = RulesFor(toolchain, prefix);
    if (co_await Answers(toolchain, deadline)) co_return toolchain;
    toolchain.sandbox.reset();
  }
  auto ran = co_await core::RunProcess(Ask(toolchain, "--version"), "", deadline);
  if (!ran) co_return Fail(ran.error());
  if (!ran->status.ok()) {
    co_return Fail(ErrorCode::kEnvironment,
                   toolchain.lean.string() + " --version failed with " + ran->status.ToString() +
                       ": " + ran->err.substr(0, 500),
                   "run that command by hand, or choose another Lean with --lean PATH");
  }
  const auto version = ParseLeanVersion(ran->out);
  if (!version) co_return Fail(version.error());
  toolchain.version = version->version;
  toolchain.commit = version->commit;
  // Without its library a Lean can search, but nothing can be accepted; acceptance reports that.
  const std::string library = co_await Printed(toolchain, "--print-libdir", deadline);
  toolchain.search_path = SearchPath(toolchain.environment, library);
  if (confined) co_await Confine(toolchain, deadline);
  co_return toolchain;
}

Task<Result<Toolchain>> FromProject(fs::path project, bool confined, core::Deadline deadline) {
  Toolchain toolchain{
      .kind = ToolchainKind::kProject, .project = project, .document_folder = project};
  const std::string wanted = FirstLine(project / "lean-toolchain");
  const fs::path elan = wanted.empty() ? fs::path() : ElanToolchain(wanted);
  const fs::path elan_lake = elan.empty() ? fs::path() : elan / "bin" / "lake";
  const fs::path lake = core::IsExecutable(elan_lake) ? elan_lake : core::FindOnPath("lake");
  const fs::path elan_lean = elan.empty() ? fs::path() : elan / "bin" / "lean";
  toolchain.lean = core::IsExecutable(elan_lean) ? elan_lean : core::FindOnPath("lean");
  if (HasLakefile(project)) {
    if (lake.empty()) {
      co_return Fail(ErrorCode::kEnvironment,
                     "the project " + project.string() + " needs `lake`" +
                         (wanted.empty() ? "" : " of " + wanted) + ", which is not installed",
                     "install Lean with elan, then run `lake build` in the project");
    }
    const auto env = co_await core::RunProcess(LakeEnvCommand(lake, project), "", deadline);
    if (!env) co_return Fail(env.error());
    if (!env->status.ok()) {
      co_return Fail(ErrorCode::kEnvironment,
                     "`lake env` failed in " + project.string() + ": " + env->err.substr(0, 1000),
                     "run `lake build` there and fix the errors that it reports");
    }
    toolchain.environment = LeanVariables(env->out);
    // A worker would run `lake setup-file`, which starts processes and writes to the project.
    // Without Lake it reads LEAN_PATH, like `lake env lean` and the compiler of acceptance.
    toolchain.environment["LAKE"] = kNoLake;
    if (const auto lean = toolchain.environment.find("LEAN");
        lean != toolchain.environment.end() && core::IsExecutable(lean->second)) {
      toolchain.lean = lean->second;
    } else if (const auto root = toolchain.environment.find("LEAN_SYSROOT");
               root != toolchain.environment.end() &&
               core::IsExecutable(fs::path(root->second) / "bin" / "lean")) {
      toolchain.lean = fs::path(root->second) / "bin" / "lean";
    }
  }
  if (toolchain.lean.empty()) {
    co_return Fail(
        ErrorCode::kEnvironment,
        "the project " + project.string() + " requires " + wanted + ", which is not installed",
        "install it with `elan toolchain install " + wanted + "`");
  }
  auto completed = co_await Complete(std::move(toolchain), confined, deadline);
  if (completed && !wanted.empty() && wanted.find(completed->version) == std::string::npos) {
    completed->notes.push_back("the project requires " + wanted + ", but Lean " +
                               completed->version + " is used");
  }
  co_return completed;
}

Task<Result<Toolchain>> Select(ToolchainRequest request, core::Deadline deadline) {
  if (!request.lean.empty()) {
    std::error_code ignored;
    fs::path lean = fs::absolute(request.lean);
    if (fs::is_directory(lean, ignored)) lean = lean / "bin" / "lean";
    if (!core::IsExecutable(lean)) {
      co_return Fail(ErrorCode::kUsage, "no Lean at " + lean.string(),
                     "--lean takes the path of a `lean` executable or of a toolchain's folder");
    }
    Toolchain toolchain{.kind = ToolchainKind::kExplicit, .lean = lean};
    co_return co_await Complete(std::move(toolchain), request.confined, deadline);
  }

  const fs::path near = request.near.empty() ? fs::current_path() : fs::absolute(request.near);
  const fs::path project = FindProject(near);
  std::vector<std::string> notes;
  if (!project.empty()) {
    auto found = co_await FromProject(project, request.confined, deadline);
    if (found) co_return found;
    if (HasLakefile(project)) co_return Fail(found.error());
    // A bare lean-toolchain file asks for a version but no library, so another Lean may do.
    notes.push_back(found.error().message + "; another Lean is used instead");
  }
  if (const fs::path lean = core::FindOnPath("lean"); !lean.empty()) {
    Toolchain toolchain{.kind = ToolchainKind::kPath, .lean = lean, .notes = notes};
    if (auto found = co_await Complete(std::move(toolchain), request.confined, deadline))
      co_return found;
    notes.push_back(lean.string() + " does not run");
  }
  const fs::path embedded = request.embedded / "bin" / "lean";
  if (!request.embedded.empty() && core::IsExecutable(embedded)) {
    Toolchain toolchain{.kind = ToolchainKind::kEmbedded, .lean = embedded, .notes = notes};
    co_return co_await Complete(std::move(toolchain), request.confined, deadline);
  }
  co_return Fail(ErrorCode::kEnvironment, "no Lean was found",
                 "install Lean with elan, or run embedded/install.sh to install the bundled Lean");
}

}  // namespace

const char* Name(ToolchainKind kind) {
  switch (kind) {
    case ToolchainKind::kExplicit:
      return "explicit";
    case ToolchainKind::kProject:
      return "project";
    case ToolchainKind::kPath:
      return "path";
    case ToolchainKind::kEmbedded:
      return "embedded";
  }
  return "embedded";
}

void to_json(nlohmann::json& to, const Toolchain& toolchain) {
  to = {{"version", toolchain.version},
        {"commit", toolchain.commit},
        {"kind", Name(toolchain.kind)},
        {"path", toolchain.lean.string()},
        {"project", toolchain.project.string()},
        {"known_problems", KnownProblems(toolchain.version)}};
}

fs::path PrefixOf(const Toolchain& toolchain) {
  if (toolchain.search_path.empty()) return {};
  return toolchain.search_path.back().parent_path().parent_path();  // of PREFIX/lib/lean
}

bool IsConfined(const Toolchain& toolchain, const core::SandboxAbilities& machine) {
  const bool holds = machine.landlock_abi >= 3 && machine.seccomp;
  return holds && toolchain.sandbox.has_value() && !toolchain.sandbox->processes;
}

core::SubprocessOptions ProgramCommand(const Toolchain& toolchain, const fs::path& program) {
  core::SubprocessOptions command{.argv = {toolchain.lean.string(), "--run", program.string()},
                                  .environment = toolchain.environment,
                                  .working_directory = toolchain.document_folder,
                                  .sandbox = toolchain.sandbox};
  if (const fs::path prefix = PrefixOf(toolchain); !prefix.empty()) {
    command.environment.try_emplace("LEAN_SYSROOT", prefix.string());
  }
  if (command.sandbox) command.sandbox->read.push_back(program.parent_path());
  return command;
}

fs::path FindProject(const fs::path& start) {
  std::error_code ignored;
  // Normalized, since the folders that ".." leads out of are not above.
  for (fs::path folder = fs::absolute(start).lexically_normal(); !folder.empty();
       folder = folder.parent_path()) {
    if (HasLakefile(folder) || fs::exists(folder / "lean-toolchain", ignored)) return folder;
    if (folder == folder.parent_path()) break;
  }
  return {};
}

Task<Result<Toolchain>> FindToolchain(ToolchainRequest request, core::Deadline deadline) {
  auto found = co_await Select(std::move(request), deadline);
  if (found) found->saved_imports = SavedImports::For(*found, core::DescribeSandbox());
  co_return found;
}

core::SubprocessOptions WorkerCommand(const Toolchain& toolchain, bool skip_kernel,
                                      const std::string& uri) {
  core::SubprocessOptions command{
      .argv = {toolchain.lean.string(), ThreadsOption(), "-Dserver.reportDelayMs=0"},
      .environment = toolchain.environment,
      .working_directory = toolchain.document_folder,
      .sandbox = toolchain.sandbox};
  if (skip_kernel) {
    command.argv.emplace_back("-Ddebug.skipKernelTC=true");
    command.argv.emplace_back("-Dlinter.all=false");
  }
  command.argv.emplace_back("--worker");
  command.argv.push_back(uri);
  return command;
}

Result<LeanVersion> ParseLeanVersion(std::string_view text) {
  static const std::regex kPattern(R"(version ([0-9]+\.[0-9]+\.[0-9]+[^,\s)]*))");
  static const std::regex kCommit(R"(commit ([0-9a-f]{6,40}))");
  const std::string line(text.substr(0, 1000));
  std::smatch match;
  if (!std::regex_search(line, match, kPattern)) {
    return Fail(ErrorCode::kEnvironment, "this program is not Lean 4; its --version prints: " +
                                             line.substr(0, line.find('\n')));
  }
  LeanVersion version{.version = match[1], .commit = ""};
  if (!version.version.starts_with("4.")) {
    return Fail(ErrorCode::kEnvironment,
                "this is Lean " + version.version + ", but Lean 4 is required",
                "install Lean 4 with elan, or choose one with --lean PATH");
  }
  if (std::regex_search(line, match, kCommit)) version.commit = match[1];
  return version;
}

std::vector<std::string> KnownProblems(std::string_view version) {
  const auto numbers = NumbersOf(version);
  if (!numbers) return {};
  struct Problem {
    VersionNumbers fixed_in;
    const char* what;
  };
  static constexpr Problem kProblems[] = {
      {{4, 32, 1},
       "the kernel accepts opaque values with free variables (fixed in 4.32.1, #14498)"},
      {{4, 32, 2},
       "the kernel leaves phantom parameters of nested inductive types unchecked "
       "(fixed in 4.32.2, #14577)"},
      {{4, 33, 0}, "the kernel judges Prop without normalising (fixed in 4.33.0, #14613)"},
      {{4, 33, 1},
       "the kernel's definitional-equality cache and reference counts can be fooled "
       "(fixed in 4.33.1, #14806, #14807, #14838)"},
      {{4, 34, 1},
       "memory that Lean has freed can be used again, which can be extended to a proof of False "
       "(fixed in 4.34.1, #15241, #15289)"}};
  std::vector<std::string> found;
  for (const auto& problem : kProblems) {
    if (*numbers < problem.fixed_in) found.emplace_back(problem.what);
  }
  return found;
}

std::string FileUri(const fs::path& path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  static constexpr std::string_view kPlain = "/-._~";
  std::string uri = "file://";
  for (const char c : path.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[byte >> 4U];
      uri += kHex[byte & 15U];
    }
  }
  return uri;
}

}  // namespace zermelo::lean
