#include "trust/library.h"

#include <algorithm>
#include <array>
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

/// Whether what rests on an axiom is no news.
bool IsIgnored(const kernel::ConstantObjects& axiom, const Terms& terms) {
  const std::string name = AxiomName(terms, axiom.name);
  return axiom.safety == Safety::kUnsafe || std::ranges::count(StandardAxioms(), name) > 0;
}

}  // namespace

Library::Library(std::vector<std::filesystem::path> search_path)
    : kernel::Library(std::move(search_path), TextsOfLean()) {}

const std::vector<std::string>& ImportedAxioms::Of(const std::string& constant) const {
  static const std::vector<std::string> kNone;
  const auto found = axioms_.find(constant);
  return found == axioms_.end() ? kNone : found->second;
}

core::Result<const ImportedAxioms*> Library::Axioms(const std::vector<uint32_t>& closure) {
  if (const auto known = axioms_.find(closure); known != axioms_.end()) return &known->second;
  auto axioms = ReadAxioms(closure);
  if (!axioms) return core::Fail(axioms.error());
  if (axioms_.size() >= kKept) axioms_.clear();
  return &axioms_.emplace(closure, *std::move(axioms)).first->second;
}

core::Result<ImportedAxioms> Library::ReadAxioms(const std::vector<uint32_t>& closure) {
  ImportedAxioms found;
  AxiomReader reader;
  OleanImage image;
  std::vector<bool> tainted(size(), false);
  std::vector<NameId> ignored;  // Lean's three axioms, unsafe ones
  for (const uint32_t module : closure) {
    const bool imports_one =
        std::ranges::any_of(Imports(module), [&](uint32_t import) { return tainted[import]; });
    if (!DeclaresAxiom(module) && !HasText(module) && !imports_one) continue;
    if (const auto opened = Open(module, image); !opened) return core::Fail(opened.error());
    const auto objects = ReadObjects(image, reader.terms());
    if (!objects) return core::Fail(objects.error());
    const auto axioms = reader.Read(image, *objects);
    if (!axioms) return core::Fail(axioms.error());
    for (const kernel::ConstantObjects& constant : objects->constants) {
      if (constant.kind == ConstantKind::kAxiom && IsIgnored(constant, reader.terms()))
        ignored.push_back(constant.name);
    }
    for (size_t i = 0; i < axioms->size(); ++i) {
      const kernel::ConstantObjects& constant = objects->constants[i];
      std::vector<std::string> names;
      for (const uint32_t axiom : reader.sets()[(*axioms)[i].axioms]) {
        if (std::ranges::count(ignored, NameId{axiom}) == 0)
          names.push_back(AxiomName(reader.terms(), NameId{axiom}));
      }
      if (names.empty() || constant.safety == Safety::kUnsafe) continue;
      std::string name = reader.terms().PrintFull(constant.name);
      if (std::ranges::count(kOfLean, name) > 0) continue;
      std::ranges::sort(names);
      tainted[module] = true;
      found.axioms_.emplace(std::move(name), std::move(names));
    }
  }
  return found;
}

}  // namespace zermelo::trust
