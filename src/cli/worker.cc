#include <boost/asio/this_coro.hpp>
#include <memory>
#include <unistd.h>

#include "cli/context.h"
#include "cli/places.h"
#include "cli/verbs.h"
#include "serve/remote/worker_host.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

/// Without a project, none may be found above the folder where the launcher starts this.
fs::path NearOf(const lean::remote::Order& order) {
  if (order.project.empty()) return "/";
  return order.project;
}

Task<Result<lean::Toolchain>> FindOrdered(const lean::remote::Order& order) {
  std::error_code ignored;
  if (!order.project.empty() && !fs::is_directory(order.project, ignored)) {
    co_return Fail(ErrorCode::kEnvironment, "it has no folder " + order.project);
  }
  LeanOptions options;
  options.lean = order.lean;
  options.no_sandbox = !order.confined;
  fs::path near = NearOf(order);
  co_return co_await FindLean(options, std::move(near));
}

Task<int> RunWorker() {
  const auto fingerprints = std::make_shared<Fingerprints>();
  serve::WorkerHostOptions options;
  options.find_lean = FindOrdered;
  options.fingerprint = fingerprints->Function();
  const bool served = co_await serve::HostWorker(std::move(options), STDIN_FILENO, STDOUT_FILENO);
  co_return served ? 0 : 3;
}

}  // namespace

void AddWorker(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand(
      "worker",
      "Run Lean for Zermelo on another machine, which starts this command through [[workers]]");
  verb->footer(
      "Example, in the file that --config names on the other machine:\n"
      "  [[workers]]\n"
      "  launch = [\"ssh\", \"-o\", \"BatchMode=yes\", \"node7\"]\n"
      "  count = 8\n\n"
      "It reads its orders from standard input and ends with it. See docs/workers.md.");
  verb->group("");  // not for users: out of --help and completion
  verb->callback([&exit_code] {
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunWorker());
  });
}

}  // namespace zermelo::cli
