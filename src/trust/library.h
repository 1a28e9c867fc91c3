// Which constants the imported modules have, and a fingerprint of their files.
//
// The library is trusted as shipped: the proofs of its theorems are not read (the public parts of
// Lean's own .olean files do not even have them).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "trust/olean.h"
#include "trust/term.h"

namespace zermelo::trust {

/// Modules found below the folders of a search path (LEAN_PATH), read once and kept. Not
/// thread-safe.
class Library {
 public:
  explicit Library(std::vector<std::filesystem::path> search_path)
      : search_path_(std::move(search_path)) {}

  /// The modules named (as printed: `Init.Data.List`), and all that they import. Reads files that
  /// were not read before, about 1 ms a megabyte; call it ahead, while Lean compiles. kEnvironment
  /// when a module is not below the search path; kInput when a file is malformed.
  core::Result<std::vector<uint32_t>> Closure(const std::vector<std::string>& modules);

  struct Entry {
    IndexedConstant constant;
    uint32_t module = 0;
    uint32_t next = 0;  // another one of the same name, in another module; 0: none
  };
  /// All entries, the first is no constant.
  const Entry& entry(uint32_t index) const { return entries_[index]; }
  /// The first entry of a name of terms(), 0 if there is none.
  uint32_t First(NameId name) const;
  const Terms& terms() const { return terms_; }

  /// 128 bits in hexadecimal over the names and contents of the modules. It tells which library was
  /// trusted; it is no cryptographic hash: who can replace the library can replace this program.
  std::string Fingerprint(const std::vector<uint32_t>& modules) const;

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

/// The constants of a library that some imports bring, by names of another arena.
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
