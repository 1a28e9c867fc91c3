#include "trust/read_module.h"

#include <algorithm>

#include "kernel/olean/declarations.h"
#include "kernel/term/names.h"

namespace zermelo::trust {

core::Result<std::map<NameId, size_t>> PrivatePrefixes(OleanImage& image, Terms& terms) {
  const auto index = ReadIndex(image, terms);
  if (!index) return core::Fail(index.error());
  std::map<NameId, size_t> prefixes;
  for (const IndexedConstant& constant : index->constants) {
    const NameId prefix = PrivatePrefix(terms, constant.name);
    if (prefix != NameId::kAnonymous) ++prefixes[prefix];
  }
  return prefixes;
}

NameId MostFrequent(const std::map<NameId, size_t>& prefixes) {
  const auto best =
      std::max_element(prefixes.begin(), prefixes.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == prefixes.end() ? NameId::kAnonymous : best->first;
}

core::Result<Module> ReadComplete(OleanImage& image, Terms& terms, const ReadOptions& options) {
  auto module = ReadModule(image, terms, options);
  if (module && module->is_module && !module->has_private) {
    return core::Fail(core::ErrorCode::kInput,
                      "the compiled module has no .olean.private part, so it has no proofs",
                      "keep the .olean, .olean.server and .olean.private files together");
  }
  return module;
}

std::vector<std::string> NamesOfImports(const Module& module, const Terms& terms) {
  std::vector<std::string> names;
  names.reserve(module.imports.size());
  for (const Import& import : module.imports) names.push_back(terms.PrintFull(import.module));
  return names;
}

}  // namespace zermelo::trust
