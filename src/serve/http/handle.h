// Unguessable handles.
#pragma once

#include <string>

namespace zermelo::serve {

/// Returns 128 random bits from the kernel as 32 hexadecimal digits. Throws std::runtime_error if
/// the kernel provides none.
std::string NewHandle();

}  // namespace zermelo::serve
