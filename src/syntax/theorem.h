// A theorem of a file, to be proved.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/file.h"

namespace zermelo::syntax {

/// All Lean text is as in the file.
struct Theorem {
  std::string header;              // everything before it, with its line breaks
  std::string doc;                 // its doc comment and a line break, or empty
  std::string keyword;             // theorem, lemma, example, instance, …
  std::string name;                // with namespaces; empty for an example
  std::string written_name;        // without those that are open at it
  std::string head;                // `theorem t (x : A) : p`, from its attributes on
  std::string signature;           // `(x : A) : p`: ParseSignature has its binders and its type
  std::vector<std::string> taken;  // last components of the file's other names

  /// `theorem t (x : A) : p := by`
  std::string Opening() const { return head + " := by"; }
  /// The declaration with a hole, on two lines.
  std::string Stub() const { return Opening() + "\n  sorry\n"; }
};

/// `declaration` must be one of the file.
Theorem TheoremOf(const File& file, const Declaration& declaration);
/// The theorem `theorem t (x : A) : p` without a header; empty if the text is none.
Theorem TheoremOf(std::string_view head);

}  // namespace zermelo::syntax
