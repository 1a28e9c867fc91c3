// For tests only: a client at the other end of a server's standard streams.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

#include "core/files/fd.h"

namespace zermelo::serve::testing {

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read = core::Fd(ends[0]);
    write = core::Fd(ends[1]);
  }
  core::Fd read, write;
};

/// Writes all bytes while the server reads: a pipe does not hold them all. False if it is closed.
inline bool WriteWhileServed(const core::Fd& fd, std::string_view bytes,
                             boost::asio::io_context& io) {
  while (!bytes.empty()) {
    const ssize_t sent = ::write(fd.get(), bytes.data(), std::min<size_t>(bytes.size(), 4096));
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
    io.poll();
    if (io.stopped()) io.restart();
  }
  return true;
}

}  // namespace zermelo::serve::testing
