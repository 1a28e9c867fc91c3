#include "kernel/olean/library.h"

#include <algorithm>
#include <system_error>

#include "core/hash/sha256.h"
#include "core/names.h"

namespace zermelo::kernel {

namespace {

namespace fs = std::filesystem;

constexpr size_t kKept = 64;  // closures; a server may see many

/// Adds a text to a digest with its size, so that texts cannot be divided in another way.
void Add(core::Sha256& digest, std::string_view bytes) {
  const uint64_t size = bytes.size();
  digest.Add({reinterpret_cast<const char*>(&size), sizeof size});
  digest.Add(bytes);
}

std::string Sha256Of(const OleanImage& image) {
  core::Sha256 digest;
  for (size_t part = 0; part < image.part_count(); ++part) Add(digest, image.bytes(part));
  const auto bytes = digest.Digest();
  return {bytes.begin(), bytes.end()};
}

core::Status Changed(const std::string& module) {
  return core::Fail(core::ErrorCode::kEnvironment,
                    "the imported module " + module + " changed while the proof was judged",
                    "judge it again when nothing writes to the library");
}

}  // namespace

fs::path Library::FileIn(size_t folder, const std::string& module) const {
  return search_path_[folder] / (core::ModulePath(module) + ".olean");
}

size_t Library::FolderOf(const std::string& module, size_t folders) const {
  if (folders == 0 || core::ModulePath(module).empty()) return folders;
  size_t folder = 0;
  for (std::error_code ignored; folder < folders; ++folder) {
    if (fs::exists(FileIn(folder, module), ignored)) break;
  }
  return folder;
}

core::Result<uint32_t> Library::Load(const std::string& module) {
  if (const auto found = by_name_.find(module); found != by_name_.end()) return found->second;
  const size_t folder = FolderOf(module, search_path_.size());
  if (folder == search_path_.size()) {
    return core::Fail(core::ErrorCode::kEnvironment,
                      "the imported module " + module + " was not found",
                      "build it, and check that its folder is on LEAN_PATH");
  }
  const auto file = FileIn(folder, module);
  if (const auto opened = image_.Open(file); !opened) return core::Fail(opened.error());
  auto index = ReadIndex(image_, terms_);
  if (!index) return core::Fail(index.error());
  Loaded loaded;
  loaded.name = module;
  loaded.file = file;
  loaded.folder = folder;
  loaded.directory =
      directories_.try_emplace(file.parent_path(), directories_.size()).first->second;
  loaded.sha256 = Sha256Of(image_);
  loaded.identity = image_.identity();
  for (size_t part = 0; part < image_.part_count(); ++part) {
    const std::string_view bytes = image_.bytes(part);
    loaded.has_text |= std::ranges::any_of(
        texts_, [&](const std::string& text) { return bytes.find(text) != bytes.npos; });
  }
  for (const Import& import : index->imports)
    loaded.imports.push_back(terms_.PrintFull(import.module));
  const auto id = static_cast<uint32_t>(modules_.size());
  first_.resize(terms_.name_count(), 0);
  for (const IndexedConstant& constant : index->constants) {
    uint32_t& first = first_[Index(constant.name)];
    entries_.push_back({constant, id, first});
    first = static_cast<uint32_t>(entries_.size() - 1);
    loaded.declares_axiom |= constant.kind == ConstantKind::kAxiom && !constant.stripped;
  }
  modules_.push_back(std::move(loaded));
  by_name_.emplace(module, id);
  return id;
}

core::Result<std::shared_ptr<const Closure>> Library::ClosureOf(std::vector<std::string> modules) {
  std::ranges::sort(modules);
  modules.erase(std::unique(modules.begin(), modules.end()), modules.end());
  if (const auto known = closures_.find(modules); known != closures_.end()) return known->second;
  auto visited = Visit(modules);
  if (!visited) return core::Fail(visited.error());
  std::string sha256 = Hash(*visited);
  auto closure = std::make_shared<const Closure>(*std::move(visited), std::move(sha256));
  if (closures_.size() >= kKept) closures_.clear();
  closures_.emplace(std::move(modules), closure);
  return closure;
}

core::Result<std::vector<uint32_t>> Library::Visit(const std::vector<std::string>& modules) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Visit {
    uint32_t module = 0;
    size_t next = 0;  // import to visit
  };
  std::vector<uint32_t> closure;
  std::vector<State> states;
  std::vector<Visit> stack;
  for (const std::string& root : modules) {
    std::string name = root;
    while (true) {
      const auto id = Load(name);
      if (!id) return core::Fail(id.error());
      states.resize(modules_.size(), State::kNew);
      if (states[*id] == State::kOpen) {
        return core::Fail(core::ErrorCode::kInput, "the module " + name + " imports itself");
      }
      if (states[*id] == State::kNew) {
        states[*id] = State::kOpen;
        stack.push_back({*id});
      }
      while (!stack.empty() && stack.back().next == modules_[stack.back().module].imports.size()) {
        states[stack.back().module] = State::kDone;
        closure.push_back(stack.back().module);
        stack.pop_back();
      }
      if (stack.empty()) break;
      name = modules_[stack.back().module].imports[stack.back().next++];
    }
  }
  return closure;
}

