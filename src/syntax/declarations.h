// Finds the declarations of a Lean file and their holes without running Lean.
//
// Works on tokens and layout only: syntax that a file defines itself (new commands, notations whose
// brackets do not match) is not recognized. All functions are pure, linear in the text and accept
// any bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/commands.h"
#include "syntax/proof/tactic_structure.h"

namespace zermelo::syntax {

/// Bytes [begin, end).
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
  bool empty() const { return begin == end; }
  /// Whether the offset is in the range or at its end, where a parser that expects more reports it.
  bool Touches(size_t offset) const { return begin <= offset && offset <= end; }
  bool operator==(const TextRange&) const = default;
};

struct DeclarationHole : Hole {
  /// The declaration is a def, abbrev, opaque, structure, inductive, …
  bool in_definition = false;
  /// The hole is in the statement (before the value): filling it changes what is proved.
  bool in_signature = false;
  /// In a field's default tactic (`h : p := by sorry`), which Lean runs wherever the field is left
  /// out.
  bool in_default = false;
  /// A proof may be searched for: the hole is in a theorem, lemma, example or instance, or in a
  /// proof inside a definition, and not in a statement or a default.
  bool provable = false;
};

struct Declaration {
  std::string keyword;    // theorem, lemma, def, class inductive, …
  std::string name;       // as written; empty for an anonymous example or instance
  std::string full_name;  // with the enclosing namespaces; `_root_.` resolved
  size_t line = 0;        // of the keyword, 1-based
  size_t indent = 0;      // of the keyword's line, code points

  /// From its doc comment, attributes, modifiers or `open … in` to its last token; comments after
  /// it are excluded.
  TextRange range;
  /// Between the name (or keyword) and the value.
  TextRange signature;
  /// From `:=`, `where` or `|` to the end; if there is no value, empty at the end of the
  /// declaration.
  TextRange value;

  std::vector<DeclarationHole> holes;  // in order

  bool IsTheorem() const { return keyword == "theorem" || keyword == "lemma"; }
  /// Whether it states something to prove: also an example, which has no name.
  bool IsTheoremOrExample() const { return IsTheorem() || keyword == "example"; }
  bool IsInductive() const;  // also a structure or class
  bool HasProvableHole() const;
  /// The full name; "example (line 12)" for a declaration without a name.
  std::string DisplayName() const;
  /// Whether this is its name, as written or in full.
  bool IsNamed(std::string_view wanted) const { return wanted == full_name || wanted == name; }
  /// The same, or a part of its full name that leaves out outer namespaces: "B.t" for "A.B.t".
  bool MatchesName(std::string_view wanted) const;
};

/// The declarations, in order. Text after `#exit` is ignored.
std::vector<Declaration> FindDeclarations(std::string_view text);
/// The same for a text whose tokens and commands are known.
std::vector<Declaration> FindDeclarations(std::string_view text, std::span<const Token> tokens,
                                          std::span<const Command> commands);

/// The last declaration that an offset touches. Null: there is none.
const Declaration* DeclarationAt(std::span<const Declaration> declarations, size_t offset);

/// Byte offset of the line after `module`, `prelude` and the imports or, in a file without them,
/// after the leading comments; if code follows on the same line, of the end of that header.
size_t HeaderEnd(std::string_view text);

/// Whether the file begins with `prelude`: Lean does not import Init into it.
bool IsPrelude(std::string_view text);

/// The imported modules, in order, as written: `import A.B` gives "A.B".
std::vector<std::string> ImportedModules(std::string_view text);

/// The modules in which to search for what a file can use: those that it imports or, if there are
/// none, Init, unless the file is a `prelude`.
std::vector<std::string> ModulesToSearch(std::string_view text);

/// The declaration with its value replaced by ` := by sorry`, unchanged if it has no value.
/// `declaration` must come from FindDeclarations(text).
std::string StatementOnly(std::string_view text, const Declaration& declaration);

}  // namespace zermelo::syntax
