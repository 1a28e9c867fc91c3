// What an axiom states, as a short text that is the same in every build.
#pragma once

#include <string>

#include "trust/terms.h"

namespace zermelo::trust {

/// The first 32 hexadecimal digits of the SHA-256 of a type: of its terms and of the full names of
/// the constants and universe parameters in it. Names of bound variables and which arguments are
/// implicit do not count, nor does what the constants mean. Linear in the size of the type.
std::string StatementHash(const Terms& terms, ExprId type);

}  // namespace zermelo::trust
