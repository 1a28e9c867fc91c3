// What a reader of a project should know about the declarations of compiled modules: axioms,
// `sorry`s, unsafe and native code.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "kernel/files/check_file.h"

namespace zermelo::trust {

enum class FindingKind : uint8_t {
  kAxiom,          // it is an axiom
  kSorry,          // it has a `sorry` of its own
  kUsesSorry,      // it depends on a declaration with a `sorry`
  kUsesAxiom,      // it depends on an axiom that is not allowed (the detail)
  kNativeCode,     // it trusts compiled code, its own or that of a declaration (the detail)
  kUnsafe,         // it is unsafe
  kPartial,        // it is partial
  kOpaque,         // an opaque constant without a body: any element of its type
  kImplementedBy,  // compiled code uses another declaration in its place (the detail)
  kExtern,         // compiled code uses foreign code in its place
  kCSimp,          // compiled code is rewritten with it
};
/// The name in JSON ("uses_axiom"), and what a declaration with it does: "depends on the axiom".
const char* Name(FindingKind kind);
const char* Meaning(FindingKind kind);
/// False if no kind has this name.
bool ParseFindingKind(const std::string& name, FindingKind* kind);

/// A finding about a declaration in the source; declarations that Lean generates for it count as
/// part of it.
struct AuditFinding {
  std::string declaration;  // as printed
  FindingKind kind = FindingKind::kAxiom;
  std::string detail;
  std::string private_in;  // its module, if it is private: others may have one of the same name
  std::string module;
  uint64_t line = 0;  // 0: unknown
  /// The StatementHash of what is taken for granted: of an axiom's finding, and of one about the
  /// use of an imported axiom, which has no finding of its own. Else empty.
  std::string statement = {};
  /// A finding stays the same when its declaration moves: module and line do not count.
  bool operator==(const AuditFinding& other) const { return std::is_eq(*this <=> other); }
  std::strong_ordering operator<=>(const AuditFinding& other) const;
  /// The same but for the statement.
  bool IsAboutTheSame(const AuditFinding& other) const;
};

struct AuditedDeclaration {
  std::string name;
  std::string module;
  uint64_t line = 0;
  std::vector<std::string> axioms;  // that it depends on, sorted
};

struct AuditRequest {
  /// The modules to report on, each with all its parts; names as for imports. They may import each
  /// other.
  std::vector<kernel::ModuleFile> files;
  /// Where imported modules are.
  std::vector<std::filesystem::path> search_path;
  /// Axioms that every declaration may depend on without being reported.
  std::vector<std::string> allowed_axioms;
};

struct AuditReport {
  std::vector<AuditFinding> findings;            // sorted
  std::vector<AuditedDeclaration> declarations;  // in the order of modules and lines
  std::map<std::string, size_t> axioms;          // number of declarations that depend on each
  std::string lean_version;                      // that wrote the modules
  std::string lean_commit;
  size_t modules = 0;
  size_t imported_modules = 0;
  /// Imported modules without proofs: what their declarations depend on is unknown.
  size_t imported_without_proofs = 0;
};

/// Reads the modules and everything that they import: about a second for 100 MB. kInput when a file
/// is malformed or a module lacks its private part, kEnvironment when an import is missing.
core::Result<AuditReport> Audit(const AuditRequest& request);

}  // namespace zermelo::trust
