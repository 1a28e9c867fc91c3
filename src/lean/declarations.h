// Finds the declarations of a Lean file, and their holes, without running Lean.
//
// Works on tokens and layout only: syntax that a file defines itself (new commands, notations whose
// brackets do not match) is not known. All functions are pure, linear in the text and accept any
// bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lean/tactic_structure.h"

namespace zermelo::lean {

// Bytes [begin, end).
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
  bool empty() const { return begin == end; }
  bool operator==(const TextRange&) const = default;
};

struct DeclarationHole : Hole {
  // The declaration is a def, abbrev, opaque, structure, inductive, …
  bool in_definition = false;
  // The hole stands in the statement (before the value): filling it changes what is proved.
  bool in_signature = false;
  // A proof may be looked for: in a theorem, lemma, example or instance, or in a proof inside a
  // definition; never in a statement.
  bool provable = false;
};

struct Declaration {
  std::string keyword;    // theorem, lemma, def, class inductive, …
  std::string name;       // as written; empty for an anonymous example or instance
  std::string full_name;  // with the enclosing namespaces; `_root_.` resolved
  size_t line = 0;        // of the keyword, 1-based
  size_t indent = 0;      // of the keyword's line, code points

  // From its doc comment, attributes, modifiers or `open … in` to its last token, without comments
  // that follow.
  TextRange range;
  // Between name (or keyword) and value.
  TextRange signature;
  // From `:=`, `where` or `|` on; empty at the end of the declaration if it has none.
  TextRange value;

  std::vector<DeclarationHole> holes;  // in order
};

// The declarations in order. Whatever follows `#exit` is not Lean any more.
std::vector<Declaration> FindDeclarations(std::string_view text);

// Byte offset where the line after `module`, `prelude` and the imports begins, or, in a file
// without them, the line after the leading comments.
size_t HeaderEnd(std::string_view text);

// `import A.B` gives "A.B", in order, as written.
std::vector<std::string> ImportedModules(std::string_view text);

// The declaration with its value replaced by ` := by sorry`; as it is if it has no value.
// `declaration` must come from FindDeclarations(text).
std::string StatementOnly(std::string_view text, const Declaration& declaration);

}  // namespace zermelo::lean
