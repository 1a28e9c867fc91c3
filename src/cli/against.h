// `zermelo check CANDIDATE --against ORIGINAL`: the verdict of trust.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/progress.h"

namespace zermelo::cli {

struct AgainstOptions {
  LeanOptions lean;
  std::string original;
  std::string candidate;
  double seconds = 600;
  bool allow_more_imports = false;
  bool as_json = false;
  bool quiet = false;
};

/// Exit code 0 only if every theorem that has a `sorry` in the original is proved.
core::Task<int> RunAgainst(AgainstOptions options);

}  // namespace zermelo::cli
