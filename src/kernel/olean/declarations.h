// What a compiled module declares, as the kernel judges it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "kernel/declaration.h"
#include "kernel/olean/olean.h"

namespace zermelo::kernel {

/// The declaration that a constant of a file stands for. kInput for a count or a constructor number
/// that does not fit 64 bits.
core::Result<Declaration> ToDeclaration(const Constant& constant, const Terms& terms);

/// Whether two declarations of one name say the same: two axioms or theorems have the same
/// statement, all others the same of everything except reducibility hints.
bool SameDeclaration(const Declaration& a, const Declaration& b);

/// A declaration that a module may not have, and why, in a sentence without its name.
struct Violation {
  NameId name = NameId::kAnonymous;
  std::string reason;
};

/// Compares what the parts of an opened module that others import declare with `last`, its
/// last part: the imports and each constant of theirs must be the same there, or an axiom that
/// stands for a theorem, a definition or an opaque constant of the same type, universe parameters
/// and safety; never for a partial one, whose axiom would look safe (lean4#14609), unless it is
/// `f._unsafe_rec` and a safe `f` has the same type: Lean before 4.33 writes such axioms. Returns
/// the first violation, if there is one. `options`: those with which the last part was read.
core::Result<std::optional<Violation>> FindFalsePart(OleanImage& image, Terms& terms,
                                                     const Module& last,
                                                     const ReadOptions& options = {});

}  // namespace zermelo::kernel
