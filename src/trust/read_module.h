// Reads a compiled module, all parts of which must be present.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// How often each prefix of private names occurs. They begin with `_private.M.0` for the file's
/// module M. Other prefixes are rare: they belong to declarations that Lean generated for private
/// declarations of imported modules.
core::Result<std::map<NameId, size_t>> PrivatePrefixes(OleanImage& image, Terms& terms);

/// Anonymous if there is none.
NameId MostFrequent(const std::map<NameId, size_t>& prefixes);

/// kInput if the module has no proofs because a part of it is missing; other errors: as ReadModule.
core::Result<Module> ReadComplete(OleanImage& image, Terms& terms, const ReadOptions& options);

/// The names of the modules that a module imports itself, as Library::ClosureOf takes them.
std::vector<std::string> NamesOfImports(const Module& module, const Terms& terms);

}  // namespace zermelo::trust
