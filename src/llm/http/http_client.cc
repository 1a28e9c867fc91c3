#include "llm/http/http_client.h"

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cassert>
#include <curl/curl.h>
#include <unistd.h>
#include <unordered_map>

#include "core/text.h"

namespace zermelo::llm {

namespace asio = boost::asio;
using core::Clock;
using core::Deadline;
using core::Task;

namespace {

constexpr size_t kMaxHeaderBytes = 64U << 10U;
constexpr long kMaxIdleConnections = 2048;
constexpr size_t kMaxIdleHandles = 256;

/// curl must be initialised once, by one thread, before its first use.
void InitialiseCurl() {
  static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
  assert(done == CURLE_OK);
  static_cast<void>(done);
}

struct CloseEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct CloseMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, CloseEasy>;
using Multi = std::unique_ptr<CURLM, CloseMulti>;
using List = std::unique_ptr<curl_slist, FreeList>;

List MakeList(const std::vector<std::string>& lines) {
  List list;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    static_cast<void>(list.release());  // now part of `longer`
    list.reset(longer);
  }
  return list;
}

HttpEnd EndOf(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return HttpEnd::kComplete;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:  // curl's only timeout here is for connecting
      return HttpEnd::kUnreachable;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return HttpEnd::kTls;
    default:
      return HttpEnd::kBroken;
  }
}

struct Transfer : std::enable_shared_from_this<Transfer> {
  using Fed = std::vector<std::shared_ptr<Transfer>>;
  Transfer(const core::Executor& executor, HttpRequest request, Fed& fed)
      : request(std::move(request)), ended(executor), last_byte(Clock::now()), fed(fed) {}

  HttpRequest request;
  Easy easy;
  List headers;
  std::string curl_words = std::string(CURL_ERROR_SIZE, '\0');

  HttpReply reply;
  size_t header_bytes = 0;
  size_t body_bytes = 0;
  std::string fresh;  // body that was not yet passed to on_data
  bool done = false;
  core::Signal ended;
  Clock::time_point last_byte;
  Fed& fed;  // transfers with body for on_data

  bool Succeeds() const { return reply.status >= 200 && reply.status < 300; }
  Deadline StallsAt() const {
    return Deadline(last_byte +
                    (body_bytes == 0 ? request.timeouts.first_byte : request.timeouts.idle));
  }
  void TakeHeader(std::string_view line);
};

void Transfer::TakeHeader(std::string_view line) {
  if (line.starts_with("HTTP/")) {  // also after a "100 Continue"
    reply.headers.clear();
    return;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = core::InLowerCase(std::string(line.substr(0, colon)));
  line.remove_prefix(colon + 1);
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const size_t end = line.find_last_not_of(" \t\r\n") + 1;
  reply.headers[name] = line.substr(begin, end - std::min(begin, end));
}

std::string Words(const Transfer& transfer, CURLcode code) {
  if (code == CURLE_OK) return "";
  const std::string words = transfer.curl_words.c_str();
  return words.empty() ? curl_easy_strerror(code) : words;
}

/// One of curl's sockets in the event loop. curl owns the descriptor and closes it.
struct Watch {
  Watch(const core::Executor& executor, int fd) : descriptor(executor, fd) {}
  asio::posix::stream_descriptor descriptor;
  int wanted = 0;        // CURL_POLL_IN, CURL_POLL_OUT
  bool waiting[2] = {};  // for CURL_POLL_IN, CURL_POLL_OUT
};

}  // namespace

/// curl's callbacks may not call curl, so they only note what happened. Settle acts on it (on_data,
/// the end of transfers) after curl has returned.
struct HttpClient::Impl {
  explicit Impl(const core::Executor& executor);
  ~Impl();

  std::shared_ptr<Transfer> Start(HttpRequest request);
  void Configure(Transfer& transfer);
  void Finish(Transfer& transfer, HttpEnd end, std::string what);

  void Act(curl_socket_t fd, int events);
  void Settle();
  void Deliver(Transfer& transfer);
  void WatchSocket(curl_socket_t fd, int what);
  void Forget(curl_socket_t fd);
  void Arm(curl_socket_t fd, const std::shared_ptr<Watch>& watch, int direction);

