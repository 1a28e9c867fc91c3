// libFuzzer target: any bytes are judged as an export.
#include <cstdint>

#include "kernel/testing/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  zermelo::kernel::JudgeExport({reinterpret_cast<const char*>(data), size});
  return 0;
}
