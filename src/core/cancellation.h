// A request to stop, passed down to whoever can act on it.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace zermelo::core {

/// Requested once, for good. One thread.
class Cancellation {
 public:
  /// Calls its action when the request is made, at once if it has been. Ends with its life. Must
  /// not outlive the Cancellation.
  class Subscription {
   public:
    Subscription(Cancellation& owner, const std::function<void()>& action)
        : Subscription(&owner, action) {}
    /// `owner` may be null: then nobody ever calls.
    Subscription(Cancellation* owner, const std::function<void()>& action) : owner_(owner) {
      if (owner_ == nullptr) return;
      place_ = owner_->actions_.insert(owner_->actions_.end(), action);
      if (owner_->requested_) action();
    }
    ~Subscription() {
      if (owner_ != nullptr) owner_->actions_.erase(place_);
    }
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

   private:
    Cancellation* const owner_;
    std::list<std::function<void()>>::iterator place_;
  };

  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  bool requested() const { return requested_; }
  /// Calls the actions that are subscribed now; they must not subscribe or end subscriptions.
  void Request() {
    if (std::exchange(requested_, true)) return;
    for (const auto& action : actions_) action();
  }

 private:
  bool requested_ = false;
  std::list<std::function<void()>> actions_;
};

}  // namespace zermelo::core
