// Small questions about types that printing them asks.
#pragma once

#include <string>

#include "retrieve/type_reader.h"

namespace zermelo::retrieve {

/// A variable as its author called it: macro scopes (`x._@.Mod._hyg.3`) are cut off; "x" if nothing
/// is left.
std::string BaseName(const TypeReader& types, NameId name);
/// Whether a binder has no name that a user could say: none, or one with macro scopes.
bool IsAnonymous(const TypeReader& types, NameId name);
/// Whether the variable that binds `body` occurs in it; no, when it is too large to tell.
bool Occurs(const TypeReader& types, TypeId body);
/// Whether `b`, under `by` more binders, is `a`; no, when they are nested too deeply to tell.
bool SameShifted(const TypeReader& types, TypeId a, TypeId b, uint32_t by);
/// "1", "u", "(u+1)", "(max u v)".
std::string LevelText(const TypeReader& types, uint32_t level);

}  // namespace zermelo::retrieve
