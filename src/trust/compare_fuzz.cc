// libFuzzer target: a module that can be read equals itself and can be walked.
#include <cstdint>
#include <cstdlib>

#include "kernel/testing/fuzz_input.h"
#include "trust/compare.h"
#include "trust/reach.h"

namespace {

namespace trust = zermelo::trust;

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parts = zermelo::kernel::PartsOfInput(data, size);
  trust::OleanImage image;
  trust::Terms terms;
  if (!image.Open(parts)) return 0;
  auto read = zermelo::kernel::ReadModule(image, terms);
  if (!read) return 0;
  const trust::IndexedModule module(*std::move(read));

  trust::Comparison comparison(terms, module, module);
  for (const auto& constant : module.module.constants) comparison.Add(constant, constant);
  comparison.Finish();
  const zermelo::kernel::Library library({});
  trust::ImportedNames imported(library, {}, terms);
  trust::Dependencies dependencies(terms, module, imported);
  const bool built = dependencies.Build();
  for (const auto& constant : module.module.constants) {
    Require(comparison.Find(constant, constant).code == trust::ReasonCode::kNone);
    terms.Print(constant.name);
    if (built) dependencies.From(constant);
    dependencies.IsMalformed(constant);
  }
  return 0;
}
