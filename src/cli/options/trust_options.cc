#include "cli/options/trust_options.h"

#include "cli/options/model_options.h"
#include "trust/verdict.h"

namespace zermelo::cli {

CLI::Option* TrustOptions::AddTo(CLI::App& app) {
  return app
      .add_option(
          "--allow-axiom", allow_axioms,
          "Also allow proofs to use this axiom of the original or of an import (repeatable; "
          "propext, Classical.choice and Quot.sound are allowed unless [trust] in "
          "zermelo.toml says otherwise)")
      ->type_name("NAME")
      ->allow_extra_args(false);
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
