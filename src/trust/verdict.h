// Judges whether a compiled candidate proves what the original asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/library.h"
#include "trust/reason.h"

namespace zermelo::trust {

/// The axioms that Lean's own library uses: propext, Classical.choice, Quot.sound.
std::vector<std::string> StandardAxioms();

struct JudgeRequest {
  /// X.olean, with its .server and .private parts next to it. Both files must have been compiled by
  /// fresh Lean processes, from the original with its `sorry`s and from exactly the text that will
  /// be delivered, under the same module name (instances are named after it).
  std::filesystem::path original;
  std::filesystem::path candidate;

  /// Declarations of the original that should be proved: by fully qualified name, as printed
  /// (`Foo.bar`); a private one by the name in its source; one without a name by the line that it
  /// is on, 1-based (`:12`). Empty: every declaration of the original whose own value has a
  /// `sorry`.
  ///
  /// An `example` leaves no constant behind and cannot be judged: compile both texts with `example`
  /// replaced by `theorem NAME`.
  std::vector<std::string> targets;
  /// In addition, every theorem of the original whose own value has a `sorry`: a macro of the
  /// original can hide one from the author of the list.
  bool all_open_theorems = false;

  /// Allowed axioms of imported modules or the original. `sorryAx` is never allowed.
  std::vector<std::string> allowed_axioms = StandardAxioms();
  /// Accept axioms that the original itself declares.
  bool allow_axioms_of_original = false;
  /// Accept a candidate that imports more than the original.
  bool allow_more_imports = false;
};

struct TargetVerdict {
  std::string name;  // as asked for, or as found
  bool accepted = false;
  std::vector<Reason> reasons;      // problems of this target, without the file's
  std::vector<std::string> axioms;  // used by its proof, sorted
};

struct Verdict {
  bool accepted = false;  // every target is, and there is at least one
  /// Problems of the whole file; if there are any, no target is accepted.
  std::vector<Reason> reasons;
  std::vector<TargetVerdict> targets;

  std::string lean_version;
  std::string lean_commit;
  /// The imported modules, which were trusted as shipped: their number, and their identity
  /// (Library::Hash).
  size_t library_modules = 0;
  std::string library_fingerprint;
};

/// Judges a candidate. A bad candidate is a verdict; it is an error if the original cannot be read
/// or the library is incomplete. Does not run the kernel: the candidate must have been compiled
/// with it on. Takes a few milliseconds once the library is loaded.
core::Result<Verdict> Judge(const JudgeRequest& request, Library& library);

}  // namespace zermelo::trust
