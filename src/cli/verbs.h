// The verbs of the command line, one file each. Each adds its subcommand to `app`; when it was
// chosen, `exit_code` is set by its callback.
#pragma once

#include <CLI/CLI.hpp>

namespace zermelo::cli {

void AddProve(CLI::App& app, int& exit_code);
void AddCheck(CLI::App& app, int& exit_code);
void AddEval(CLI::App& app, int& exit_code);
void AddDoctor(CLI::App& app, int& exit_code);
void AddRuns(CLI::App& app, int& exit_code);
void AddEvents(CLI::App& app, int& exit_code);
void AddBlueprint(CLI::App& app, int& exit_code);
void AddMcp(CLI::App& app, int& exit_code);
void AddIndex(CLI::App& app, int& exit_code);
void AddSearch(CLI::App& app, int& exit_code);
void AddServe(CLI::App& app, int& exit_code);
void AddCompletion(CLI::App& app, int& exit_code);

}  // namespace zermelo::cli
