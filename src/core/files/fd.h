// An owned file descriptor, closed on destruction.
#pragma once

#include <unistd.h>
#include <utility>

namespace zermelo::core {

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.Release()) {}
  Fd& operator=(Fd&& other) noexcept {
    Close();
    fd_ = other.Release();
    return *this;
  }
  ~Fd() { Close(); }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int fd_;
};

}  // namespace zermelo::core
