// The reasons for rejecting a proof.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zermelo::trust {

enum class ReasonCode : uint8_t {
  kNone,
  // The files.
  kDoesNotCompile,
  kCandidateMissing,
  kCandidateUnreadable,
  kDifferentLean,
  kImportsChanged,
  kHeaderChanged,
  // The declarations of the original.
  kTargetUnknown,
  kDeclarationMissing,
  kTheoremMissing,
  kKindChanged,
  kUniversesChanged,
  kTypeChanged,
  kValueChanged,
  kSafetyChanged,
  kDependencyChanged,
  // What the candidate adds.
  kNewAxiom,
  kShadowsImport,
  kMetaProgram,
  kImplementedBy,
  kExtern,
  kCSimp,
  // What the proof depends on.
  kUsesSorry,
  kNativeCode,
  kAxiomNotAllowed,
  kUnsafeConstant,
  kPartialConstant,
  kUnknownConstant,
  kMalformedConstant,
  kCircularProof,
  kTooComplex,
  // What Zermelo's kernel says.
  kPartsDiffer,
  kKernelRejected,
  kKernelDeclined,
  // The text (source_rules.h).
  kForbiddenCommand,
  kForbiddenOption,
  kForbiddenAttribute,
  kForbiddenTactic,
  kSorryAdded,
  kImportAdded,
};

/// One row per code: its name in JSON and its meaning.
struct ReasonInfo {
  ReasonCode code;
  const char* name;
  const char* meaning;
};
const std::vector<ReasonInfo>& ReasonTable();
/// "new_axiom", …; "" for kNone.
const char* Name(ReasonCode code);

/// `message` is a sentence for a reader who knows Lean but not this program.
struct Reason {
  ReasonCode code = ReasonCode::kNone;
  std::string message;
};

}  // namespace zermelo::trust