std::vector<uint32_t> Library::Imports(uint32_t module) const {
  std::vector<uint32_t> imports;
  for (const std::string& name : modules_[module].imports) imports.push_back(by_name_.at(name));
  return imports;
}

uint32_t Library::First(NameId name) const {
  return Index(name) < first_.size() ? first_[Index(name)] : 0;
}

core::Status Library::Open(uint32_t module, OleanImage& image) const {
  return Open(modules_[module], image);
}

core::Status Library::Open(const Loaded& module, OleanImage& image) {
  if (const auto opened = image.Open(module.file); !opened) {
    return core::Fail(core::ErrorCode::kEnvironment, opened.error().message);
  }
  const bool same =
      module.identity && image.identity() && image.identity()->files == module.identity->files;
  if (!same && Sha256Of(image) != module.sha256) return Changed(module.name);
  return {};
}

Library::LoadedModules Library::ByDirectory(const Closure& closure) const {
  LoadedModules modules;
  modules.reserve(closure.modules.size());
  for (const uint32_t module : closure.modules) modules.push_back(&modules_[module]);
  std::ranges::sort(modules, {}, &Loaded::directory);
  return modules;
}

core::Status Library::CheckUnchanged(const LoadedModules& modules) const {
  OleanImage image;
  IdentityReader identities;
  for (const Loaded* module : modules) {
    if (FolderOf(module->name, module->folder) < module->folder) return Changed(module->name);
    if (module->identity && identities.IsUnchanged(module->file, *module->identity)) continue;
    if (auto opened = Open(*module, image); !opened) return opened;
  }
  return {};
}

core::Status Library::CheckUnchanged(const Closure& closure) const {
  return CheckUnchanged(ByDirectory(closure));
}

std::future<core::Status> Library::StartCheck(const Closure& closure) const {
  const auto check = [this, modules = ByDirectory(closure)] { return CheckUnchanged(modules); };
  try {
    return std::async(std::launch::async, check);
  } catch (const std::system_error&) {  // no thread is left
    return std::async(std::launch::deferred, check);
  }
}

std::string Library::Hash(const std::vector<uint32_t>& modules) const {
  std::vector<uint32_t> sorted = modules;
  std::sort(sorted.begin(), sorted.end(),
            [&](uint32_t a, uint32_t b) { return modules_[a].name < modules_[b].name; });
  core::Sha256 digest;
  for (const uint32_t module : sorted) {
    Add(digest, modules_[module].name);
    Add(digest, modules_[module].sha256);
  }
  return digest.Hex();
}

ImportedNames::ImportedNames(const Library& library, const std::vector<uint32_t>& modules,
                             const Terms& terms)
    : library_(library), terms_(terms) {
  for (const uint32_t module : modules) {
    if (visible_.size() <= module) visible_.resize(module + 1, false);
    visible_[module] = true;
  }
}

uint32_t ImportedNames::Visible(uint32_t entry) const {
  while (entry != 0) {
    const uint32_t module = library_.entry(entry).module;
    if (module < visible_.size() && visible_[module]) break;
    entry = library_.entry(entry).next;
  }
  return entry;
}

uint32_t ImportedNames::First(NameId name) {
  // A prefix has a smaller id than its names, so translate all names up to this one, in order.
  if (translated_.empty()) {
    translated_.push_back(NameId::kAnonymous);
    known_.push_back(true);
  }
  for (auto id = static_cast<uint32_t>(translated_.size()); id <= Index(name); ++id) {
    const NameNode& node = terms_[NameId{id}];
    NameId found = NameId::kAnonymous;
    const bool known = known_[Index(node.prefix)] &&
                       library_.terms().FindName(translated_[Index(node.prefix)],
                                                 terms_.Text(node.part), node.numeric, &found);
    translated_.push_back(found);
    known_.push_back(known);
  }
  return known_[Index(name)] ? Visible(library_.First(translated_[Index(name)])) : 0;
}

const IndexedConstant* ImportedNames::Find(NameId name) {
  const uint32_t entry = First(name);
  return entry == 0 ? nullptr : &library_.entry(entry).constant;
}

void ImportedNames::ForEachModule(NameId name, const std::function<void(uint32_t)>& f) {
  for (uint32_t at = First(name); at != 0; at = Visible(library_.entry(at).next))
    f(library_.entry(at).module);
}

}  // namespace zermelo::kernel