  static int OnSocket(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int OnTimer(CURLM*, long milliseconds, void* self);
  static int OnClose(void* self, curl_socket_t fd);
  static size_t OnHeader(char* data, size_t, size_t size, void* transfer);
  static size_t OnBody(char* data, size_t, size_t size, void* transfer);

  const core::Executor executor;
  asio::steady_timer timer;
  std::unordered_map<curl_socket_t, std::shared_ptr<Watch>> watches;
  std::unordered_map<CURL*, std::shared_ptr<Transfer>> transfers;
  Transfer::Fed fed;
  std::vector<Easy> idle_handles;
  std::shared_ptr<Impl*> alive = std::make_shared<Impl*>(this);  // expires before late handlers run
  Multi multi;  // destroyed first: it closes sockets through OnClose
};

HttpClient::Impl::Impl(const core::Executor& executor) : executor(executor), timer(executor) {
  InitialiseCurl();
  multi.reset(curl_multi_init());
  curl_multi_setopt(multi.get(), CURLMOPT_SOCKETFUNCTION, &OnSocket);
  curl_multi_setopt(multi.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi.get(), CURLMOPT_TIMERFUNCTION, &OnTimer);
  curl_multi_setopt(multi.get(), CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kMaxIdleConnections);
}

HttpClient::Impl::~Impl() {
  for (const auto& [easy, transfer] : transfers) curl_multi_remove_handle(multi.get(), easy);
}

std::shared_ptr<Transfer> HttpClient::Impl::Start(HttpRequest request) {
  auto transfer = std::make_shared<Transfer>(executor, std::move(request), fed);
  if (idle_handles.empty()) {
    transfer->easy.reset(curl_easy_init());
  } else {
    transfer->easy = std::move(idle_handles.back());
    idle_handles.pop_back();
  }
  Configure(*transfer);
  transfers.emplace(transfer->easy.get(), transfer);
  curl_multi_add_handle(multi.get(), transfer->easy.get());
  return transfer;
}

void HttpClient::Impl::Configure(Transfer& transfer) {
  const HttpRequest& request = transfer.request;
  const auto set = [easy = transfer.easy.get()](CURLoption option, auto value) {
    curl_easy_setopt(easy, option, value);
  };
  std::vector<std::string> headers = request.headers;
  if (request.body) headers.emplace_back("Expect:");  // do not wait for a "100 Continue"
  transfer.headers = MakeList(headers);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_HTTPHEADER, transfer.headers.get());
  if (request.body) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    set(CURLOPT_POSTFIELDS, request.body->c_str());
  }
  if (!request.ca_file.empty()) set(CURLOPT_CAINFO, request.ca_file.c_str());
  if (request.direct) set(CURLOPT_PROXY, "");
  set(CURLOPT_USERAGENT, "zermelo");
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(
          std::chrono::duration_cast<std::chrono::milliseconds>(request.timeouts.connect).count()));
  set(CURLOPT_ERRORBUFFER, transfer.curl_words.data());
  set(CURLOPT_HEADERFUNCTION, &OnHeader);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEFUNCTION, &OnBody);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_CLOSESOCKETFUNCTION, &OnClose);
  set(CURLOPT_CLOSESOCKETDATA, this);
}

/// Removing a transfer that is not complete makes curl close its connection.
void HttpClient::Impl::Finish(Transfer& transfer, HttpEnd end, std::string what) {
  if (transfer.done) return;
  transfer.done = true;
  transfer.reply.end = end;
  transfer.reply.what = std::move(what);
  const auto self = transfers.extract(transfer.easy.get());
  curl_multi_remove_handle(multi.get(), transfer.easy.get());
  curl_easy_reset(transfer.easy.get());
  if (idle_handles.size() < kMaxIdleHandles) idle_handles.push_back(std::move(transfer.easy));
  transfer.ended.Notify();
}

void HttpClient::Impl::Act(curl_socket_t fd, int events) {
  int running = 0;
  curl_multi_socket_action(multi.get(), fd, events, &running);
  Settle();
}

void HttpClient::Impl::Settle() {
  std::vector<std::pair<std::shared_ptr<Transfer>, CURLcode>> complete;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
    const auto found = transfers.find(message->easy_handle);
    if (found != transfers.end()) complete.emplace_back(found->second, message->data.result);
  }
  for (const auto& transfer : std::exchange(fed, {})) Deliver(*transfer);
  for (const auto& [transfer, code] : complete) {
    const bool too_large = transfer->body_bytes > transfer->request.max_reply_bytes ||
                           transfer->header_bytes > kMaxHeaderBytes;
    if (too_large) {
      Finish(*transfer, HttpEnd::kTooLarge, "the reply is too large");
    } else {
      Finish(*transfer, EndOf(code), Words(*transfer, code));
    }
  }
}

void HttpClient::Impl::Deliver(Transfer& transfer) {
  const std::string bytes = std::exchange(transfer.fresh, {});
  if (transfer.done || transfer.request.on_data(bytes)) return;
  Finish(transfer, HttpEnd::kStopped, "stopped by the receiver");
}

void HttpClient::Impl::WatchSocket(curl_socket_t fd, int what) {
  auto& watch = watches[fd];
  if (!watch) watch = std::make_shared<Watch>(executor, fd);
  watch->wanted = what;
  const auto keep = watch;
  Arm(fd, keep, CURL_POLL_IN);
  Arm(fd, keep, CURL_POLL_OUT);
}

