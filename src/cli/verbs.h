// The verbs of the command line. Each function adds a subcommand to `app`, whose callback runs the
// verb and sets `exit_code`.
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
void AddView(CLI::App& app, int& exit_code);
void AddMcp(CLI::App& app, int& exit_code);
void AddTrace(CLI::App& app, int& exit_code);
void AddLearn(CLI::App& app, int& exit_code);
void AddExport(CLI::App& app, int& exit_code);
void AddLsp(CLI::App& app, int& exit_code);
void AddIndex(CLI::App& app, int& exit_code);
void AddSearch(CLI::App& app, int& exit_code);
void AddServe(CLI::App& app, int& exit_code);
void AddKernel(CLI::App& app, int& exit_code);
void AddAudit(CLI::App& app, int& exit_code);
void AddRecheck(CLI::App& app, int& exit_code);
void AddWorker(CLI::App& app, int& exit_code);
void AddCompletion(CLI::App& app, int& exit_code);

}  // namespace zermelo::cli
