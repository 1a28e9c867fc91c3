#include "trust/library.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace zermelo::trust {

namespace {

__extension__ using Wide = unsigned __int128;

uint64_t Fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

void AddToHash(std::string_view bytes, uint64_t (&hash)[2]) {
  constexpr uint64_t kOdd[2] = {0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU};
  const auto add = [&](uint64_t a, uint64_t b) {
    hash[0] = Fold(hash[0] ^ a ^ kOdd[0], b ^ kOdd[1]);
    hash[1] = Fold(hash[1] ^ b ^ kOdd[1], (a ^ kOdd[0]) + hash[0]);
  };
  size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16) {
    uint64_t words[2];
    std::memcpy(words, bytes.data() + at, sizeof words);
    add(words[0], words[1]);
  }
  uint64_t rest[2] = {};
  std::memcpy(rest, bytes.data() + at, bytes.size() - at);
  add(rest[0], rest[1]);
  add(bytes.size(), 0);
}

}  // namespace

std::filesystem::path Library::Find(const std::string& module) const {
  std::string relative = module;
  std::replace(relative.begin(), relative.end(), '.', '/');
  for (const auto& folder : search_path_) {
    std::error_code ignored;
    auto file = folder / (relative + ".olean");
    if (std::filesystem::exists(file, ignored)) return file;
  }
  return {};
}

core::Result<uint32_t> Library::Load(const std::string& module) {
  if (const auto found = by_name_.find(module); found != by_name_.end()) return found->second;
  const auto file = Find(module);
  if (file.empty()) {
    return core::Fail(core::ErrorCode::kEnvironment,
                      "the imported module " + module + " was not found",
                      "build it, and check that its folder is on LEAN_PATH");
  }
  if (const auto opened = image_.Open(file); !opened) return core::Fail(opened.error());
  auto index = ReadIndex(image_, terms_);
  if (!index) return core::Fail(index.error());
  Loaded loaded;
  loaded.name = module;
  AddToHash(image_.bytes(), loaded.hash);
  for (const Import& import : index->imports)
    loaded.imports.push_back(terms_.PrintFull(import.module));
  const auto id = static_cast<uint32_t>(modules_.size());
  first_.resize(terms_.name_count(), 0);
  for (const IndexedConstant& constant : index->constants) {
    uint32_t& first = first_[Index(constant.name)];
    entries_.push_back({constant, id, first});
    first = static_cast<uint32_t>(entries_.size() - 1);
  }
  modules_.push_back(std::move(loaded));
  by_name_.emplace(module, id);
  return id;
}

core::Result<std::vector<uint32_t>> Library::Closure(const std::vector<std::string>& modules) {
  std::vector<uint32_t> closure;
  std::vector<bool> seen;
  std::vector<std::string> todo = modules;
  while (!todo.empty()) {
    const std::string module = std::move(todo.back());
    todo.pop_back();
    const auto id = Load(module);
    if (!id) return core::Fail(id.error());
    seen.resize(modules_.size(), false);
    if (seen[*id]) continue;
    seen[*id] = true;
    closure.push_back(*id);
    for (const auto& import : modules_[*id].imports) {
      const auto known = by_name_.find(import);
      if (known == by_name_.end() || known->second >= seen.size() || !seen[known->second]) {
        todo.push_back(import);
      }
    }
  }
  std::sort(closure.begin(), closure.end(),
            [&](uint32_t a, uint32_t b) { return modules_[a].name < modules_[b].name; });
  return closure;
}

uint32_t Library::First(NameId name) const {
  return Index(name) < first_.size() ? first_[Index(name)] : 0;
}

std::string Library::Hash(const std::vector<uint32_t>& modules) const {
  uint64_t hash[2] = {};
  for (const uint32_t module : modules) {
    AddToHash(modules_[module].name, hash);
    AddToHash({reinterpret_cast<const char*>(modules_[module].hash), sizeof modules_[module].hash},
              hash);
  }
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash[0]),
                static_cast<unsigned long long>(hash[1]));
  return text;
}

ImportedNames::ImportedNames(const Library& library, const std::vector<uint32_t>& modules,
                             const Terms& terms)
    : library_(library), terms_(terms) {
  for (const uint32_t module : modules) {
    if (visible_.size() <= module) visible_.resize(module + 1, false);
    visible_[module] = true;
  }
}

const IndexedConstant* ImportedNames::Find(NameId name) {
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
  if (!known_[Index(name)]) return nullptr;
  for (uint32_t at = library_.First(translated_[Index(name)]); at != 0;
       at = library_.entry(at).next) {
    const auto& entry = library_.entry(at);
    if (entry.module < visible_.size() && visible_[entry.module]) return &entry.constant;
  }
  return nullptr;
}

}  // namespace zermelo::trust
