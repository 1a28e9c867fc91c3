// Zermelo's kernel, run on everything that a candidate imports.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/kernels/second_kernel.h"

namespace zermelo::trust {

struct ImportsRequest {
  std::filesystem::path module;  // a compiled module, of which only the imports are read
  std::vector<std::filesystem::path> search_path;
  /// What a verdict on the module says of its imports (Verdict::library_modules and _fingerprint).
  size_t modules = 0;
  std::string fingerprint;

  size_t threads = 1;
  std::chrono::milliseconds time = std::chrono::hours(1);
  const std::atomic<bool>* stop =
      nullptr;  // may be null; ends the check soon after it becomes true
  /// Called on other threads, one at a time, with the steps done and all steps of a stage.
  std::function<void(const char* stage, size_t done, size_t count)> on_progress = {};
};

/// What Zermelo's kernel says of the imports.
struct ImportsVerdict {
  /// kAccepted: every safe declaration was checked. kDeclined: some could not be judged, or their
  /// proofs or definitions are missing because the library has only its public parts; these are
  /// trusted as shipped. kRejected: a declaration breaks a rule, and nothing is missing that could
  /// be the reason.
  Decision outcome = Decision::kAccepted;
  std::string declaration;          // the first that was rejected, or else declined; empty: none
  std::string reason;               // a sentence; empty if accepted
  size_t checked = 0;               // declarations that were accepted, without those of `hidden`
  size_t refused = 0;               // that were not
  size_t hidden = 0;                // whose proofs or definitions are missing
  std::vector<std::string> axioms;  // that the imports declare, whether something uses them or not
  double seconds = 0;
};

/// Reads and checks the imports, with the code of `zermelo kernel --imports`. Blocks, at about
/// 20 MB a second and thread. Errors: those of kernel::CheckFiles; kEnvironment, too, if the
/// imports are not those of the fingerprint; kCancelled.
core::Result<ImportsVerdict> JudgeImports(const ImportsRequest& request);

/// "accepted all 138666 declarations", "accepted 138665 declarations; not accepted: 1, first `X`:
/// the time limit was reached".
std::string Summary(const ImportsVerdict& imports);

}  // namespace zermelo::trust
