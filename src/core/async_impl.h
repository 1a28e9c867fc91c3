#pragma once

#include <boost/asio/co_spawn.hpp>
#include <stdexcept>

namespace zermelo::core {

template <class T>
T RunToEnd(boost::asio::io_context& io, Task<T> task) {
  std::exception_ptr failure;
  std::optional<T> result;
  boost::asio::co_spawn(io, std::move(task), [&](const std::exception_ptr& e, T value) {
    failure = e;
    if (!e) result.emplace(std::move(value));
  });
  io.restart();
  io.run();
  if (failure) std::rethrow_exception(failure);
  if (!result) throw std::logic_error("the io_context was stopped before the task ended");
  return std::move(*result);
}

}  // namespace zermelo::core
