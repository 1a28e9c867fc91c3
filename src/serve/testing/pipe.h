// For tests only: a client at the other end of a server's standard streams.
#pragma once

#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

#include "core/fd.h"

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

}  // namespace zermelo::serve::testing
