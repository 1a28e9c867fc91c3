// `zermelo check CANDIDATE --against ORIGINAL`: the verdict of trust, on a file or on folders.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/progress.h"
#include "cli/trust_options.h"

namespace zermelo::cli {

struct AgainstOptions {
  LeanOptions lean;
  TrustOptions trust;
  std::string config;
  // Two files, or two folders: then each .lean file of `original` is compared with the one at the
  // same place in `candidate`.
  std::string original;
  std::string candidate;
  size_t jobs = 1;       // verdicts at once, of folders
  double seconds = 600;  // for each verdict
  bool allow_more_imports = false;
  bool as_json = false;
  bool quiet = false;
};

/// Exit code 0 only if every theorem that has a `sorry` in an original is proved; 1 if one is not;
/// else that of the first error.
core::Task<int> RunAgainst(AgainstOptions options);

}  // namespace zermelo::cli
