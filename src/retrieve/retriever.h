// The interface for searching the user's library by goal or description.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"

namespace zermelo::retrieve {

/// A declaration of the library that the user's file may refer to.
struct Premise {
  std::string name;       // full, e.g. "Nat.add_comm"
  std::string kind;       // "theorem", "definition", "inductive type", "constructor", "axiom", …
  std::string signature;  // the text after the name: "(n m : Nat) : n + m = m + n"
  std::string module;     // "Init.Data.Nat.Basic"
  std::string docstring;  // empty if there is none or the library ships without docstrings
  double score = 0;       // larger is better; comparable only within one result
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Premise, name, kind, signature, module, docstring, score)

enum class Rankings {
  kAll,
  kWithoutModel,  // words and symbols
  kSymbols,       // symbols only, for formal queries
  kRewriting,     // those theorems of kSymbols that rewrite a part of a printed goal (see
                  // policy/library.h); a retriever without that filter treats it as kSymbols
  kDefinitions,   // the definitions that a formal query names: of propositions, then those that
                  // fewest theorems mention; no methods of classes
  kNamesakes,     // the theorems whose names have the same last component as the text
};

struct PremiseQuery {
  std::string text;     // words, an informal description, or a formal statement/goal
  bool formal = false;  // text is Lean (a goal or type): use the symbol rankings
  /// Modules that the file imports (`Init`, too, unless it is a `prelude`): results come from what
  /// they reach, which is nothing for a `prelude` without imports. nullopt: from the whole index.
  std::optional<std::vector<std::string>> imports;
  size_t limit = 10;
  Rankings rankings = Rankings::kAll;
};

/// Calls on one object may overlap; the object must outlive them.
class Retriever {
 public:
  virtual ~Retriever() = default;
  /// Returns at most `limit` premises, best first; empty if nothing fits. Errors: kEnvironment if
  /// there is no index (the message says `zermelo index`) or an embeddings endpoint cannot be
  /// reached; kTimeout.
  virtual core::Task<core::Result<std::vector<Premise>>> Search(PremiseQuery query,
                                                                core::Deadline deadline) = 0;
};

}  // namespace zermelo::retrieve
