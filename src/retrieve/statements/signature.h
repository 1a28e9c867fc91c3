// Prints types approximately as Lean does by default: binders in their brackets, implicit arguments
// omitted, common infix operators, `x.f y` for `C.f x y`. User-defined notations are not used.
#pragma once

#include <string>

#include "retrieve/statements/shape.h"
#include "retrieve/statements/type_reader.h"

namespace zermelo::retrieve {

/// Longer signatures, in bytes, are cut and end in "…".
inline constexpr size_t kMaxSignature = 900;

/// The signature of a constant of this type, without its name: "(n m : Nat) : n + m = m + n".
std::string PrintSignature(const TypeReader& types, const Shapes& shapes, TypeId type);

}  // namespace zermelo::retrieve
