#include "cli/options/states_options.h"

#include "cli/options/model_options.h"
#include "lean/states/tried_states.h"

namespace zermelo::cli {

void StatesOptions::AddTo(CLI::App& app, const std::string& group) {
  app.add_option(
         "--states", use,
         "Try tactics in the state server: `on`, `auto` (on if it agrees with this Lean, see "
         "`doctor --states`), or `off` (default: `states` of [lean] in zermelo.toml, else off; "
         "docs/state-server.md)")
      ->check(CLI::IsMember({"auto", "on", "off"}).description(""))
      ->type_name("auto|on|off")
      ->group(group);
}

core::Result<std::string> StatesOptions::Wanted(const std::string& config,
                                                const std::filesystem::path& near) const {
  if (!use.empty()) return use;
  const auto found = FindConfig(config, near);
  if (!found) return core::Fail(found.error());
  return found->lean.states;
}

core::Result<bool> StatesOptions::With(const lean::Toolchain& toolchain, const std::string& config,
                                       const std::filesystem::path& near) const {
  const auto wanted = Wanted(config, near);
  if (!wanted) return core::Fail(wanted.error());
  return *wanted == "on" || (*wanted == "auto" && lean::TrustsStates(toolchain));
}

}  // namespace zermelo::cli
