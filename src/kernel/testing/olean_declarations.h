// Declarations of any kind as objects of an .olean file, for tests.
#pragma once

#include <vector>

#include "kernel/environment.h"
#include "kernel/testing/olean_writer.h"

namespace zermelo::kernel {

/// All declarations of `environment`, in its order, whatever they claim.
std::vector<OleanWriter::Declared> WriteDeclarations(OleanWriter& writer,
                                                     const Environment& environment);

}  // namespace zermelo::kernel
