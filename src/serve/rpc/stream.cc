#include "serve/rpc/stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <utility>

namespace zermelo::serve {

namespace asio = boost::asio;
using boost::system::error_code;
using core::Deadline;
using core::DeadlineGuard;
using core::Task;

namespace {

constexpr size_t kReadBytes = 64U << 10U;
constexpr auto kLastWords = std::chrono::seconds(1);

}  // namespace

Stream::Stream(const core::Executor& executor, int fd)
    : executor_(executor),
      fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)),
      flags_(::fcntl(fd, F_GETFL)),
      stream_(executor) {
  error_code ignored;  // reading a closed descriptor fails later
  stream_.assign(::fcntl(fd, F_DUPFD_CLOEXEC, 0), ignored);
}

Stream::~Stream() {
  error_code ignored;
  stream_.close(ignored);
  if (flags_ >= 0) ::fcntl(fd_.get(), F_SETFL, flags_);  // asio makes it non-blocking
}

Task<std::string> Stream::Read() {
  std::string bytes(kReadBytes, '\0');
  error_code error;
  const size_t got = co_await stream_.async_read_some(
      asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
  bytes.resize(error ? 0 : got);
  co_return bytes;
}

Task<bool> Stream::Write(std::string_view bytes, Deadline deadline) {
  error_code error;
  const DeadlineGuard guard(executor_, deadline, [this] { Cancel(); });
  co_await asio::async_write(stream_, asio::buffer(bytes),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

void Stream::Cancel() {
  error_code ignored;
  stream_.cancel(ignored);
}

Outbox::Outbox(const core::Executor& executor, int fd, StreamLimits limits,
               std::function<void()> on_gone)
    : executor_(executor),
      limits_(limits),
      on_gone_(std::move(on_gone)),
      out_(executor, fd),
      written_(executor),
      changed_(executor),
      writer_(executor) {
  writer_.Spawn(WriteAll());
}

void Outbox::Send(std::string bytes) {
  bytes_ += bytes.size();
  messages_.push_back(std::move(bytes));
  changed_.Notify();
}

Task<void> Outbox::Finish() {
  finished_ = true;
  changed_.Notify();
  const DeadlineGuard last_words(executor_, Deadline::After(kLastWords), [this] {
    broken_ = true;
    out_.Cancel();
  });
  co_await writer_.Join();
}

Task<void> Outbox::WriteAll() {
  while (true) {
    while (messages_.empty() && !finished_) co_await changed_.Wait(Deadline());
    if (messages_.empty()) co_return;
    const std::string bytes = std::move(messages_.front());
    messages_.pop_front();
    bool sent = false;
    if (!broken_) sent = co_await out_.Write(bytes, Deadline::After(limits_.write_time));
    bytes_ -= bytes.size();
    written_.Notify();
    if (sent || broken_) continue;
    broken_ = true;
    on_gone_();
  }
}

}  // namespace zermelo::serve
