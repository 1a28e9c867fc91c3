#include "lean/checker.h"

#include <boost/asio/this_coro.hpp>

namespace zermelo::lean {

using core::Result;
using core::Task;

Task<void> Checker::CheckBatch(std::vector<CheckRequest> requests,
                               std::function<void(size_t, Result<CheckResult>)> on_answer) {
  const auto one = [&](size_t index) -> Task<void> {
    auto result = co_await Check(std::move(requests[index]));
    on_answer(index, std::move(result));
  };
  core::TaskGroup checks(co_await boost::asio::this_coro::executor);
  for (size_t i = 0; i < requests.size(); ++i) checks.Spawn(one(i));
  co_await checks.Join();
}

const char* Name(CheckStatus status) {
  switch (status) {
    case CheckStatus::kAccepted:
      return "accepted";
    case CheckStatus::kSorry:
      return "sorry";
    case CheckStatus::kRejected:
      return "rejected";
    case CheckStatus::kStalled:
      return "stalled";
  }
  return "rejected";
}

}  // namespace zermelo::lean
