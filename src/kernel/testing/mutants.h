// Declarations that differ from a good one in one place, each of which no kernel may accept.
#pragma once

#include <vector>

#include "kernel/declaration.h"
#include "kernel/term/term.h"

namespace zermelo::kernel::testing {

/// Of a member of a block of inductive types: every count is one more and one less, every flag the
/// other, every list has one more or one less. Its terms stay. All of these follow from the types
/// of the constructors, so a block that differs in one of them is wrong.
std::vector<Declaration> RecordMutants(Terms& terms, const Declaration& good);

}  // namespace zermelo::kernel::testing
