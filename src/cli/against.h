// `zermelo check CANDIDATE --against ORIGINAL`: trust's verdict on a file, or on those of a folder.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/options/paranoid_options.h"
#include "cli/options/trust_options.h"
#include "cli/terminal/progress.h"

namespace zermelo::cli {

struct AgainstOptions {
  LeanOptions lean;
  TrustOptions trust;
  ParanoidOptions paranoid;
  std::string config;
  // Two files, or two folders: each .lean file of `original` is compared with the file at the same
  // relative path in `candidate`.
  std::string original;
  std::string candidate;
  size_t jobs = 1;       // verdicts at once (folders only)
  double seconds = 600;  // for each verdict
  bool allow_more_imports = false;
  bool allow_programs = false;
  std::string receipt;  // file for the receipt (a folder if two folders are compared); empty: none
  bool as_json = false;
  bool quiet = false;
};

/// Exit code 0 only if every theorem that has a `sorry` in an original is proved; else the code of
/// the first error, or 1 if there was none.
core::Task<int> RunAgainst(AgainstOptions options);

}  // namespace zermelo::cli
