// What a file declares, for finding what a proof further down can use.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/file.h"
#include "syntax/goal/goal.h"

namespace zermelo::syntax {

/// The names in a piece of Lean code or in a printed goal.
struct NameSet {
  std::set<std::string, std::less<>> written;  // `map`, `List.map`; of `A.b.c` also `A` and `A.b`
  std::set<std::string, std::less<>> fields;   // what follows a variable and a dot, or a lone dot

  void Add(const NameSet& more);
};
/// Linear up to sorting; accepts any bytes.
NameSet NamesIn(std::string_view code);
/// The symbols of the code, such as `+` and `⟨`, each once.
std::set<std::string> SymbolsIn(std::string_view code);

/// Whether a dotted name begins with a variable, by its spelling: `t.size`, `M.run`, `Γ₁.lookup`,
/// but not `List.map`. Namespaces of one letter count as variables, too.
bool BeginsWithVariable(std::string_view name);

/// Whether the code writes the constant's name, with or without its namespaces.
bool Writes(const NameSet& names, std::string_view full_name);
/// The same, or it has the last part of the name as a field: `t.size` may mean `Tree.size`.
bool MayMean(const NameSet& names, std::string_view full_name);

/// Something that a command of a file adds: a declaration, a law of a class or structure, or a
/// notation.
struct FileConstant {
  enum class Kind {
    kFunction,   // def, abbrev, and those after `where`: can be unfolded
    kType,       // inductive, structure, class, or the name of a type
    kPredicate,  // an inductive proposition
    kTheorem,    // a theorem, or a law: a field of a structure or class that states something
    kInstance,   // often without a name
    kNotation,   // without a name
    kOpaque,     // opaque, axiom: cannot be unfolded
  };
  Kind kind = Kind::kFunction;
  std::string name;          // full
  std::string reference;     // how a proof names it: `_root_.insert`, as `insert` is ambiguous
  std::string signature;     // binders and type, as in the file; of a law its type; of a theorem
                             // with the variables that it has from its section
  NameSet names;             // in its text; of a theorem, in its statement
  NameSet proof_names;       // of a theorem, in its proof
  size_t declaration = 0;    // its index in the file; of a notation, that of the next one
  bool open = false;         // it, or something that it uses, has a `sorry`; set by users of this
  bool recursive = false;    // a function that calls itself; of a type: a constructor takes one
  bool proposition = false;  // of a function: its type ends in `Prop`
  bool endless = false;      // of a function: calls itself without a pattern, so simp unfolds it on
  size_t parameters = 0;     // explicit arguments before the colon
  std::vector<std::string> constructors;  // of a type or predicate: full names
  std::vector<std::string> plain;         // of these, those without arguments, as far as it shows
  std::vector<std::string> rules;         // of each constructor, the text after its name
  std::vector<std::string> fields;        // of a class: full names of those that are no laws
  std::string value;                      // of an instance: its text after the signature
  /// Of a notation: "⊕", without blanks; of a function or instance: those in its value.
  std::vector<std::string> symbols;
};

/// The constants of a file, in order.
std::vector<FileConstant> ConstantsOf(const File& file);

/// The open theorems among `constants` that the code names, where names of hypotheses of the goal
/// (may be null) mean these.
std::vector<std::string> OpenTheoremsIn(std::string_view code,
                                        const std::vector<FileConstant>& constants,
                                        const Goal* goal = nullptr);

}  // namespace zermelo::syntax
