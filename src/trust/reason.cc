#include "trust/reason.h"

namespace zermelo::trust {

const std::vector<ReasonInfo>& ReasonTable() {
  using enum ReasonCode;
  static const std::vector<ReasonInfo> table = {
      {kDoesNotCompile, "does_not_compile", "the candidate's text does not compile"},
      {kCandidateMissing, "candidate_missing", "there is no candidate to judge"},
      {kCandidateUnreadable, "candidate_unreadable",
       "the compiled candidate is damaged, incomplete or forged"},
      {kDifferentLean, "different_lean",
       "original and candidate were compiled by different versions of Lean"},
      {kImportsChanged, "imports_changed",
       "the candidate does not import the same modules as the original"},
      {kHeaderChanged, "header_changed", "`module` was added to or removed from the file"},
      {kTargetUnknown, "target_unknown", "the original has no such declaration, or several"},
      {kDeclarationMissing, "declaration_missing", "a declaration of the original is missing"},
      {kTheoremMissing, "theorem_missing", "a theorem of the original is missing"},
      {kKindChanged, "kind_changed",
       "a declaration changed its kind, e.g. a theorem became an axiom"},
      {kUniversesChanged, "universes_changed", "a declaration has different universe parameters"},
      {kTypeChanged, "type_changed", "a declaration states something else or has a different type"},
      {kValueChanged, "value_changed",
       "a definition, inductive type or instance has different content"},
      {kSafetyChanged, "safety_changed", "a declaration became unsafe or partial"},
      {kDependencyChanged, "dependency_changed",
       "a declaration is unchanged but depends on one that was changed"},
      {kNewAxiom, "new_axiom", "the candidate declares an axiom that the original does not have"},
      {kShadowsImport, "shadows_import",
       "the candidate declares a name that an imported module already declares"},
      {kMetaProgram, "meta_program",
       "the candidate defines a program that could run inside Lean and put anything into the file"},
      {kImplementedBy, "implemented_by", "code used by the proof was given another implementation"},
      {kExtern, "extern", "code used by the proof was given a foreign implementation"},
      {kCSimp, "csimp", "the compiler was told to replace code used by the proof"},
      {kUsesSorry, "uses_sorry", "the proof, or something it uses, contains `sorry`"},
      {kNativeCode, "native_code",
       "the proof trusts compiled code (`native_decide`, `ofReduceBool`)"},
      {kAxiomNotAllowed, "axiom_not_allowed", "the proof uses an axiom that is not allowed"},
      {kUnsafeConstant, "unsafe_constant", "the proof uses an unsafe constant"},
      {kPartialConstant, "partial_constant", "the proof uses a partial constant"},
      {kUnknownConstant, "unknown_constant",
       "the proof uses a constant that is not declared anywhere"},
      {kMalformedConstant, "malformed_constant",
       "the proof uses a constant with free variables, which Lean's kernel never accepts"},
      {kCircularProof, "circular_proof", "the proof depends on itself"},
      {kTooComplex, "too_complex", "the compiled candidate is too large to be checked"},
      {kPartsDiffer, "parts_differ",
       "the parts of the compiled candidate that others import say something else than the last"},
      {kKernelRejected, "kernel_rejected",
       "a declaration of the candidate, or with `--kernel all` of an import, breaks a rule of a "
       "kernel"},
      {kKernelDeclined, "kernel_declined",
       "Zermelo's kernel could not judge the candidate, and its verdict is required"},
      {kForbiddenCommand, "forbidden_command",
       "the text has a command that runs code or weakens checks"},
      {kForbiddenOption, "forbidden_option", "the text sets an option that weakens checks"},
      {kForbiddenAttribute, "forbidden_attribute",
       "the text has an attribute that changes how Lean elaborates or compiles"},
      {kForbiddenTactic, "forbidden_tactic", "the text has a tactic that trusts compiled code"},
      {kSorryAdded, "sorry_added", "the text has a `sorry` that the original does not have"},
      {kImportAdded, "import_added", "the text has an import that the original does not have"},
  };
  return table;
}

const char* Name(ReasonCode code) {
  for (const ReasonInfo& info : ReasonTable()) {
    if (info.code == code) return info.name;
  }
  return "";
}

}  // namespace zermelo::trust
