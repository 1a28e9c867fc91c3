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
  std::string name;                // with namespaces; empty for an example
  std::string statement;           // `theorem t (x : A) : p := by`, from its attributes on
  std::vector<std::string> taken;  // last components of the file's other names

  /// `(x : A) : p`; empty if the statement cannot be read.
  std::string Signature() const;
};

/// `declaration` must be one of the file.
Theorem TheoremOf(const File& file, const Declaration& declaration);

}  // namespace zermelo::syntax
