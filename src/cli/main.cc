// The command line: adds the verbs, reports usage errors, and returns the exit code.
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal/help_format.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "core/names.h"
#include "core/process/open_files.h"

namespace {

constexpr int kUsageError = 2;
constexpr int kUsageErrorOfKernel = 3;  // for checkers of proofs, 2 means declined

/// The verbs and flags to suggest for a misspelled one.
std::vector<std::string> KnownNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// CLI11 lists unexpected arguments in reverse and does not name an unknown verb.
std::string MessageOf(const CLI::App& verb, const CLI::ParseError& error, int argc, char** argv) {
  const bool has_verb = verb.get_parent() != nullptr;
  if (has_verb && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return fmt::format("unexpected argument: {}", fmt::join(verb.remaining(), " "));
  }
  const bool names_verb = argc > 1 && argv[1][0] != '-' && argv[1][0] != '\0';
  if (!has_verb && names_verb) return fmt::format("there is no verb `{}`", argv[1]);
  return error.what();
}

int ReportUsage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().back();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    while (verb != &app && verb->remaining().empty()) verb = verb->get_parent();
  }
  std::string written;  // `export sft `
  for (const CLI::App* each = verb; each != &app; each = each->get_parent()) {
    written = each->get_name() + " " + written;
  }
  fmt::print(stderr, "zermelo: {}\n", MessageOf(*verb, error, argc, argv));
  const auto names = KnownNames(*verb);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string word(argument.substr(0, argument.find('=')));
    const bool known = std::find(names.begin(), names.end(), word) != names.end();
    const bool flag = word.starts_with("--");
    if (known || (!flag && verb != &app)) continue;
    const std::string hint = zermelo::core::DidYouMean(word, names);
    if (!hint.empty()) fmt::print(stderr, "  {}\n", hint);
  }
  fmt::print(stderr, "  see: zermelo {}--help\n", written);
  return app.got_subcommand("kernel") ? kUsageErrorOfKernel : kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // writing to a Lean that died is an error value
  zermelo::core::RaiseOpenFileLimit();
  CLI::App app(
      "Zermelo proves Lean 4 theorems: it replaces the sorrys of a file with proofs that Lean "
      "has checked.",
      "zermelo");
  app.formatter(std::make_shared<zermelo::cli::HelpFormat>());
  app.set_version_flag("--version", "zermelo " ZERMELO_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Example:\n  zermelo prove examples/quickstart.lean\n\n"
      "See `zermelo VERB --help` for a verb's options. Exit codes (`kernel` has its own): 0 all "
      "proved or accepted,\n"
      "1 some not, 2 usage or input error, 3 no Lean or another environment problem,\n"
      "130 interrupted.");
  int exit_code = 0;
  zermelo::cli::AddProve(app, exit_code);
  zermelo::cli::AddCheck(app, exit_code);
  zermelo::cli::AddRecheck(app, exit_code);
  zermelo::cli::AddKernel(app, exit_code);
  zermelo::cli::AddAudit(app, exit_code);
  zermelo::cli::AddEval(app, exit_code);
  zermelo::cli::AddRuns(app, exit_code);
  zermelo::cli::AddEvents(app, exit_code);
  zermelo::cli::AddBlueprint(app, exit_code);
  zermelo::cli::AddView(app, exit_code);
  zermelo::cli::AddTrace(app, exit_code);
  zermelo::cli::AddLearn(app, exit_code);
  zermelo::cli::AddExport(app, exit_code);
  zermelo::cli::AddIndex(app, exit_code);
  zermelo::cli::AddSearch(app, exit_code);
  zermelo::cli::AddServe(app, exit_code);
  zermelo::cli::AddMcp(app, exit_code);
  zermelo::cli::AddLsp(app, exit_code);
  zermelo::cli::AddWorker(app, exit_code);
  zermelo::cli::AddDoctor(app, exit_code);
  zermelo::cli::AddCompletion(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return ReportUsage(app, error, argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "zermelo: internal error: {}\n", error.what());
    return 3;
  }
  return exit_code;
}
