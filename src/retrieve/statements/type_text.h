// Helpers for printing types.
#pragma once

#include <string>

#include "retrieve/statements/type_reader.h"

namespace zermelo::retrieve {

/// The name of a variable without its macro scopes (`x._@.Mod._hyg.3`); "x" if nothing is left.
std::string BaseName(const TypeReader& types, NameId name);
/// Whether a binder has no name that a user could write: an empty one, or one with macro scopes.
bool IsAnonymous(const TypeReader& types, NameId name);
/// Whether the variable bound around `body` occurs in it; false if `body` is too large to search.
bool Occurs(const TypeReader& types, TypeId body);
/// Whether `b`, which is under `by` more binders, equals `a`; false if they are nested too deeply.
bool SameShifted(const TypeReader& types, TypeId a, TypeId b, uint32_t by);
/// A universe level as text: "1", "u", "(u+1)", "(max u v)".
std::string LevelText(const TypeReader& types, uint32_t level);

}  // namespace zermelo::retrieve
