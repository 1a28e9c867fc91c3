// Names that nobody can guess.
#pragma once

#include <string>

namespace zermelo::serve {

/// 128 random bits of the kernel's as 32 hexadecimal digits.
std::string NewHandle();

}  // namespace zermelo::serve
