// Finds the theorems of the user's own library that a goal or a description asks for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"

namespace zermelo::retrieve {

/// A declaration of the library, as it may be written in the user's file.
struct Premise {
  std::string name;       // full, e.g. "Nat.add_comm"
  std::string kind;       // "theorem", "definition", "inductive type", "constructor", "axiom", …
  std::string signature;  // what follows the name: "(n m : Nat) : n + m = m + n"
  std::string module;     // "Init.Data.Nat.Basic"
  std::string docstring;  // empty: there is none, or the library came without
  double score = 0;       // of the ranking, larger is better; only comparable within one answer
};

enum class Rankings {
  kAll,
  kWithoutModel,  // words and symbols
  kSymbols,       // of formal questions
  kRewriting,     // theorems among those of kSymbols that rewrite a part of a printed goal (see
                  // policy/library.h); who cannot tell answers as to kSymbols
};

struct PremiseQuery {
  std::string text;                  // words, an informal description, or a formal statement/goal
  bool formal = false;               // text is Lean (a goal or type): symbols count
  std::vector<std::string> imports;  // modules the file imports: only what they reach is offered
                                     // (`Init` for a file without any). Empty: all that is indexed
  size_t limit = 10;
  Rankings rankings = Rankings::kAll;
};

/// Calls on one object may overlap; it must outlive them.
class Retriever {
 public:
  virtual ~Retriever() = default;
  /// Best first, at most `limit`; empty when nothing fits. Errors: kEnvironment when there is no
  /// index (the message says `zermelo index`) or an embeddings endpoint cannot be reached;
  /// kTimeout.
  virtual core::Task<core::Result<std::vector<Premise>>> Search(PremiseQuery query,
                                                                core::Deadline deadline) = 0;
};

}  // namespace zermelo::retrieve
