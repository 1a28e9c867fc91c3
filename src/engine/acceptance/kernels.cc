#include "engine/acceptance/kernels.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "core/files/file.h"
#include "core/hash/hash.h"

namespace zermelo::engine {

namespace fs = std::filesystem;
using nlohmann::json;
using trust::Decision;
using trust::KernelVerdict;

namespace {

constexpr std::ptrdiff_t kMaxKept = 20;
constexpr const char* kOnlyCompiled =
    "no independent kernel has accepted it, only the Lean that compiled it";

/// "a", "a and b", "a, b and c".
std::string Enumerated(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names[0];
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(first, ", "), names.back());
}

fs::path StateFolder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  fs::path state = variable("XDG_STATE_HOME");
  if (state.empty() && !variable("HOME").empty()) state = variable("HOME") / ".local/state";
  return state.empty() ? state : state / "zermelo" / "disagreements";
}

core::Error NotKept(const std::string& why) {
  return {core::ErrorCode::kEnvironment,
          "the files that the kernels disagree on are not kept: " + why};
}

}  // namespace

json KernelsJson(const std::vector<KernelVerdict>& kernels) {
  json list = json::array();
  for (const KernelVerdict& kernel : kernels) {
    json entry{{"kernel", kernel.kernel}, {"verdict", Name(kernel.outcome)}};
    if (!kernel.version.empty()) entry["version"] = kernel.version;
    if (kernel.outcome != Decision::kAccepted) {
      entry["declaration"] = kernel.declaration.empty() ? json() : json(kernel.declaration);
      entry["reason"] = kernel.reason;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

json ImportsJson(const trust::ImportsVerdict& imports) {
  json checked{{"verdict", Name(imports.outcome)},
               {"declarations", imports.checked},
               {"not_accepted", imports.refused},
               {"hidden", imports.hidden},
               {"axioms", imports.axioms}};
  if (imports.outcome != Decision::kAccepted) {
    checked["declaration"] = imports.declaration.empty() ? json() : json(imports.declaration);
    checked["reason"] = imports.reason;
  }
  return checked;
}

json RecordedKernels(const json& list) {
  json kernels = json::array();
  for (const json& entry : list) {
    if (!entry.is_object() || entry.value("kernel", json()) != "lean") kernels.push_back(entry);
  }
  return kernels;
}

std::string KernelsLine(const std::vector<KernelVerdict>& kernels) {
  std::vector<std::string> accepting;
  std::string others;
  bool rejected = false;
  for (const KernelVerdict& kernel : kernels) {
    if (kernel.outcome == Decision::kAccepted) {
      accepting.push_back(DisplayName(kernel));
      continue;
    }
    rejected = rejected || kernel.outcome == Decision::kRejected;
    others += fmt::format("; {} by {}: ", Name(kernel.outcome), DisplayName(kernel));
    if (!kernel.declaration.empty()) others += "`" + kernel.declaration + "`: ";
    others += kernel.reason;
  }
  if (!accepting.empty()) return "accepted by " + Enumerated(accepting) + others;
  return rejected ? others.substr(2) : kOnlyCompiled + others;
}

std::vector<std::string> AcceptingKernels(const std::vector<KernelVerdict>& kernels) {
  std::vector<std::string> names;
  for (const KernelVerdict& kernel : kernels) {
    if (kernel.outcome == Decision::kAccepted) names.push_back(kernel.kernel);
  }
  return names;
}

bool Disagree(const std::vector<KernelVerdict>& kernels, bool lean_counts) {
  const auto some = [&](Decision outcome) {
    return std::ranges::count(kernels, outcome, &KernelVerdict::outcome) > 0;
  };
  return some(Decision::kRejected) && (lean_counts || some(Decision::kAccepted));
}

core::Result<fs::path> Keep(const Disagreement& disagreement) {
  const fs::path all = StateFolder();
  if (all.empty()) return core::Fail(NotKept("there is no home folder"));
  const fs::path folder =
      all / core::HexHash64(disagreement.original + '\0' + disagreement.candidate);
  std::error_code error;
  if (fs::exists(folder, error)) return folder;
  fs::create_directories(all, error);
  if (std::distance(fs::directory_iterator(all, error), fs::directory_iterator()) >= kMaxKept) {
    return core::Fail(
        NotKept(all.string() + " already has twenty; remove those that have been reported"));
  }
  fs::create_directory(folder, error);
  for (const char* part : {"", ".server", ".private"}) {
    const fs::path file = disagreement.olean.string() + part;
    std::error_code missing;
    if (!error && fs::exists(file, missing))
      fs::copy_file(file, folder / (std::string("Candidate.olean") + part), error);
  }
  if (error) return core::Fail(NotKept(folder.string() + ": " + error.message()));
  for (const auto& [name, text] : {std::pair("Original.lean", &disagreement.original),
                                   std::pair("Candidate.lean", &disagreement.candidate)}) {
    if (auto written = core::WriteFileAtomically(folder / name, *text); !written)
      return core::Fail(NotKept(written.error().message));
  }
  return folder;
}

}  // namespace zermelo::engine
