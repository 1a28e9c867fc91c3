// A library of compiled modules that is trusted as shipped: the names that each module declares,
// and what identifies its files. Types, values and proofs are read only on demand (imports.h).
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "kernel/olean/olean.h"
#include "kernel/olean/olean_image.h"
#include "kernel/term/term.h"

namespace zermelo::kernel {

/// Some modules and all that they import, by their index in a library.
struct Closure {
  std::vector<uint32_t> modules;  // each after those that it imports
  /// SHA-256 over the names and the bytes of the modules, in hexadecimal: it identifies the library
  /// that was trusted.
  std::string sha256;
};

/// The modules in the folders of a search path (LEAN_PATH), each read and hashed once and kept. Not
/// thread-safe.
class Library {
 public:
  /// `texts`: see HasText.
  explicit Library(std::vector<std::filesystem::path> search_path,
                   std::vector<std::string> texts = {})
      : search_path_(std::move(search_path)), texts_(std::move(texts)) {}

  /// The named modules (as printed: `Init.Data.List`) and all that they import, each after those
  /// that it imports. Reads and hashes files that were not read before, at about 2 ms per megabyte;
  /// call it early, while Lean compiles. Errors: kEnvironment when a module is not on the search
  /// path; kInput when a file is malformed or a module imports itself. The same object for the same
  /// modules, in whatever order, unless many others were asked for meanwhile.
  core::Result<std::shared_ptr<const Closure>> ClosureOf(std::vector<std::string> modules);

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
  /// Number of modules read so far; modules read later have this index and greater ones.
  uint32_t size() const { return static_cast<uint32_t>(modules_.size()); }
  const std::string& Name(uint32_t module) const { return modules_[module].name; }
  /// The modules that a module of a closure imports itself.
  std::vector<uint32_t> Imports(uint32_t module) const;
  /// Whether it declares an axiom that does not just stand for a hidden declaration.
  bool DeclaresAxiom(uint32_t module) const { return modules_[module].declares_axiom; }
  /// Whether the bytes of one of its parts contain one of the texts given to the constructor, as
  /// they do if it mentions a name with that text: a part may refer to names in the parts before
  /// it.
  bool HasText(uint32_t module) const { return modules_[module].has_text; }

  /// Opens the files of a module again. kEnvironment if their bytes are no longer those that were
  /// hashed.
  core::Status Open(uint32_t module, OleanImage& image) const;
  /// kEnvironment if the bytes of a module have changed since they were hashed, or if Lean would
  /// now find it elsewhere. Files with the same identity (ModuleIdentity) are not read again.
  core::Status CheckUnchanged(const Closure& closure) const;
  /// The same on a thread of its own, if there is one left, during which the library may read other
  /// modules. It must outlive the future.
  std::future<core::Status> StartCheck(const Closure& closure) const;

 private:
  struct Loaded {
    std::string name;
    std::filesystem::path file;
    size_t folder = 0;     // of the search path
    size_t directory = 0;  // the same for modules whose files are side by side
    std::vector<std::string> imports;
    std::optional<ModuleIdentity> identity;  // nullopt: too new to rely on
    std::string sha256;                      // over all parts
    bool declares_axiom = false;
    bool has_text = false;
  };
  using LoadedModules = std::vector<const Loaded*>;

  core::Result<uint32_t> Load(const std::string& module);
  core::Result<std::vector<uint32_t>> Visit(const std::vector<std::string>& modules);
  std::string Hash(const std::vector<uint32_t>& modules) const;
  static core::Status Open(const Loaded& module, OleanImage& image);
  LoadedModules ByDirectory(const Closure& closure) const;
  core::Status CheckUnchanged(const LoadedModules& modules) const;
  /// The folder of the search path that has the module, among the first `folders`; `folders` if
  /// none has it.
  size_t FolderOf(const std::string& module, size_t folders) const;
  std::filesystem::path FileIn(size_t folder, const std::string& module) const;

  std::vector<std::filesystem::path> search_path_;
  std::vector<std::string> texts_;
  Terms terms_;
  OleanImage image_;
  std::deque<Loaded> modules_;  // their addresses do not change
  std::unordered_map<std::string, uint32_t> by_name_;
  std::unordered_map<std::string, size_t> directories_;                          // by path
  std::map<std::vector<std::string>, std::shared_ptr<const Closure>> closures_;  // by sorted names
  std::vector<Entry> entries_{1};
  std::vector<uint32_t> first_;  // by NameId
};

/// The constants that some imports bring from a library, looked up by names of another arena.
class ImportedNames {
 public:
  ImportedNames(const Library& library, const std::vector<uint32_t>& modules, const Terms& terms);
  /// nullptr if no import has it. `name` may be newer than this object.
  const IndexedConstant* Find(NameId name);
  /// Calls `f` with each module that has it.
  void ForEachModule(NameId name, const std::function<void(uint32_t)>& f);

 private:
  uint32_t First(NameId name);  // visible entry; 0: none
  uint32_t Visible(uint32_t entry) const;

  const Library& library_;
  const Terms& terms_;
  std::vector<bool> visible_;
  std::vector<NameId> translated_;  // by NameId of terms_
  std::vector<bool> known_;
};

}  // namespace zermelo::kernel
