#include "serve/runs/run_pages.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "core/json.h"
#include "serve/http/bearer.h"
#include "serve/premise_search.h"
#include "serve/runs/run_jobs.h"
#include "view/page.h"
#include "view/run_reader.h"

namespace zermelo::serve {

using core::Task;
using nlohmann::json;
using view::RunReader;

namespace {

constexpr size_t kRunsAtOnce = 1000;
constexpr size_t kEventsAtOnce = 500;
constexpr auto kPause = std::chrono::milliseconds(250);  // between two looks for new events
constexpr auto kSilence = std::chrono::seconds(15);      // before a sign of life is sent

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

HttpResponse Failed(const core::Error& error) {
  return ErrorResponse(error.code == core::ErrorCode::kUsage ? 404 : 503, error.message);
}

HttpResponse DataResponse(const core::Result<json>& value) {
  if (!value) return Failed(value.error());
  HttpResponse response;
  response.body = core::Dump(*value);
  response.headers["Cache-Control"] = "no-store";
  return response;
}

/// The events of a run from a number on, and those that are recorded meanwhile.
class EventStream {
 public:
  EventStream(const core::Executor& executor, RunReader reader, int64_t run, int64_t from)
      : pause_(executor), reader_(std::move(reader)), run_(run), next_(from) {}

  Task<std::optional<std::string>> Next() {
    if (done_) co_return std::nullopt;
    const auto ended = reader_.Ended(run_);  // before the events, so that none is missed
    if (!ended) co_return std::nullopt;
    const auto events = reader_.Events(run_, next_, kEventsAtOnce);
    if (!events) co_return std::nullopt;
    if (!events->empty()) co_return Message(*events);
    if (*ended) {
      done_ = true;
      co_return "event: end\ndata: {}\n\n";
    }
    co_await pause_.Wait(core::Deadline::After(kPause));
    if (core::Clock::now() - sent_ < kSilence) co_return "";
    sent_ = core::Clock::now();
    co_return ": still here\n\n";
  }

 private:
  std::string Message(const std::vector<json>& events) {
    std::string list;
    for (const json& event : events) {
      list += list.empty() ? "[" : ",";
      list += core::Dump(event);
    }
    const auto last = events.back()["seq"].get<int64_t>();
    next_ = last + 1;
    sent_ = core::Clock::now();
    return fmt::format("id: {}\ndata: {}]\n\n", last, list);
  }

  core::Signal pause_;
  RunReader reader_;
  const int64_t run_;
  int64_t next_;
  core::Clock::time_point sent_ = core::Clock::now();
  bool done_ = false;
};

/// The first event to send: the one after Last-Event-ID, else `from`.
int64_t FirstEvent(const HttpRequest& request) {
  const auto last = request.headers.find("last-event-id");
  if (last != request.headers.end()) {
    if (const auto number = Number(last->second)) return *number + 1;
  }
  return Number(QueryParameter(request.query, "from")).value_or(0);
}

}  // namespace

bool RunPages::Serves(std::string_view path) {
  return path.starts_with(kPrefix) &&
         (path.size() == kPrefix.size() || path[kPrefix.size()] == '/');
}

HttpResponse RunPages::Page() {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body = view::LivePage();
  response.headers["Cache-Control"] = "no-cache";
  response.headers["Content-Security-Policy"] = "frame-ancestors 'none'";
  response.headers["X-Content-Type-Options"] = "nosniff";
  response.headers["Referrer-Policy"] = "no-referrer";
  return response;
}

HttpResponse RunPages::List(const HttpRequest& request) const {
  std::error_code ignored;
  if (!std::filesystem::exists(database_, ignored)) {
    return DataResponse(json{{"database", database_.string()}, {"runs", json::array()}});
  }
  auto reader = RunReader::Open(database_);
  if (!reader) return Failed(reader.error());
  const auto count = Number(QueryParameter(request.query, "count")).value_or(kRunsAtOnce);
  return DataResponse(reader->List(std::min<size_t>(count, kRunsAtOnce)));
}

HttpResponse RunPages::Follow(int64_t run, const HttpRequest& request) const {
  auto reader = RunReader::Open(database_);
  if (!reader) return Failed(reader.error());
  const auto known = reader->Ended(run);
  if (!known) return Failed(known.error());
  const auto stream =
      std::make_shared<EventStream>(executor_, std::move(*reader), run, FirstEvent(request));
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers["Cache-Control"] = "no-store";
  response.next_piece = [stream] { return stream->Next(); };
  return response;
}

HttpResponse RunPages::Get(const HttpRequest& request) const {
  std::string_view rest = std::string_view(request.path).substr(kPrefix.size());
  if (rest.empty() || rest == "/") return List(request);
  rest.remove_prefix(1);
  const size_t slash = std::min(rest.find('/'), rest.size());
  const auto run = Number(rest.substr(0, slash));
  rest.remove_prefix(slash);
  if (!run) return ErrorResponse(404, "Not Found");
  if (rest == "/events") return Follow(*run, request);
  auto reader = RunReader::Open(database_);
  if (!reader) return Failed(reader.error());
  if (rest.empty()) return DataResponse(reader->Run(*run));
  constexpr std::string_view kEvents = "/events/";
  const auto seq = rest.starts_with(kEvents) ? Number(rest.substr(kEvents.size())) : std::nullopt;
  if (!seq) return ErrorResponse(404, "Not Found");
  const auto event = reader->Event(*run, *seq);
  if (event && event->is_null()) return ErrorResponse(404, "there is no such event");
  return DataResponse(event);
}

Task<HttpResponse> RunViewer::Handle(HttpRequest request, core::Cancellation& /*client_gone*/) {
  const bool runs = RunPages::Serves(request.path), jobs = RunJobs::Serves(request.path);
  if (!runs && !jobs && request.path != "/") co_return ErrorResponse(404, "Not Found");
  if (request.method != "GET") {
    auto response = ErrorResponse(405, "Method Not Allowed");
    response.allow = "GET";
    co_return response;
  }
  if (request.path == "/") co_return RunPages::Page();
  if (!HasKey(request.authorization, key_)) co_return Unauthorized(request.authorization);
  if (jobs) co_return DataResponse(json());  // none can be started here
  co_return pages_.Get(request);
}

}  // namespace zermelo::serve
