// Receipts: a judgement with everything needed to repeat it (docs/receipts.md,
// docs/receipt.schema.json).
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "engine/acceptance/acceptance.h"
#include "lean/toolchain.h"

namespace zermelo::engine {

/// The version of Zermelo, and of its kernel.
const char* ProgramVersion();

/// What is judged, and by which rules.
struct JudgedProof {
  std::string original;
  std::string candidate;
  /// Names of declarations of the original, as in JudgedTarget; nullopt: every one with a `sorry`.
  std::optional<std::vector<std::string>> targets;
  std::vector<std::string> allowed_axioms;
  bool allow_more_imports = false;
  bool allow_programs = false;
  trust::KernelUse kernel = trust::KernelUse::kOn;
  bool paranoid = false;  // the toolchain's other kernels judged, too
};

/// The receipt of a judgement that was made now, with this Lean.
nlohmann::json MakeReceipt(const JudgedProof& proof, const AcceptanceReport& report,
                           const lean::Toolchain& toolchain);

/// What a receipt is about. kInput if it is malformed, has a later version, or contains a text that
/// does not match its hash.
core::Result<JudgedProof> ProofOf(const nlohmann::json& receipt);

struct RecheckLimits {
  core::Deadline deadline;
  bool paranoid = false;        // ask the other kernels even if the receipt's rules do not say so
  bool allow_programs = false;  // a receipt whose rules do so is an error otherwise
  OtherKernels others = {};
  core::Cancellation* cancellation = nullptr;  // may be null; must outlive JudgeAgain
  // Of this Lean, shared by many receipts; null: new ones.
  std::shared_ptr<LibraryReader> library = {};
  std::shared_ptr<ImportsJudge> imports = {};
};
/// Repeats the judgement of a receipt. Errors: those of ProofOf and of Acceptance::Judge.
core::Task<core::Result<nlohmann::json>> JudgeAgain(const nlohmann::json& receipt,
                                                    core::Executor executor,
                                                    const lean::Toolchain& toolchain,
                                                    RecheckLimits limits);

/// What differs between two receipts of one proof: {"what": "outcome", "before", "now"} for each of
/// the outcome, theorems and their axioms, kernels, imports, Lean, project and Zermelo.
nlohmann::json ReceiptChanges(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace zermelo::engine
