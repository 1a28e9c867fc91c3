#include "trust/library.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "trust/audit/axiom_reader.h"
#include "trust/axioms.h"

namespace zermelo::trust {

namespace {

constexpr size_t kKept = 64;  // closures; a server may see many

/// What Lean itself declares. Every module imports them, so those that mention them are found by
/// their bytes.
constexpr std::array<std::string_view, 6> kOfLean = {"sorryAx",           "Lean.trustCompiler",
                                                     "Lean.ofReduceBool", "Lean.ofReduceNat",
                                                     "Lean.reduceBool",   "Lean.reduceNat"};
/// A text in each of these names.
std::vector<std::string> TextsOfLean() {
  return {"sorryAx", "trustCompiler", "educeBool", "educeNat"};
}

/// Sets of axioms, printed, without those that nobody asks about: Lean's three, and unsafe ones.
class Collector {
 public:
  explicit Collector(AxiomReader& reader) : reader_(reader) {}

  /// Call it with each module that is read.
  void IgnoreAxiomsOf(const kernel::ModuleObjects& module) {
    for (const kernel::ConstantObjects& constant : module.constants) {
      if (constant.kind != ConstantKind::kAxiom) continue;
      const std::string name = AxiomName(reader_.terms(), constant.name);
      if (constant.safety == Safety::kUnsafe || std::ranges::count(StandardAxioms(), name) > 0)
        ignored_.push_back(constant.name);
    }
  }

  /// The number of a constant's set; nullopt if it is empty.
  std::optional<uint32_t> SetOf(const kernel::ConstantObjects& constant,
                                const ConstantAxioms& found) {
    if (found.axioms == AxiomSets::kEmpty || constant.safety == Safety::kUnsafe)
      return std::nullopt;
    if (std::ranges::count(kOfLean, reader_.terms().PrintFull(constant.name)) > 0)
      return std::nullopt;
    const auto [at, fresh] = numbers_.emplace(found.axioms, std::nullopt);
    if (!fresh) return at->second;
    std::vector<ImportedAxiom> axioms;
    for (const uint32_t id : reader_.sets()[found.axioms]) {
      const NameId name{id};
      if (std::ranges::count(ignored_, name) == 0)
        axioms.push_back({reader_.terms().PrintFull(name), AxiomName(reader_.terms(), name)});
    }
    if (axioms.empty()) return std::nullopt;
    std::ranges::sort(axioms, {}, &ImportedAxiom::full);
    at->second = static_cast<uint32_t>(sets_.size());
    sets_.push_back(std::move(axioms));
    return at->second;
  }

  std::vector<std::vector<ImportedAxiom>> TakeSets() { return std::move(sets_); }

 private:
  AxiomReader& reader_;
  std::vector<NameId> ignored_;
  std::unordered_map<AxiomSets::Id, std::optional<uint32_t>> numbers_;
  std::vector<std::vector<ImportedAxiom>> sets_;
};

}  // namespace

Library::Library(std::vector<std::filesystem::path> search_path)
    : kernel::Library(std::move(search_path), TextsOfLean()) {}

const std::vector<ImportedAxiom>& ImportedAxioms::Of(const std::string& constant) const {
  static const std::vector<ImportedAxiom> kNone;
  const auto found = set_of_.find(constant);
  return found == set_of_.end() ? kNone : sets_[found->second];
}

core::Result<const ImportedAxioms*> Library::Axioms(const kernel::Closure& closure) {
  if (const auto known = axioms_.find(closure.sha256); known != axioms_.end())
    return &known->second;
  auto axioms = ReadAxioms(closure.modules);
  if (!axioms) return core::Fail(axioms.error());
  if (axioms_.size() >= kKept) axioms_.clear();
  return &axioms_.emplace(closure.sha256, *std::move(axioms)).first->second;
}

core::Result<ImportedAxioms> Library::ReadAxioms(const std::vector<uint32_t>& modules) {
  ImportedAxioms found;
  AxiomReader reader;
  Collector collector(reader);
  OleanImage image;
  std::vector<bool> tainted(size(), false);  // a module that has, or imports, what is found
  for (const uint32_t module : modules) {
    tainted[module] =
        std::ranges::any_of(Imports(module), [&](uint32_t import) { return tainted[import]; });
    if (!DeclaresAxiom(module) && !HasText(module) && !tainted[module]) continue;
    if (const auto opened = Open(module, image); !opened) return core::Fail(opened.error());
    const auto objects = ReadObjects(image, reader.terms());
    if (!objects) return core::Fail(objects.error());
    const auto axioms = reader.Read(image, *objects);
    if (!axioms) return core::Fail(axioms.error());
    collector.IgnoreAxiomsOf(*objects);
    for (size_t i = 0; i < axioms->size(); ++i) {
      const auto set = collector.SetOf(objects->constants[i], (*axioms)[i]);
      if (!set) continue;
      tainted[module] = true;
      // The same name in two modules of which neither sees the other: the later has both sets.
      found.set_of_.insert_or_assign(reader.terms().PrintFull(objects->constants[i].name), *set);
    }
  }
  found.sets_ = collector.TakeSets();
  return found;
}

}  // namespace zermelo::trust
