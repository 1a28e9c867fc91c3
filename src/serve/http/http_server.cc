#include "serve/http/http_server.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <sys/socket.h>

#include "core/json.h"
#include "core/text.h"

namespace zermelo::serve {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using core::Deadline;
using core::DeadlineGuard;
using core::Task;

namespace {

using Parser = http::request_parser<http::string_body>;
using Reply = http::response<http::string_body>;
/// Whether a request could be read; else the error response, or nothing if the client is gone.
using Read = tl::expected<void, std::optional<HttpResponse>>;

constexpr size_t kReadChunk = 64U << 10U;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr int kClientGone = 499;

tl::unexpected<std::optional<HttpResponse>> Refused(std::optional<HttpResponse> answer) {
  return tl::unexpected<std::optional<HttpResponse>>(std::move(answer));
}

auto Into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

struct Connection {
  explicit Connection(tcp::socket s, uint32_t header_bytes)
      : socket(std::move(s)), buffer(header_bytes + kReadChunk) {}

  tcp::socket socket;
  beast::flat_buffer buffer;  // bytes received but not yet parsed
  bool handling = false;      // the handler is running
  bool answering = false;     // from a complete request until its response is written
};

/// Prevents child processes from inheriting a socket: code in snippets must not reach clients.
template <class Socket>
void KeepFromChildren(Socket& socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

std::string Peer(const tcp::socket& socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  if (error) return "";
  return fmt::format("{}:{}", peer.address().to_string(), peer.port());
}

enum class Sign { kNone, kSentMore, kLeft };

/// Peeks at what the client has done since its request.
Sign LookAt(tcp::socket& socket) {
  char byte = 0;
  const ssize_t got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return Sign::kSentMore;
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? Sign::kNone : Sign::kLeft;
}

/// The response to a request that could not be read; nothing if the client is gone.
std::optional<HttpResponse> Refusal(const error_code& error, bool in_time,
                                    const HttpLimits& limits) {
  if (!in_time) return ErrorResponse(408, "the request did not arrive in time");
  if (error == http::error::body_limit) {
    return ErrorResponse(413, fmt::format("the body is larger than {} bytes; send smaller batches",
                                          limits.body_bytes));
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return ErrorResponse(431,
                         fmt::format("the headers are larger than {} bytes", limits.header_bytes));
  }
  const bool left = error == http::error::end_of_stream || error == http::error::partial_message;
  if (left || error.category() != make_error_code(http::error::bad_method).category()) return {};
  return ErrorResponse(400, "not an HTTP request: " + error.message());
}

std::map<std::string, std::string> HeadersOf(const http::fields& fields) {
  std::map<std::string, std::string> headers;
  for (const auto& field : fields) {
    const auto [place, is_new] =
        headers.emplace(core::InLowerCase(field.name_string()), field.value());
    if (!is_new) place->second += ", " + std::string(field.value());
  }
  return headers;
}

Reply MakeReply(const HttpResponse& response, unsigned version, bool keep_alive) {
  Reply reply(static_cast<http::status>(response.status), version);
  reply.set(http::field::server, "zermelo");
  reply.set(http::field::content_type, response.content_type);
  if (response.retry_after) {
    reply.set(http::field::retry_after, std::to_string(*response.retry_after));
  }
  if (!response.allow.empty()) reply.set(http::field::allow, response.allow);
  if (response.status == 401) reply.set(http::field::www_authenticate, "Bearer");
  for (const auto& [name, value] : response.headers) reply.set(name, value);
  reply.keep_alive(keep_alive);
  reply.body() = response.body;
  reply.prepare_payload();
  return reply;
}

}  // namespace

HttpResponse ErrorResponse(int status, const std::string& what) {
  HttpResponse response;
  response.status = status;
  nlohmann::json body;
  body["detail"] = what;
  response.body = core::Dump(body);
  return response;
}

struct HttpServer::Impl {
  Impl(const core::Executor& e, HttpLimits l, HttpHandler& h)
      : executor(e), limits(l), handler(h), acceptor(e), changed(e) {}

  const core::Executor executor;
  const HttpLimits limits;
  HttpHandler& handler;
  tcp::acceptor acceptor;
  core::Signal changed;  // a connection ended, or the server stops
  std::set<Connection*> connections;
  uint64_t bodies_bytes = 0;  // reserved for the bodies of open requests
  bool stopped = false;

  Task<void> Accept() {
    core::TaskGroup serving(executor);
    while (!stopped) {
      while (!stopped && connections.size() >= limits.connections) {
        co_await changed.Wait(Deadline());
      }
      if (stopped) break;
      error_code error;
      tcp::socket socket = co_await acceptor.async_accept(Into(error));
      if (stopped) break;
      if (error) {  // out of descriptors, or the client has already disconnected
        co_await changed.Wait(Deadline::After(kAcceptPause));
        continue;
      }
      KeepFromChildren(socket);
      socket.set_option(tcp::no_delay(true), error);
      auto connection = std::make_unique<Connection>(std::move(socket), limits.header_bytes);
      connections.insert(connection.get());
      serving.Spawn(Serve(std::move(connection)));
    }
    acceptor.close();
    co_await serving.Join();
  }

