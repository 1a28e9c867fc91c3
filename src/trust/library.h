// The constants of the imported modules, and a fingerprint of their files.
//
// The library is trusted as shipped: the proofs of its theorems are not read (the public parts of
// Lean's own .olean files do not even contain them).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "trust/terms.h"

namespace zermelo::trust {

/// The modules in the folders of a search path (LEAN_PATH), each read once and kept. Not
/// thread-safe.
class Library {
 public:
  explicit Library(std::vector<std::filesystem::path> search_path)
      : search_path_(std::move(search_path)) {}

  /// The named modules (as printed: `Init.Data.List`) and all that they import. Reads files that
  /// were not read before, at about 1 ms per megabyte; call it early, while Lean compiles. Errors:
  /// kEnvironment when a module is not on the search path; kInput when a file is malformed.
  core::Result<std::vector<uint32_t>> Closure(const std::vector<std::string>& modules);

  struct Entry {
    IndexedConstant constant;
    uint32_t module = 0;
    uint32_t next = 0;  // entry of the same name in another module; 0: none
  };
  /// An entry by its index; entry 0 is not a constant.
  const Entry& entry(uint32_t index) const { return entries_[index]; }
  /// The first entry for a name of terms(); 0 if there is none.
  uint32_t First(NameId name) const;
  const Terms& terms() const { return terms_; }

  /// A fingerprint of the names and contents of the modules: 128 bits in hexadecimal. It identifies
  /// the library that was trusted. It is not a cryptographic hash: anyone who can replace the
  /// library can replace this program.
  std::string Hash(const std::vector<uint32_t>& modules) const;

 private:
  struct Loaded {
    std::string name;
    std::vector<std::string> imports;
    uint64_t hash[2] = {};
  };
  core::Result<uint32_t> Load(const std::string& module);
  std::filesystem::path Find(const std::string& module) const;

  std::vector<std::filesystem::path> search_path_;
  Terms terms_;
  OleanImage image_;
  std::vector<Loaded> modules_;
  std::unordered_map<std::string, uint32_t> by_name_;
  std::vector<Entry> entries_{1};
  std::vector<uint32_t> first_;  // by NameId
};

/// The constants that some imports bring from a library, looked up by names of another arena.
class ImportedNames {
 public:
  ImportedNames(const Library& library, const std::vector<uint32_t>& modules, const Terms& terms);
  /// nullptr if no import has it. `name` may be newer than this object.
  const IndexedConstant* Find(NameId name);

 private:
  const Library& library_;
  const Terms& terms_;
  std::vector<bool> visible_;
  std::vector<NameId> translated_;  // by NameId of terms_
  std::vector<bool> known_;
};

}  // namespace zermelo::trust
