// Cooperative cancellation: a request to stop, passed down the call tree.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace zermelo::core {

/// A request is permanent. Single-threaded.
class Cancellation {
 public:
  /// Calls `action` when cancellation is requested, immediately if it already was. Unsubscribes on
  /// destruction; must not outlive the Cancellation.
  class Subscription {
   public:
    Subscription(Cancellation& owner, const std::function<void()>& action)
        : Subscription(&owner, action) {}
    /// With a null `owner`, `action` is never called.
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
  /// Calls all subscribed actions; later requests do nothing. Actions must not add or remove
  /// subscriptions.
  void Request() {
    if (std::exchange(requested_, true)) return;
    for (const auto& action : actions_) action();
  }

 private:
  bool requested_ = false;
  std::list<std::function<void()>> actions_;
};

}  // namespace zermelo::core
