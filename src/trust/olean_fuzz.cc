// libFuzzer target: any bytes give an error or a module; a module equals itself and can be walked.
//
// Input: a byte that says in how many parts (1 or 3) the rest is, for three parts two little-endian
// u16 lengths of the first two, then the parts.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "trust/compare.h"
#include "trust/library.h"
#include "trust/olean.h"
#include "trust/reach.h"

namespace {

namespace trust = zermelo::trust;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::vector<std::string_view> Parts(std::string_view input) {
  if (input.empty()) return {};
  const bool three = (input[0] & 1) != 0;
  input.remove_prefix(1);
  if (!three || input.size() < 4) return {input};
  std::vector<std::string_view> parts;
  const auto length = [&](size_t at) {
    return static_cast<size_t>(static_cast<uint8_t>(input[at]) | static_cast<uint8_t>(input[at + 1])
                                                                     << 8U);
  };
  const size_t first = length(0), second = length(2);
  input.remove_prefix(4);
  for (const size_t size : {first, second}) {
    parts.push_back(input.substr(0, size));
    input.remove_prefix(parts.back().size());
  }
  parts.push_back(input);
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parts = Parts({reinterpret_cast<const char*>(data), size});
  trust::OleanImage image;
  trust::Terms terms;
  if (!image.Open(parts)) return 0;
  trust::ReadIndex(image, terms);
  if (!image.Open(parts)) return 0;
  auto read = trust::ReadModule(image, terms);
  if (!read) return 0;
  const trust::IndexedModule module(*std::move(read));

  trust::Comparison comparison(terms, module, module);
  for (const auto& constant : module.module.constants) comparison.Add(constant, constant);
  comparison.Finish();
  trust::Library library({});
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
