// Several servers of one model: which request goes to which server, and when.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <list>
#include <optional>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "llm/client_config.h"

namespace zermelo::llm {

/// Limits the amount that is spent in a sliding window of time: never more than `limit` in any
/// window, except that a single larger amount may have a window to itself. Pure: the time is an
/// argument.
class RateWindow {
 public:
  /// `limit` 0: no limit.
  explicit RateWindow(int64_t limit, core::Duration length = std::chrono::minutes(1))
      : limit_(limit), length_(length) {}

  /// The time from which `amount` may be spent; `now` if at once.
  core::Clock::time_point Opens(int64_t amount, core::Clock::time_point now) const;
  /// Records the amount. The result is a ticket for Correct.
  uint64_t Spend(int64_t amount, core::Clock::time_point now);
  /// Replaces the amount of a ticket once the actual one is known.
  void Correct(uint64_t ticket, int64_t amount);

 private:
  struct Entry {
    core::Clock::time_point at;
    int64_t amount;
  };
  const int64_t limit_;
  const core::Duration length_;
  std::deque<Entry> entries_;
  uint64_t first_ticket_ = 0;  // of entries_.front()
};

/// Grants leases for requests, first come, first served, on the endpoint with the lowest load. An
/// endpoint that failed is avoided for a while if another one works; a pause that a server asks for
/// is kept. All calls on the executor's thread; must outlive its leases and waiting calls.
class EndpointSet {
 public:
  EndpointSet(const core::Executor& executor, const std::vector<EndpointLimits>& limits);

  /// Permission for one request, released on destruction.
  class Lease {
   public:
    Lease(EndpointSet& set, size_t endpoint, uint64_t ticket)
        : set_(&set), endpoint_(endpoint), ticket_(ticket) {}
    Lease(Lease&& other) noexcept
        : set_(std::exchange(other.set_, nullptr)),
          endpoint_(other.endpoint_),
          ticket_(other.ticket_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    size_t endpoint() const { return endpoint_; }
    /// Replaces the announced number of tokens by the actual one.
    void SetTokens(int64_t tokens);

   private:
    EndpointSet* set_;
    size_t endpoint_;
    uint64_t ticket_;
  };

  /// Waits for a lease. `tokens`: the maximum cost of the request. `avoid`: the endpoint on which
  /// it failed last. Errors: kTimeout, kCancelled.
  core::Task<core::Result<Lease>> Acquire(int64_t tokens, std::optional<size_t> avoid,
                                          core::Deadline deadline,
                                          core::Cancellation& cancellation);

  void Pause(size_t endpoint, core::Duration duration);
  void NoteFailure(size_t endpoint);
  void NoteSuccess(size_t endpoint);
  size_t size() const { return endpoints_.size(); }

 private:
  struct Endpoint {
    explicit Endpoint(const EndpointLimits& limits);
    const EndpointLimits limits;
    RateWindow requests, tokens;
    int in_flight = 0;
    int failures = 0;  // in a row
    core::Clock::time_point down_until, paused_until;
    /// When a request of this amount may be sent; nothing: after another request has ended.
    std::optional<core::Clock::time_point> Opens(int64_t amount, core::Clock::time_point now) const;
    double Load() const;
  };
  struct Waiter {
    Waiter(const core::Executor& executor, int64_t tokens, std::optional<size_t> avoid)
        : tokens(tokens), avoid(avoid), turn(executor) {}
    int64_t tokens;
    std::optional<size_t> avoid;
    core::OneShot<std::optional<Lease>> turn;
  };

  void Serve();
  std::optional<size_t> Choose(const Waiter& waiter, core::Clock::time_point now);
  void WakeAt(core::Clock::time_point at);

  const core::Executor executor_;
  std::vector<Endpoint> endpoints_;
  std::list<Waiter*> waiters_;
  boost::asio::steady_timer timer_;  // for the first waiter
  std::shared_ptr<EndpointSet*> alive_ = std::make_shared<EndpointSet*>(this);
};

}  // namespace zermelo::llm
