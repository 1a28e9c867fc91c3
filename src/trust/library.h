// A library that is trusted as shipped, with what its constants rest on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "kernel/olean/library.h"

namespace zermelo::trust {

struct ImportedAxiom {
  std::string full;   // Terms::PrintFull of its name
  std::string shown;  // AxiomName
};

/// For each constant of some modules that rests on other axioms than Lean's three (`sorryAx`,
/// `native_decide`'s, a project's own), directly or not: these axioms, sorted by their full names,
/// with those of `native_decide` in one declaration as one (AxiomReader). Where
/// a proof is missing because a module has only its public parts, it counts as one without axioms;
/// unsafe constants and axioms, which no proof can use, are left out.
class ImportedAxioms {
 public:
  /// Empty for most constants. By Terms::PrintFull of the name.
  const std::vector<ImportedAxiom>& Of(const std::string& constant) const;
  bool empty() const { return set_of_.empty(); }

 private:
  friend class Library;
  std::vector<std::vector<ImportedAxiom>> sets_;      // few, with many constants each
  std::unordered_map<std::string, uint32_t> set_of_;  // index in sets_
};

/// Not thread-safe.
class Library : public kernel::Library {
 public:
  explicit Library(std::vector<std::filesystem::path> search_path);

  /// What the constants of these modules rest on. Only modules that declare an axiom,
  /// that name `sorryAx` or code that the kernel may run, or that import one with such constants,
  /// are walked, at about 10 ms per megabyte. The answer is valid until the next call. Errors:
  /// those of Open and AxiomReader::Read.
  core::Result<const ImportedAxioms*> Axioms(const kernel::Closure& closure);

 private:
  core::Result<ImportedAxioms> ReadAxioms(const std::vector<uint32_t>& modules);
  std::map<std::string, ImportedAxioms> axioms_;  // by Closure::sha256
};

}  // namespace zermelo::trust
