// For tests only: an HTTP client that can send arbitrary bytes.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "core/async.h"
#include "core/testing/testing.h"

namespace zermelo::serve::testing {

class Client {
 public:
  Client(boost::asio::io_context& io, const std::string& url)
      : io_(io), socket_(std::make_shared<Socket>(io)) {
    const auto port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    socket_->connect({boost::asio::ip::make_address("127.0.0.1"), port});
    // No child process may keep the connection open.
    ::fcntl(socket_->native_handle(), F_SETFD, FD_CLOEXEC);
  }
  ~Client() { Leave(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends in the background; bytes that the server does not read are lost.
  void Send(std::string bytes) {
    core::Launch(io_.get_executor(), Write(socket_, std::move(bytes)));
  }
  /// Closes the connection.
  void Leave() {
    boost::system::error_code ignored;
    socket_->close(ignored);
  }
  /// Returns the bytes up to the end of the next answer or of the connection.
  std::string Receive() { return core::testing::Await(io_, Read(socket_)); }
  std::string Exchange(std::string bytes) {
    Send(std::move(bytes));
    return Receive();
  }

 private:
  using Socket = boost::asio::ip::tcp::socket;

  // These tasks may outlive the client.
  static core::Task<void> Write(std::shared_ptr<Socket> socket, std::string bytes) {
    boost::system::error_code ignored;
    co_await boost::asio::async_write(
        *socket, boost::asio::buffer(bytes),
        boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }

  static core::Task<std::string> Read(std::shared_ptr<Socket> socket) {
    std::string answer;
    while (!Complete(answer)) {
      char bytes[4096];
      boost::system::error_code error;
      const size_t got = co_await socket->async_read_some(
          boost::asio::buffer(bytes),
          boost::asio::redirect_error(boost::asio::use_awaitable, error));
      answer.append(bytes, got);
      if (error) break;
    }
    co_return answer;
  }

  static bool Complete(const std::string& answer) {
    const size_t end = answer.find("\r\n\r\n");
    const size_t length = answer.find("Content-Length: ");
    if (answer.starts_with("HTTP/1.1 100 ")) return end != answer.npos;
    if (end == answer.npos || length == answer.npos) return false;
    return answer.size() >= end + 4 + std::stoul(answer.substr(length + 16));
  }

  boost::asio::io_context& io_;
  std::shared_ptr<Socket> socket_;
};

inline std::string Get(const std::string& path, const std::string& headers = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: test\r\n{}\r\n", path, headers);
}
inline std::string Post(const std::string& path, const std::string& body,
                        const std::string& headers = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n{}\r\n{}", path,
                     body.size(), headers, body);
}
inline int StatusOf(const std::string& answer) {
  return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
}
inline std::string BodyOf(const std::string& answer) {
  const size_t end = answer.find("\r\n\r\n");
  return end == answer.npos ? "" : answer.substr(end + 4);
}

}  // namespace zermelo::serve::testing
