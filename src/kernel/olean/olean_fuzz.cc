// libFuzzer target: any bytes give an error or a module whose terms can be printed.
#include <cstdint>

#include "kernel/olean/olean.h"
#include "kernel/testing/fuzz_input.h"

namespace kernel = zermelo::kernel;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parts = kernel::PartsOfInput(data, size);
  kernel::OleanImage image;
  kernel::Terms terms;
  if (!image.Open(parts)) return 0;
  kernel::ReadIndex(image, terms);
  if (!image.Open(parts)) return 0;
  const auto module = kernel::ReadModule(image, terms);
  if (!module) return 0;
  for (const auto& constant : module->constants) terms.Print(constant.name);
  return 0;
}
