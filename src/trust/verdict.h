// The judgement on a proof: whether a compiled candidate proves what the original asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/library.h"
#include "trust/reason.h"

namespace zermelo::trust {

/// What Lean's own library rests on: propext, Classical.choice, Quot.sound.
std::vector<std::string> StandardAxioms();

struct JudgeRequest {
  /// X.olean, with its .server and .private parts beside it. Both files must have been compiled by
  /// fresh Lean processes, from the original with its `sorry`s and from exactly the text that will
  /// be delivered, under the same module name (instances are named after it).
  std::filesystem::path original;
  std::filesystem::path candidate;

  /// Declarations of the original that should be proved, fully qualified, as printed: `Foo.bar`; a
  /// private one by the name that it was given. A declaration without a name by the line it stands
  /// on, 1-based: `:12`. Empty: every declaration of the original whose own value has a `sorry`.
  ///
  /// An `example` leaves no constant behind, so nothing can be said about one: compile both texts
  /// with `example` replaced by `theorem NAME`.
  std::vector<std::string> targets;
  /// Beside those, every theorem of the original whose own value has a `sorry`: a macro of the
  /// original can hide one from whoever made the list.
  bool all_open_theorems = false;

  /// Of imported modules or the original. `sorryAx` is never allowed.
  std::vector<std::string> allowed_axioms = StandardAxioms();
  /// Accept axioms that the original itself declares.
  bool allow_axioms_of_original = false;
  /// Accept a candidate that imports more than the original.
  bool allow_more_imports = false;
};

struct TargetVerdict {
  std::string name;  // as asked for, or as found
  bool accepted = false;
  std::vector<Reason> reasons;      // all that is wrong with this target; the file's come apart
  std::vector<std::string> axioms;  // that its proof uses, sorted
};

struct Verdict {
  bool accepted = false;  // every target is, and there is at least one
  /// What is wrong with the whole file; while there is any, no target is accepted.
  std::vector<Reason> reasons;
  std::vector<TargetVerdict> targets;

  std::string lean_version;
  std::string lean_commit;
  /// The imported modules were trusted as shipped: how many, and which (Library::Fingerprint).
  size_t library_modules = 0;
  std::string library_fingerprint;
};

/// Judges a candidate. An error when the original cannot be read or the library is incomplete; a
/// bad candidate is a verdict. Does not run the kernel: the candidate must have been compiled with
/// it on. Takes a few milliseconds once the library is loaded.
core::Result<Verdict> Judge(const JudgeRequest& request, Library& library);

}  // namespace zermelo::trust
