// Runs one task on an event loop that has other work, too.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/async.h"

namespace zermelo::train {

/// As core::RunToEnd, but returns while the Leans still wait for the next text.
template <class T>
T RunUntilDone(boost::asio::io_context& io, core::Task<T> task) {
  std::exception_ptr failure;
  std::optional<T> result;
  boost::asio::co_spawn(io, std::move(task), [&](const std::exception_ptr& e, T value) {
    failure = e;
    if (!e) result.emplace(std::move(value));
  });
  io.restart();
  const auto runs = [&] { return !result && !failure; };
  while (runs() && io.run_one() > 0) {
  }
  if (failure) std::rethrow_exception(failure);
  if (!result) throw std::logic_error("the io_context was stopped before the task ended");
  return *std::move(result);
}

}  // namespace zermelo::train
