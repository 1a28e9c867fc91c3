// A random order that is the same on every machine.
#pragma once

#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace zermelo::train {

/// The numbers from 0 to `size` - 1, in an order that only `random` determines (std::shuffle's also
/// depends on the library).
inline std::vector<size_t> ShuffledOrder(size_t size, std::mt19937_64& random) {
  std::vector<size_t> order(size);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace zermelo::train
