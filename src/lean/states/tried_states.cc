#include "lean/states/tried_states.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/files/file.h"
#include "core/files/user_cache.h"
#include "core/hash/sha256.h"
#include "core/json.h"
#include "lean/states/state_probes.txt.h"
#include "lean/states/state_server.h"
#include "lean/versions.h"

namespace zermelo::lean {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path TrialFile(const Toolchain& toolchain) {
  std::error_code failed;
  const fs::path place = fs::weakly_canonical(toolchain.lean, failed);
  core::Sha256 identity;
  for (const std::string& part :
       {toolchain.version, toolchain.commit, (failed ? toolchain.lean : place).string()}) {
    identity.Add(part + "\n");
  }
  identity.Add(StateProgram::Text());
  identity.Add(kStateProbes);
  return core::UserCache() / fmt::format("states-{}.json", identity.Hex().substr(0, 16));
}

std::optional<StatesTrial> KnownTrial(const Toolchain& toolchain) {
  const auto text = core::ReadTextFile(TrialFile(toolchain));
  if (!text) return std::nullopt;
  try {
    const json kept = core::JsonOrDiscarded(*text);
    return StatesTrial{.probes = kept.at("probes").get<size_t>(),
                       .differences = kept.at("differences").get<size_t>()};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

core::Status KeepTrial(const Toolchain& toolchain, const StatesTrial& trial) {
  const fs::path file = TrialFile(toolchain);
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const json kept{{"lean", toolchain.version},
                  {"path", toolchain.lean.string()},
                  {"probes", trial.probes},
                  {"differences", trial.differences}};
  return core::WriteFileAtomically(file, core::Dump(kept, 1) + "\n");
}

bool TrustsStates(const Toolchain& toolchain) {
  if (const auto trial = KnownTrial(toolchain)) return trial->agree();
  return toolchain.version == kRunVersion;
}

}  // namespace zermelo::lean
