#include "engine/acceptance/library_reader.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace zermelo::engine {

namespace asio = boost::asio;

std::shared_ptr<LibraryReader> LibraryReader::Create(
    core::Executor executor, std::vector<std::filesystem::path> search_path) {
  return std::shared_ptr<LibraryReader>(
      new LibraryReader(std::move(executor), std::move(search_path)));
}

LibraryReader::LibraryReader(core::Executor executor,
                             std::vector<std::filesystem::path> search_path)
    : executor_(std::move(executor)),
      read_(executor_),
      ended_(executor_),
      library_(std::move(search_path)) {}

LibraryReader::~LibraryReader() {
  if (thread_.joinable()) thread_.join();
}

void LibraryReader::ReadAhead(std::vector<std::string> modules) {
  if (is_reading_) return;
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) return;  // the judge will read everything itself
  read_ = asio::posix::stream_descriptor(executor_, event);
  // The thread signals its end by the event only: it may run while the io_context is destroyed.
  thread_ = std::thread([this, event, modules = std::move(modules)] {
    try {
      static_cast<void>(library_.Closure(modules));
    } catch (...) {
      failure_ = std::current_exception();
    }
    ::eventfd_write(event, 1);
  });
  is_reading_ = true;
  core::Launch(executor_, JoinWhenRead(shared_from_this()));
}

core::Task<void> LibraryReader::JoinWhenRead(std::shared_ptr<LibraryReader> self) {
  boost::system::error_code ignored;
  co_await self->read_.async_wait(asio::posix::descriptor_base::wait_read,
                                  asio::redirect_error(asio::use_awaitable, ignored));
  self->thread_.join();
  self->read_.close(ignored);
  self->is_reading_ = false;
  self->ended_.Notify();
}

core::Task<trust::Library*> LibraryReader::Get() {
  while (is_reading_) co_await ended_.Wait(core::Deadline());
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  co_return &library_;
}

}  // namespace zermelo::engine
