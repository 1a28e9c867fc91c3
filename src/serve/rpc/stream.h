// Standard streams of a server whose client is the parent process.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "core/async.h"
#include "core/files/fd.h"

namespace zermelo::serve {

/// A borrowed descriptor, whose flags are restored on destruction.
class Stream {
 public:
  Stream(const core::Executor& executor, int fd);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Reads some bytes; empty at the end of the input or after Cancel.
  core::Task<std::string> Read();
  /// False if the bytes could not be written in time.
  core::Task<bool> Write(std::string_view bytes, core::Deadline deadline);
  void Cancel();

 private:
  const core::Executor executor_;
  const core::Fd fd_;
  const int flags_;
  boost::asio::posix::stream_descriptor stream_;
};

struct StreamLimits {
  size_t message_bytes = 16U << 20U;                     // longer messages are refused
  size_t requests = 256;                                 // concurrent ones; more are refused
  size_t unread_bytes = 8U << 20U;                       // pending output that pauses reading
  core::Duration write_time = std::chrono::seconds(30);  // longer: the client counts as gone
};

/// Messages on their way to the client, written one after another.
class Outbox {
 public:
  /// `on_gone` is called, once, when the client does not read; later messages are discarded.
  Outbox(const core::Executor& executor, int fd, StreamLimits limits,
         std::function<void()> on_gone);

  void Send(std::string bytes);
  /// The client has too many unread bytes.
  bool full() const { return bytes_ > limits_.unread_bytes; }
  /// Returns when a message was written, or on Wake.
  core::Task<void> Written() { return written_.Wait(core::Deadline()); }
  void Wake() { written_.Notify(); }
  /// Writes what was sent, for a second at most, and stops; must be called before destruction.
  core::Task<void> Finish();

 private:
  core::Task<void> WriteAll();

  const core::Executor executor_;
  const StreamLimits limits_;
  const std::function<void()> on_gone_;
  Stream out_;
  std::deque<std::string> messages_;
  size_t bytes_ = 0;       // including the message being written
  core::Signal written_;   // a message was written, or Wake
  core::Signal changed_;   // there is a message, or nothing more will be sent
  bool finished_ = false;  // nothing more will be sent
  bool broken_ = false;    // the client does not read
  core::TaskGroup writer_;
};

}  // namespace zermelo::serve
