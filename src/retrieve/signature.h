// Prints types as Lean does by default, as well as that goes without its notations: binders with
// their brackets, implicit arguments left out, the usual infix operators, `x.f y` for `C.f x y`.
#pragma once

#include <string>

#include "retrieve/shape.h"
#include "retrieve/type_reader.h"

namespace zermelo::retrieve {

/// Longer signatures end in "…".
inline constexpr size_t kMaxSignature = 900;

/// What stands after the name of a constant of this type: "(n m : Nat) : n + m = m + n".
std::string PrintSignature(const TypeReader& types, const Shapes& shapes, TypeId type);

/// The type alone: "∀ (n m : Nat), n + m = m + n".
std::string PrintType(const TypeReader& types, const Shapes& shapes, TypeId type);

}  // namespace zermelo::retrieve
