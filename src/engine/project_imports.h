// What the other files of a file's project declare: definitions and theorems that it imports are as
// useful for its proofs as those above them.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "syntax/file_constants.h"

namespace zermelo::engine {

/// Whether what it says or how it is proved may name one of these.
bool MayRestOn(const syntax::FileConstant& constant, const std::vector<std::string>& open);

/// Reads the sources of the modules of its project that a file imports, directly or not. Returns
/// what they declare of what the file names, and of what that names in turn, and theorems about
/// it: the nearest last, numbered (`declaration`) as if they were one file. Left out are modules
/// whose source is not in the project (Lean's own, Mathlib), what is private or not exposed, and
/// what has a `sorry` or may depend on one. Reads at most 200 files of 2 MB in total.
std::vector<syntax::FileConstant> ReadImported(const std::filesystem::path& file,
                                               std::string_view text);

/// As it is stored with a run.
nlohmann::json ToJson(const std::vector<syntax::FileConstant>& constants);
/// Reads what ToJson wrote; kInput: something else.
core::Result<std::vector<syntax::FileConstant>> ImportedOf(const nlohmann::json& stored);

}  // namespace zermelo::engine
