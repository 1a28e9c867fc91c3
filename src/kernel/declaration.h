// A declaration of Lean's environment with everything that its file claims about it. Nothing here
// has been checked: counts, flags and rules are compared with what the checker computes itself.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "kernel/term/term.h"

namespace zermelo::kernel {

enum class Safety : uint8_t { kUnsafe, kSafe, kPartial };

/// Which of two definitions is unfolded first: the one of greater height. Only speed depends on it.
struct Hints {
  enum class Kind : uint8_t { kOpaque, kAbbreviation, kRegular } kind = Kind::kRegular;
  uint32_t height = 0;  // kRegular
};

/// Of parameters, fields and the like, so that sums of counts do not wrap. No file can have as
/// many.
constexpr uint64_t kMaxCount = UINT32_MAX;

struct Axiom {
  bool is_unsafe = false;
  bool is_stub = false;  // an import's definition or proof, hidden by its public part or not read
};

struct Definition {
  ExprId value{};
  Hints hints;
  Safety safety = Safety::kSafe;
};

struct Theorem {
  ExprId value{};
};

struct Opaque {
  ExprId value{};
  bool is_unsafe = false;
};

struct Quotient {
  enum class Kind : uint8_t { kType, kMake, kLift, kInduction } kind = Kind::kType;
};

struct Inductive {
  uint64_t parameters = 0;
  uint64_t indices = 0;
  uint64_t nested = 0;  // auxiliary types of nested occurrences in the whole block
  std::vector<NameId> constructors;
  bool is_recursive = false;
  bool is_reflexive = false;
  bool is_unsafe = false;
};

struct Constructor {
  NameId inductive = NameId::kAnonymous;
  uint64_t index = 0;  // among the constructors
  uint64_t parameters = 0;
  uint64_t fields = 0;
  bool is_unsafe = false;
};

struct RecursorRule {
  NameId constructor = NameId::kAnonymous;
  uint64_t fields = 0;
  ExprId value{};
};

struct Recursor {
  uint64_t parameters = 0;
  uint64_t indices = 0;
  uint64_t motives = 0;
  uint64_t minors = 0;
  std::vector<RecursorRule> rules;
  bool k = false;
  bool is_unsafe = false;
};

/// The same order as Lean's ConstantInfo.
using DeclarationInfo =
    std::variant<Axiom, Definition, Theorem, Opaque, Quotient, Inductive, Constructor, Recursor>;

struct Declaration {
  NameId name = NameId::kAnonymous;
  std::vector<NameId> level_params;
  ExprId type{};
  /// The names declared together, including this one; for inductive types and recursors the types
  /// of the block. Empty for axioms, quotients and constructors.
  std::vector<NameId> all;
  DeclarationInfo info;

  template <class T>
  const T* As() const {
    return std::get_if<T>(&info);
  }
  /// Unsafe or partial: not checked, and not to be mentioned by what is checked.
  bool IsUnsafe() const;
  /// The value of a definition, a theorem or an opaque constant, else null.
  const ExprId* Value() const;
};

}  // namespace zermelo::kernel
