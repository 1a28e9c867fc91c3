// What the record of a run says of a theorem (docs/runs.md), without its number. Pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/open_file.h"

namespace zermelo::engine {

/// {"name", "line"}
nlohmann::json BegunFields(const TheoremResult& theorem);
/// What the search found: {"found", "proof", "auxiliary", "message", "checks", "samples"}.
nlohmann::json EndedFields(const TheoremResult& theorem);
/// What the verification made of it, named and written as in the JSON of the theorem: {"name"} and,
/// unless empty, {"proof", "from", "auxiliary", "roles"}; if it is proved, {"axioms", "kernels"},
/// else {"message"}.
nlohmann::json VerdictFields(const TheoremResult& theorem);
/// The event that has them: "proved" or "failed".
std::string_view VerdictKind(const TheoremResult& theorem);

}  // namespace zermelo::engine