  Task<void> Serve(std::unique_ptr<Connection> connection) {
    while (co_await ServeOne(*connection)) {
    }
    error_code ignored;
    connection->socket.close(ignored);
    connections.erase(connection.get());
    changed.Notify();
  }

  /// Reads and answers one request; false if the connection must be closed.
  Task<bool> ServeOne(Connection& c) {
    if (!co_await WaitForRequest(c)) co_return false;
    const auto began = core::Clock::now();
    Parser parser;
    parser.header_limit(limits.header_bytes);
    parser.body_limit(limits.body_bytes);
    AccessRecord record;
    record.client = Peer(c.socket);
    BodyShare share(*this);
    auto read = co_await ReadRequest(c, parser, share.held);
    if (stopped || (!read && !read.error())) co_return false;

    c.answering = true;
    const bool keep_alive = read && parser.get().keep_alive();
    const unsigned version = parser.is_header_done() ? parser.get().version() : 11;
    record.method = std::string(parser.get().method_string());
    record.path = std::string(parser.get().target());
    record.bytes_in = parser.get().body().size();
    HttpResponse response;
    if (!read) {
      response = std::move(*read.error());
    } else {
      auto answer = co_await Answer(c, parser);
      if (!answer) {
        record.status = kClientGone;
        record.seconds = core::Seconds(core::Clock::now() - began);
        handler.Answered(record);
        co_return false;
      }
      response = std::move(*answer);
    }
    const bool stay = keep_alive && !stopped && !response.next_piece;
    bool sent = false;
    if (response.next_piece) {
      sent = co_await WritePieces(c, response, version, record.bytes_out);
    } else {
      sent = co_await Write(c, MakeReply(response, version, stay));
      record.bytes_out = response.body.size();
    }
    c.answering = false;
    record.status = sent ? response.status : kClientGone;
    record.seconds = core::Seconds(core::Clock::now() - began);
    handler.Answered(record);
    if (!sent) co_return false;
    if (stay) co_return true;
    co_await Linger(c);
    co_return false;
  }

  /// Waits for the first byte of a request; false if none arrives in time or the server stops.
  Task<bool> WaitForRequest(Connection& c) {
    if (stopped) co_return false;
    if (c.buffer.size() > 0) co_return true;
    error_code error;
    const DeadlineGuard idle(executor, Deadline::After(limits.idle_time), [&c] { Cancel(c); });
    const size_t got = co_await c.socket.async_read_some(c.buffer.prepare(4096), Into(error));
    c.buffer.commit(got);
    co_return !error && got > 0 && !stopped;
  }

  Task<Read> ReadRequest(Connection& c, Parser& parser, uint64_t& held) {
    error_code error;
    {
      const DeadlineGuard guard(executor, Deadline::After(limits.header_time), [&c] { Cancel(c); });
      co_await http::async_read_header(c.socket, c.buffer, parser, Into(error));
      if (error) co_return Refused(Refusal(error, !guard.expired(), limits));
    }
    const auto announced = parser.content_length();
    held = announced ? *announced : parser.chunked() ? limits.body_bytes : 0;
    if (bodies_bytes + held > limits.bodies_bytes) {
      held = 0;
      auto full = ErrorResponse(429, "too many large requests at once");
      full.retry_after = 1;
      co_return Refused(std::move(full));
    }
    bodies_bytes += held;
    if (parser.get()[http::field::expect] == "100-continue") {
      Reply interim(http::status::continue_, 11);
      interim.prepare_payload();
      if (!co_await Write(c, std::move(interim))) co_return Refused(std::nullopt);
    }
    const DeadlineGuard guard(executor, Deadline::After(limits.body_time), [&c] { Cancel(c); });
    co_await http::async_read(c.socket, c.buffer, parser, Into(error));
    if (error) co_return Refused(Refusal(error, !guard.expired(), limits));
    co_return Read();
  }

  /// Calls the handler; nothing if the client disconnects first.
  Task<std::optional<HttpResponse>> Answer(Connection& c, Parser& parser) {
    HttpRequest request;
    request.method = std::string(parser.get().method_string());
    const auto target = parser.get().target();
    const auto mark = std::min(target.find('?'), target.size());
    request.path = std::string(target.substr(0, mark));
    if (mark < target.size()) request.query = std::string(target.substr(mark + 1));
    request.authorization = std::string(parser.get()[http::field::authorization]);
    request.body = std::move(parser.get().body());
    request.headers = HeadersOf(parser.get());
    core::Cancellation client_gone;
    c.handling = true;
    core::TaskGroup watching(executor);
    watching.Spawn(Watch(c, client_gone));
    HttpResponse response;
    try {
      response = co_await handler.Handle(std::move(request), client_gone);
    } catch (const std::exception& e) {
      response = ErrorResponse(500, std::string("internal error: ") + e.what());
    }
    c.handling = false;
    Cancel(c);
    co_await watching.Join();
    if (client_gone.requested()) co_return std::nullopt;
    co_return response;
  }

