#include "cli/context.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json.h"

namespace zermelo::cli {

namespace fs = std::filesystem;

void LeanOptions::AddTo(CLI::App& app) {
  app.add_option("--lean", lean,
                 "Lean to use: a `lean` executable or a toolchain folder "
                 "(default: the project's, then the one on PATH, then the embedded one)")
      ->envname("ZERMELO_LEAN")
      ->type_name("PATH");
  app.add_flag("--no-sandbox", no_sandbox,
               "Run Lean unsandboxed: code in Lean files gets your file and network access");
}

int Report(const core::Error& error) {
  fmt::print(stderr, "zermelo: {}\n", error.message);
  if (!error.hint.empty()) fmt::print(stderr, "  {}\n", error.hint);
  return core::ExitCode(error.code);
}

fs::path EmbeddedFolder() {
  if (const char* named = std::getenv("ZERMELO_EMBEDDED"); named != nullptr) return named;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = self.parent_path(); !error && folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "embedded" / "bin" / "lean", error)) return folder / "embedded";
  }
  return {};
}

core::Task<core::Result<lean::Toolchain>> FindLean(const LeanOptions& options, fs::path near) {
  lean::ToolchainRequest request;
  request.lean = options.lean;
  request.near = std::move(near);
  request.embedded = EmbeddedFolder();
  request.confined = !options.no_sandbox;
  auto toolchain = co_await lean::FindToolchain(std::move(request),
                                                core::Deadline::After(std::chrono::seconds(120)));
  if (toolchain) {
    for (const auto& note : toolchain->notes) fmt::print(stderr, "zermelo: note: {}\n", note);
  }
  co_return toolchain;
}

nlohmann::json LeanJson(const lean::Toolchain& toolchain) {
  nlohmann::json shown = toolchain;
  nlohmann::json lean = core::Picked(shown, {"version", "kind"});
  lean["warnings"] = std::move(shown["known_problems"]);
  return lean;
}

core::Result<core::Duration> ParseDuration(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  double seconds = -1;
  if (unit.empty() || unit == "s") seconds = value;
  if (unit == "ms") seconds = value / 1000;
  if (unit == "m" || unit == "min") seconds = value * 60;
  if (unit == "h") seconds = value * 3600;
  if (error != std::errc() || !std::isfinite(seconds) || seconds <= 0 || seconds > 1e8) {
    return core::Fail(core::ErrorCode::kUsage,
                      "'" + text + "' is not a duration (examples: 60s, 5m, 1.5h)");
  }
  return core::FromSeconds(seconds);
}

CLI::Validator Between(int64_t least, int64_t most) {
  return {[=](std::string& text) {
            int64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            const bool fits =
                read.ec == std::errc() && read.ptr == end && value >= least && value <= most;
            return fits ? "" : fmt::format("{} is not a number from {} to {}", text, least, most);
          },
          "", ""};
}

CLI::Validator Positive() {
  return {[](std::string& text) {
            double value = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            const bool fits = read.ec == std::errc() && read.ptr == end && value > 0;
            return fits ? "" : text + " is not a number above 0";
          },
          "", ""};
}

CLI::Validator DurationValidator() {
  return {[](std::string& text) {
            const auto parsed = ParseDuration(text);
            if (!parsed) return parsed.error().message;
            text = fmt::format("{}", core::Seconds(*parsed));
            return std::string();
          },
          "DURATION", "duration"};
}

}  // namespace zermelo::cli
