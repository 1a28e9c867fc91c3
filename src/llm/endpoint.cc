#include "llm/endpoint.h"

#include <algorithm>
#include <cmath>

namespace zermelo::llm {

using core::Clock;
using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {

constexpr double kLongestDown = 30;  // seconds

}  // namespace

Clock::time_point RateWindow::Opens(int64_t amount, Clock::time_point now) const {
  if (limit_ == 0) return now;
  int64_t spent = 0;
  // From the newest: the first entry that does not fit must leave the window first.
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->at + length_ <= now) break;
    spent += entry->amount;
    if (spent + amount > limit_) return entry->at + length_;
  }
  return now;
}

uint64_t RateWindow::Spend(int64_t amount, Clock::time_point now) {
  while (!entries_.empty() && entries_.front().at + length_ <= now) {
    entries_.pop_front();
    ++first_ticket_;
  }
  if (limit_ == 0) return 0;
  entries_.push_back({now, amount});
  return first_ticket_ + entries_.size() - 1;
}

void RateWindow::Correct(uint64_t ticket, int64_t amount) {
  if (ticket >= first_ticket_ && ticket < first_ticket_ + entries_.size()) {
    entries_[ticket - first_ticket_].amount = amount;
  }
}

EndpointSet::Endpoint::Endpoint(const EndpointLimits& limits)
    : limits(limits), requests(limits.requests_per_minute), tokens(limits.tokens_per_minute) {}

std::optional<Clock::time_point> EndpointSet::Endpoint::Opens(int64_t amount,
                                                              Clock::time_point now) const {
  if (limits.concurrency > 0 && in_flight >= limits.concurrency) return std::nullopt;
  return std::max({now, paused_until, requests.Opens(1, now), tokens.Opens(amount, now)});
}

double EndpointSet::Endpoint::Load() const {
  return limits.concurrency > 0 ? static_cast<double>(in_flight) / limits.concurrency : in_flight;
}

EndpointSet::EndpointSet(const core::Executor& executor, const std::vector<EndpointLimits>& limits)
    : executor_(executor), timer_(executor) {
  for (const EndpointLimits& each : limits) endpoints_.emplace_back(each);
}

EndpointSet::Lease::~Lease() {
  if (set_ == nullptr) return;
  --set_->endpoints_[endpoint_].in_flight;
  set_->Serve();
}

void EndpointSet::Lease::SetTokens(int64_t tokens) {
  set_->endpoints_[endpoint_].tokens.Correct(ticket_, tokens);
}

Task<Result<EndpointSet::Lease>> EndpointSet::Acquire(int64_t tokens, std::optional<size_t> avoid,
                                                      Deadline deadline,
                                                      core::Cancellation& cancellation) {
  if (cancellation.requested()) co_return Fail(ErrorCode::kCancelled, "cancelled");
  Waiter waiter(executor_, tokens, avoid);
  const auto place = waiters_.insert(waiters_.end(), &waiter);
  const core::Cancellation::Subscription subscription(cancellation,
                                                      [&waiter] { waiter.turn.Set(std::nullopt); });
  Serve();
  auto turn = co_await waiter.turn.Wait(deadline);
  waiters_.erase(place);
  if (!turn) {
    Serve();  // this waiter may have blocked the others
    co_return Fail(ErrorCode::kTimeout, "no request could be sent before the deadline");
  }
  if (!*turn) {
    Serve();
    co_return Fail(ErrorCode::kCancelled, "cancelled");
  }
  co_return std::move(**turn);
}

/// The working endpoint with the lowest load; one that is down or avoided only if no other one
/// works.
std::optional<size_t> EndpointSet::Choose(const Waiter& waiter, Clock::time_point now) {
  const auto rank = [&](size_t i) {
    return std::make_pair(endpoints_[i].down_until > now || waiter.avoid == i,
                          endpoints_[i].Load());
  };
  const auto may_work = [&](const Endpoint& e) {
    return e.down_until <= now && e.paused_until <= now;
  };
  std::optional<size_t> best;
  auto wake = Clock::time_point::max();
  for (size_t i = 0; i < endpoints_.size(); ++i) {
    const auto opens = endpoints_[i].Opens(waiter.tokens, now);
    if (opens && *opens > now) wake = std::min(wake, *opens);
    if (opens && *opens <= now && (!best || rank(i) < rank(*best))) best = i;
  }
  const bool last_resort = best && rank(*best).first;
  if (last_resort && waiter.avoid != best &&
      std::any_of(endpoints_.begin(), endpoints_.end(), may_work)) {
    best.reset();  // better to wait for one that works
  }
  if (!best && wake != Clock::time_point::max()) WakeAt(wake);
  return best;
}

void EndpointSet::Serve() {
  const auto now = Clock::now();
  for (Waiter* const waiter : waiters_) {
    if (waiter->turn.ready()) continue;  // served, but not yet resumed
    const auto chosen = Choose(*waiter, now);
    if (!chosen) return;
    Endpoint& endpoint = endpoints_[*chosen];
    ++endpoint.in_flight;
    endpoint.requests.Spend(1, now);
    const uint64_t ticket = endpoint.tokens.Spend(waiter->tokens, now);
    waiter->turn.Set(std::optional<Lease>(Lease(*this, *chosen, ticket)));
  }
}

void EndpointSet::WakeAt(Clock::time_point at) {
  timer_.expires_at(at);
  timer_.async_wait(
      [weak = std::weak_ptr<EndpointSet*>(alive_)](const boost::system::error_code& error) {
        const auto alive = weak.lock();
        if (alive && !error) (*alive)->Serve();
      });
}

void EndpointSet::Pause(size_t endpoint, core::Duration duration) {
  auto& until = endpoints_[endpoint].paused_until;
  until = std::max(until, Clock::now() + duration);
}

void EndpointSet::NoteFailure(size_t endpoint) {
  Endpoint& failed = endpoints_[endpoint];
  const double seconds = std::min(kLongestDown, std::pow(2, std::min(failed.failures++, 10)));
  failed.down_until = Clock::now() + core::FromSeconds(seconds);
}

void EndpointSet::NoteSuccess(size_t endpoint) {
  endpoints_[endpoint].failures = 0;
  endpoints_[endpoint].down_until = {};
}

}  // namespace zermelo::llm