void HttpClient::Impl::Forget(curl_socket_t fd) {
  const auto found = watches.find(fd);
  if (found == watches.end()) return;
  found->second->wanted = 0;
  found->second->descriptor.release();
  watches.erase(found);
}

void HttpClient::Impl::Arm(curl_socket_t fd, const std::shared_ptr<Watch>& watch, int direction) {
  bool& waiting = watch->waiting[direction == CURL_POLL_OUT];
  if ((watch->wanted & direction) == 0 || waiting) return;
  waiting = true;
  const auto wait = direction == CURL_POLL_IN ? asio::posix::stream_descriptor::wait_read
                                              : asio::posix::stream_descriptor::wait_write;
  watch->descriptor.async_wait(wait, [this, fd, direction, weak = std::weak_ptr<Watch>(watch)](
                                         const boost::system::error_code& error) {
    const auto watch = weak.lock();
    if (!watch || error == asio::error::operation_aborted) return;
    watch->waiting[direction == CURL_POLL_OUT] = false;
    if ((watch->wanted & direction) == 0) return;
    const int ready = direction == CURL_POLL_IN ? CURL_CSELECT_IN : CURL_CSELECT_OUT;
    Act(fd, error ? CURL_CSELECT_ERR : ready);
    Arm(fd, watch, direction);
  });
}

int HttpClient::Impl::OnSocket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  auto& impl = *static_cast<Impl*>(self);
  what == CURL_POLL_REMOVE ? impl.Forget(fd) : impl.WatchSocket(fd, what);
  return 0;
}

int HttpClient::Impl::OnClose(void* self, curl_socket_t fd) {
  static_cast<Impl*>(self)->Forget(fd);
  return ::close(fd);
}

int HttpClient::Impl::OnTimer(CURLM*, long milliseconds, void* self) {
  auto& impl = *static_cast<Impl*>(self);
  if (milliseconds < 0) {
    impl.timer.cancel();
    return 0;
  }
  impl.timer.expires_after(std::chrono::milliseconds(milliseconds));
  impl.timer.async_wait(
      [weak = std::weak_ptr<Impl*>(impl.alive)](const boost::system::error_code& error) {
        const auto alive = weak.lock();
        if (alive && !error) (*alive)->Act(CURL_SOCKET_TIMEOUT, 0);
      });
  return 0;
}

size_t HttpClient::Impl::OnHeader(char* data, size_t, size_t size, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  self.header_bytes += size;
  if (self.header_bytes > kMaxHeaderBytes) return 0;
  self.last_byte = Clock::now();
  self.TakeHeader(std::string_view(data, size));
  long status = 0;
  curl_easy_getinfo(self.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  self.reply.status = static_cast<int>(status);
  return size;
}

size_t HttpClient::Impl::OnBody(char* data, size_t, size_t size, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  self.body_bytes += size;
  if (self.body_bytes > self.request.max_reply_bytes) return 0;
  self.last_byte = Clock::now();
  const bool streams = self.request.on_data && self.Succeeds();
  if (streams && self.fresh.empty()) self.fed.push_back(self.shared_from_this());
  (streams ? self.fresh : self.reply.body).append(data, size);
  return size;
}

HttpClient::HttpClient(const core::Executor& executor) : impl_(std::make_unique<Impl>(executor)) {}
HttpClient::~HttpClient() = default;

const core::Executor& HttpClient::executor() const { return impl_->executor; }

Task<HttpReply> HttpClient::Fetch(HttpRequest request, Deadline deadline,
                                  core::Cancellation* cancellation) {
  HttpReply reply;
  if (cancellation != nullptr && cancellation->requested()) {
    reply.end = HttpEnd::kCancelled;
    co_return reply;
  }
  const auto transfer = impl_->Start(std::move(request));
  const core::Cancellation::Subscription subscription(cancellation, [this, &transfer] {
    impl_->Finish(*transfer, HttpEnd::kCancelled, "cancelled");
  });
  while (!transfer->done) {
    // The applicable timeout changes with the first byte: check again before the shorter one
    // passes.
    const auto look = std::min(transfer->StallsAt().Left(), transfer->request.timeouts.idle);
    co_await transfer->ended.Wait(deadline.Earlier(Deadline::After(look)));
    if (transfer->done) break;
    if (deadline.Passed()) impl_->Finish(*transfer, HttpEnd::kDeadline, "the deadline passed");
    if (transfer->StallsAt().Passed()) {
      impl_->Finish(*transfer, HttpEnd::kStalled, "timed out waiting for data");
    }
  }
  co_return std::move(transfer->reply);
}

}  // namespace zermelo::llm
