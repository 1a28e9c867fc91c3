// For tests only: the models are so small that more threads only wait for each other.
#include <ATen/Parallel.h>

namespace {

const bool kOneThread = [] {
  at::set_num_threads(1);
  return true;
}();

}  // namespace
