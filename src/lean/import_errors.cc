#include "lean/import_errors.h"

#include <regex>

namespace zermelo::lean {

namespace {

/// The module that a message reports as missing; "" if it names none, nullopt if the message is not
/// about an import.
std::optional<std::string> MissingModule(const std::string& message) {
  // The last two come from a worker that may not build (dependencyBuildMode: never).
  static const std::regex kForms[] = {
      std::regex(R"(unknown (?:module prefix|package) '([^']+)')"),
      std::regex(R"(object file '[^']*' of module (\S+) does not exist)"),
      std::regex(R"(bad import '([^']+)')"),
      std::regex(R"([Ii]mports are out of date and must be rebuilt()())"),
      std::regex(R"([Ii]mports of '[^']*' are out of date and must be rebuilt()())")};
  const std::string start = message.substr(0, 1000);
  std::smatch match;
  for (const std::regex& form : kForms) {
    if (std::regex_search(start, match, form)) return match[1];
  }
  return std::nullopt;
}

}  // namespace

std::string ImportHint(const Diagnostic& diagnostic, const Toolchain& toolchain) {
  const auto module = MissingModule(diagnostic.message);
  if (!module) return "";
  if (toolchain.project.empty()) {
    return "the file is not in a Lake project, so it can import only Lean's own library: move it "
           "into "
           "the project whose library it imports, or set LEAN_PATH";
  }
  if (*module == "Mathlib") {
    return "run `lake exe cache get && lake build` in " + toolchain.project.string();
  }
  return "run `lake build" + (module->empty() ? "" : " " + *module) + "` in " +
         toolchain.project.string();
}

}  // namespace zermelo::lean
