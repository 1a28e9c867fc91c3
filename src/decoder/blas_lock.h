// One call of OpenBLAS at a time, where several threads may not call it at once.
#pragma once

#include <cblas.h>
#include <mutex>

namespace zermelo::decoder {

/// Debian's serial OpenBLAS returns wrong products now and then if several threads call it at once.
/// The lock is empty if the library takes care of that itself.
inline std::unique_lock<std::mutex> BlasLock() {
  static std::mutex one_at_a_time;
  if (openblas_get_parallel() != OPENBLAS_SEQUENTIAL) return {};
  return std::unique_lock(one_at_a_time);
}

}  // namespace zermelo::decoder
