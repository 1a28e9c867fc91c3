// Which declarations rest on what a library of public parts holds back.
#pragma once

#include <unordered_set>
#include <vector>

#include "kernel/environment.h"

namespace zermelo::kernel {

/// By declaration: whether it is one of `hidden`, mentions a name that is not declared, or mentions
/// a declaration of which that is true. Takes time in the sum of the declarations' terms.
std::vector<bool> RestOnHidden(const Environment& environment,
                               const std::unordered_set<NameId>& hidden);

}  // namespace zermelo::kernel
