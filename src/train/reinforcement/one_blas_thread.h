// OpenBLAS on one thread, where many threads sample at once.
#pragma once

#include <cblas.h>

namespace zermelo::train {

/// While it lives, OpenBLAS multiplies on the thread that calls it.
class OneBlasThread {
 public:
  OneBlasThread() { openblas_set_num_threads(1); }
  ~OneBlasThread() { openblas_set_num_threads(before_); }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  const int before_ = openblas_get_num_threads();
};

}  // namespace zermelo::train
