// The list of strategies, apart from registry.cc so that a program can have another one.
#include "strategy/registry.h"

// ZERMELO_EACH_STRATEGY(X): X(auto) X(whole_proof) …, from strategy/CMakeLists.txt.
#include "strategy_list.inc"

namespace zermelo::strategy {

namespace registered {
#define ZERMELO_DECLARE(folder) const Strategy& strategy_##folder();
ZERMELO_EACH_STRATEGY(ZERMELO_DECLARE)
#undef ZERMELO_DECLARE
}  // namespace registered

const std::vector<const Strategy*>& AllStrategies() {
#define ZERMELO_ADDRESS(folder) &registered::strategy_##folder(),
  static const std::vector<const Strategy*> all{ZERMELO_EACH_STRATEGY(ZERMELO_ADDRESS)};
#undef ZERMELO_ADDRESS
  return all;
}

}  // namespace zermelo::strategy