  static Task<void> Watch(Connection& c, core::Cancellation& client_gone) {
    while (c.handling) {
      error_code error;
      co_await c.socket.async_wait(tcp::socket::wait_read, Into(error));
      if (!c.handling || error) co_return;
      // The event may be due to bytes that have already been read.
      const Sign sign = LookAt(c.socket);
      if (sign == Sign::kLeft) client_gone.Request();
      if (sign != Sign::kNone) co_return;
    }
  }

  Task<bool> Write(Connection& c, Reply reply) {
    error_code error;
    const DeadlineGuard guard(executor, Deadline::After(limits.write_time), [&c] { Cancel(c); });
    co_await http::async_write(c.socket, reply, Into(error));
    co_return !error;
  }

  Task<bool> WriteBytes(Connection& c, std::string bytes) {
    error_code error;
    const DeadlineGuard guard(executor, Deadline::After(limits.write_time), [&c] { Cancel(c); });
    co_await asio::async_write(c.socket, asio::buffer(bytes), Into(error));
    co_return !error;
  }

  /// Sends a body of unknown length, which the end of the connection ends.
  Task<bool> WritePieces(Connection& c, const HttpResponse& response, unsigned version,
                         size_t& sent) {
    Reply reply = MakeReply(response, version, false);
    reply.content_length(boost::none);
    std::ostringstream head;
    head << reply.base();
    if (!co_await WriteBytes(c, head.str())) co_return false;
    while (!stopped && LookAt(c.socket) != Sign::kLeft) {
      auto piece = co_await response.next_piece();
      if (!piece) co_return true;
      if (piece->empty()) continue;
      sent += piece->size();
      if (!co_await WriteBytes(c, std::move(*piece))) co_return false;
    }
    co_return stopped;
  }

  /// Shuts down sending and reads the remaining input, so that a client that is still sending a
  /// body receives its response.
  Task<void> Linger(Connection& c) {
    error_code error;
    c.socket.shutdown(tcp::socket::shutdown_send, error);
    const DeadlineGuard guard(executor, Deadline::After(limits.linger_time), [&c] { Cancel(c); });
    std::string rest(kReadChunk, '\0');
    while (!error && !guard.expired() && !stopped) {
      co_await c.socket.async_read_some(asio::buffer(rest), Into(error));
    }
  }

  static void Cancel(Connection& c) {
    error_code ignored;
    c.socket.cancel(ignored);
  }

  /// A request's share of bodies_bytes, released on destruction.
  struct BodyShare {
    explicit BodyShare(Impl& impl) : owner(impl) {}
    ~BodyShare() { owner.bodies_bytes -= held; }
    BodyShare(const BodyShare&) = delete;
    BodyShare& operator=(const BodyShare&) = delete;
    Impl& owner;
    uint64_t held = 0;
  };
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

core::Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const core::Executor& executor,
                                                             const std::string& host, uint16_t port,
                                                             HttpLimits limits,
                                                             HttpHandler& handler) {
  auto impl = std::make_unique<Impl>(executor, limits, handler);
  error_code error;
  tcp::resolver resolver(executor);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (!error) {
    const tcp::endpoint endpoint = *found.begin();
    impl->acceptor.open(endpoint.protocol(), error);
    if (!error) KeepFromChildren(impl->acceptor);
    if (!error) impl->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) impl->acceptor.bind(endpoint, error);
    if (!error) impl->acceptor.listen(tcp::acceptor::max_listen_connections, error);
  }
  if (error) {
    return core::Fail(core::ErrorCode::kEnvironment,
                      fmt::format("cannot listen on {}:{}: {}", host, port, error.message()),
                      "choose another --host or --port");
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::string HttpServer::url() const {
  const auto local = impl_->acceptor.local_endpoint();
  const std::string address = local.address().to_string();
  return local.address().is_v6() ? fmt::format("http://[{}]:{}", address, local.port())
                                 : fmt::format("http://{}:{}", address, local.port());
}

Task<void> HttpServer::Run() { return impl_->Accept(); }

void HttpServer::Stop() {
  impl_->stopped = true;
  error_code ignored;
  impl_->acceptor.cancel(ignored);
  for (Connection* c : impl_->connections) {
    if (!c->answering) Impl::Cancel(*c);
  }
  impl_->changed.Notify();
}

}  // namespace zermelo::serve
