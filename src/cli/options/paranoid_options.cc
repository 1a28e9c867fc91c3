#include "cli/options/paranoid_options.h"

#include "cli/context.h"
#include "cli/mcp/mcp_setup.h"

namespace zermelo::cli {

void ParanoidOptions::AddTo(CLI::App& app, CLI::Option* needed) {
  auto* flag =
      app.add_flag("--paranoid", on,
                   "Also run Lean's kernel again in a fresh process, and the other kernels of "
                   "Lean 4.35");
  if (needed != nullptr) flag->needs(needed);
  app.add_option("--paranoid-time", seconds, "Time limit for each of them (default: 10m)")
      ->needs(flag)
      ->transform(DurationValidator())
      ->type_name("TIME");
  app.add_option("--paranoid-memory", bytes, "Memory limit for each of them (default: 8G)")
      ->needs(flag)
      ->transform(SizeValidator())
      ->type_name("SIZE");
}

engine::OtherKernels ParanoidOptions::Limits(Progress& progress) const {
  engine::OtherKernels limits;
  limits.time = core::FromSeconds(seconds);
  limits.bytes = bytes;
  limits.on_start = [&progress](const std::string& kernel) {
    progress.Show("asking " + kernel + " …");
    progress.PrintPlain("asking " + kernel + " …");
  };
  return limits;
}

}  // namespace zermelo::cli
