#include "cli/options/trust_options.h"

#include "cli/options/model_options.h"

namespace zermelo::cli {

void TrustOptions::AddTo(CLI::App& app, CLI::Option* needed, bool with_all) {
  std::vector<std::string> uses = {"off", "on", "required"};
  std::string help =
      "Use of Zermelo's own kernel: `on` rejects what it rejects (default), `required` also "
      "rejects what it cannot judge, `off` relies on Lean's compilation alone";
  if (with_all) {
    uses.emplace_back("all");
    help += ", `all` also checks all imported declarations, which takes seconds to minutes";
  }
  auto* axioms =
      app.add_option(
             "--allow-axiom", allow_axioms,
             "Also allow proofs to use this axiom of the original or of an import (repeatable; "
             "propext, Classical.choice and Quot.sound are allowed unless [trust] in "
             "zermelo.toml says otherwise)")
          ->type_name("NAME")
          ->allow_extra_args(false);
  auto* use = app.add_option("--kernel", kernel, help)
                  ->check(CLI::IsMember(uses).description(""))
                  ->type_name(with_all ? "off|on|required|all" : "off|on|required");
  if (needed == nullptr) return;
  axioms->needs(needed);
  use->needs(needed);
}

trust::KernelUse TrustOptions::Kernel() const {
  if (kernel == "off") return trust::KernelUse::kOff;
  if (kernel == "all") return trust::KernelUse::kAll;
  return kernel == "required" ? trust::KernelUse::kRequired : trust::KernelUse::kOn;
}

core::Result<std::vector<std::string>> TrustOptions::Axioms(
    const std::string& config, const std::filesystem::path& near) const {
  const auto found = FindConfig(config, near);
  if (!found) return core::Fail(found.error());
  auto axioms = found->trust.axioms.value_or(trust::StandardAxioms());
  axioms.insert(axioms.end(), allow_axioms.begin(), allow_axioms.end());
  return axioms;
}

}  // namespace zermelo::cli
