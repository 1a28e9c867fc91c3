#include "kernel/testing/mutants.h"

#include <utility>

namespace zermelo::kernel::testing {

namespace {

class RecordMutator {
 public:
  RecordMutator(Terms& terms, const Declaration& good) : terms_(terms), good_(good) {}

  std::vector<Declaration> All() {
    With([&](Declaration& it) { it.level_params.push_back(terms_.ParseName("extra")); });
    if (!good_.level_params.empty()) With([](Declaration& it) { it.level_params.pop_back(); });
    if (!good_.all.empty()) With([](Declaration& it) { it.all.push_back(it.all[0]); });
    if (good_.As<Inductive>() != nullptr) OfInductive();
    if (good_.As<Constructor>() != nullptr) OfConstructor();
    if (good_.As<Recursor>() != nullptr) OfRecursor();
    return std::move(mutants_);
  }

 private:
  template <class F>
  void With(F change) {
    mutants_.push_back(good_);
    change(mutants_.back());
  }
  template <class F>
  void Count(F get) {
    With([&](Declaration& it) { ++get(it); });
    With([&](Declaration& it) { --get(it); });
  }
  template <class F>
  void Flag(F get) {
    With([&](Declaration& it) { get(it) = !get(it); });
  }

  void OfInductive() {
    const auto of = [](Declaration& it) -> Inductive& { return std::get<Inductive>(it.info); };
    Count([&](Declaration& it) -> uint64_t& { return of(it).parameters; });
    Count([&](Declaration& it) -> uint64_t& { return of(it).indices; });
    Count([&](Declaration& it) -> uint64_t& { return of(it).nested; });
    Flag([&](Declaration& it) -> bool& { return of(it).is_recursive; });
    Flag([&](Declaration& it) -> bool& { return of(it).is_reflexive; });
    Flag([&](Declaration& it) -> bool& { return of(it).is_unsafe; });
    const auto& constructors = good_.As<Inductive>()->constructors;
    if (!constructors.empty()) {
      With([&](Declaration& it) { of(it).constructors.pop_back(); });
      With([&](Declaration& it) { of(it).constructors.push_back(of(it).constructors[0]); });
    }
    if (constructors.size() > 1) {
      With([&](Declaration& it) { std::swap(of(it).constructors[0], of(it).constructors[1]); });
    }
  }

  void OfConstructor() {
    const auto of = [](Declaration& it) -> Constructor& { return std::get<Constructor>(it.info); };
    Count([&](Declaration& it) -> uint64_t& { return of(it).index; });
    Count([&](Declaration& it) -> uint64_t& { return of(it).parameters; });
    Count([&](Declaration& it) -> uint64_t& { return of(it).fields; });
    Flag([&](Declaration& it) -> bool& { return of(it).is_unsafe; });
    With([&](Declaration& it) { of(it).inductive = terms_.ParseName("Bool"); });
  }

  void OfRecursor() {
    const auto of = [](Declaration& it) -> Recursor& { return std::get<Recursor>(it.info); };
    Count([&](Declaration& it) -> uint64_t& { return of(it).parameters; });
    Count([&](Declaration& it) -> uint64_t& { return of(it).indices; });
    Count([&](Declaration& it) -> uint64_t& { return of(it).motives; });
    Count([&](Declaration& it) -> uint64_t& { return of(it).minors; });
    Flag([&](Declaration& it) -> bool& { return of(it).k; });
    Flag([&](Declaration& it) -> bool& { return of(it).is_unsafe; });
    const size_t rules = good_.As<Recursor>()->rules.size();
    for (size_t i = 0; i < rules; ++i) {
      Count([&](Declaration& it) -> uint64_t& { return of(it).rules[i].fields; });
      With([&](Declaration& it) { of(it).rules[i].constructor = terms_.ParseName("Bool.true"); });
    }
    if (rules > 0) {
      With([&](Declaration& it) { of(it).rules.pop_back(); });
      With([&](Declaration& it) { of(it).rules.push_back(of(it).rules[0]); });
    }
    if (rules > 1) With([&](Declaration& it) { std::swap(of(it).rules[0], of(it).rules[1]); });
  }

  Terms& terms_;
  const Declaration& good_;
  std::vector<Declaration> mutants_;
};

}  // namespace

std::vector<Declaration> RecordMutants(Terms& terms, const Declaration& good) {
  return RecordMutator(terms, good).All();
}

}  // namespace zermelo::kernel::testing
