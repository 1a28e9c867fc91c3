// Names under which Lean's own programs can be called.
#pragma once

#include <string_view>

namespace zermelo::trust {

/// Whether a dotted name, without «», may be a function that acts when Lean evaluates it: reads or
/// writes files, changes Lean's state, elaborates. By its namespace; structures of options, whose
/// names end in `Config`, are no such names, and neither is a variable called `IO`.
bool MayNameAnEffect(std::string_view name);

/// Whether opening this namespace makes such functions available without it.
bool HasEffects(std::string_view opened);

}  // namespace zermelo::trust
