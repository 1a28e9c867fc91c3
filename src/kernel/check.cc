#include "kernel/check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <utility>
#include <vector>

#include "kernel/budget.h"
#include "kernel/rules/builtins.h"
#include "kernel/rules/inductive.h"
#include "kernel/rules/type_checker.h"
#include "kernel/units.h"

namespace zermelo::kernel {

namespace {

constexpr size_t kStackReserve = size_t{1} << 20U;  // for functions that do not look
constexpr const char* kUnsure =
    "; but it uses an operation on numbers whose definition this kernel does not recognize";

constexpr const char* kCutOff =
    "; but a limit was reached before this kernel knew Nat, Bool, String and Eq";

/// What the threads of one check share: constant, or guarded by the mutex.
struct Shared {
  Shared(const Environment& checked, const CheckOptions& how)
      : environment(checked),
        options(how),
        known(checked.terms()),
        deadline(Budget::Clock::now() + how.limits.time) {
    Budget budget(
        deadline, SIZE_MAX, how.limits.stack, [] { return size_t{0}; }, how.stop);
    plan = MakePlan(checked, known, how.order, budget);
  }

  /// Units are handed out in order, so whatever stands before a refused one is judged, too: the
  /// verdict does not depend on the threads.
  bool Next(size_t* unit) {
    if (ends) return false;
    *unit = next++;
    if (*unit >= plan.units.size()) return false;
    const bool stopped = options.stop != nullptr && *options.stop;
    if (stopped && !ends.exchange(true))
      Record(*unit, {Decision::kDeclined, NameId::kAnonymous, kStopped});
    return !stopped;
  }

  void Record(size_t unit, CheckReport verdict) {
    const std::lock_guard lock(mutex);
    if (!options.keep_going) ends = true;
    refused.emplace_back(unit, std::move(verdict));
  }

  void Judged(const Unit& unit) {
    if (!options.on_progress) return;
    const std::lock_guard lock(mutex);
    judged += unit.members.size();
    options.on_progress(judged);
  }

  const Environment& environment;
  const CheckOptions& options;
  const KnownNames known;
  const Budget::Clock::time_point deadline;
  Plan plan;  // constant once the threads run
  std::atomic<size_t> next = 0;
  std::atomic<bool> ends = false;
  std::mutex mutex;
  size_t judged = 0;
  std::vector<std::pair<size_t, CheckReport>> refused;
  std::exception_ptr failure;
};

/// One thread's part of a check.
class Judge {
 public:
  explicit Judge(Shared& shared)
      : shared_(shared),
        environment_(shared.environment),
        view_(shared.environment, shared.plan.ranks),
        layer_(&shared.environment.terms()),
        budget_(
            shared.deadline, shared.options.limits.bytes,
            shared.options.limits.stack - kStackReserve,
            [this] { return layer_.bytes() + checker_.cache_bytes(); }, shared.options.stop),
        checker_(layer_, view_, shared.known, builtins_, budget_) {}

  void Run() {
    view_.MoveTo(View::kNever - 1);
    FindBuiltins(checker_, shared_.known, &builtins_);
    while (shared_.Next(&unit_)) {
      checker_.Begin({});
      layer_.Clear();
      view_.MoveTo(static_cast<uint32_t>(unit_ + 1));
      JudgeUnit(shared_.plan.units[unit_]);
      shared_.Judged(shared_.plan.units[unit_]);
    }
  }

 private:
  void JudgeUnit(const Unit& unit) {
    std::vector<const Declaration*> members;
    NameId name = environment_.declarations()[unit.members[0]].name;
    for (const uint32_t member : unit.members) {
      members.push_back(&environment_.declarations()[member]);
      if (members.back()->As<Inductive>() != nullptr) name = members.back()->name;
    }
    try {
      for (const Declaration* member : members) CheckForm(*member);
      if (members[0]->As<Inductive>() != nullptr || members[0]->As<Constructor>() != nullptr ||
          members[0]->As<Recursor>() != nullptr) {
        CheckInductive(checker_, members);
      } else {
        CheckSingle(*members[0]);
      }
    } catch (const Refusal& refusal) {
      const char* doubt = "";
      if (refusal.outcome == Decision::kRejected && builtins_.cut_off) doubt = kCutOff;
      if (refusal.outcome == Decision::kRejected && checker_.missed_shortcut()) doubt = kUnsure;
      shared_.Record(unit_, {*doubt != 0 ? Decision::kDeclined : refusal.outcome, name,
                             refusal.reason + doubt});
    } catch (const std::bad_alloc&) {
      shared_.Record(unit_, {Decision::kDeclined, name, "there is not enough memory"});
    }
  }

  // Sources: lean4#14498 and #14607: no value or rule is exempt.
  void CheckForm(const Declaration& declaration) const {
    std::vector<NameId> names = declaration.level_params;
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
      Reject("a universe parameter is declared twice");
    }
    CheckClosed(declaration.type);
    if (const ExprId* value = declaration.Value()) CheckClosed(*value);
    if (const auto* recursor = declaration.As<Recursor>()) {
      for (const RecursorRule& rule : recursor->rules) CheckClosed(rule.value);
    }
  }

  void CheckClosed(ExprId e) const {
    const ExprNode& node = environment_.terms()[e];
    if (node.has_free() || node.has_local()) Reject("there is a free variable or a metavariable");
    if (node.loose_bound > 0) Reject("a bound variable has no binder");
  }

  void CheckSingle(const Declaration& declaration) {
    checker_.Begin(declaration.level_params);
    if (declaration.As<Quotient>() != nullptr) {
      CheckQuotient(checker_, declaration, builtins_.eq);
      return;
    }
    const LevelId level = checker_.CheckType(declaration.type);
    if (declaration.As<Theorem>() != nullptr && !checker_.levels().IsZero(level)) {
      Reject("it is a theorem, but its type is not a proposition");
    }
    if (const ExprId* value = declaration.Value()) {
      if (!checker_.Equal(checker_.Check(*value), declaration.type)) {
        Reject("its value does not have the declared type");
      }
    }
  }

  Shared& shared_;
  const Environment& environment_;
  View view_;
  Terms layer_;
  Builtins builtins_;
  Budget budget_;
  TypeChecker checker_;
  size_t unit_ = 0;
};

void* RunWork(void* argument) {
  auto* shared = static_cast<Shared*>(argument);
  try {
    Judge(*shared).Run();
  } catch (const std::bad_alloc&) {
    shared->Record(shared->plan.units.size(),
                   {Decision::kDeclined, NameId::kAnonymous, "there is not enough memory"});
  } catch (...) {
    const std::lock_guard lock(shared->mutex);
    shared->failure = std::current_exception();
    shared->ends = true;
  }
  return nullptr;
}

// The first that was rejected, else the first that was declined.
CheckReport Summary(Shared& shared) {
  std::stable_sort(shared.refused.begin(), shared.refused.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!shared.options.keep_going && !shared.refused.empty()) shared.refused.resize(1);
  CheckReport summary;
  for (const auto& [unit, verdict] : shared.refused) {
    if (shared.options.on_verdict) shared.options.on_verdict(verdict);
    if (summary.outcome == Decision::kAccepted ||
        (summary.outcome == Decision::kDeclined && verdict.outcome == Decision::kRejected)) {
      summary = verdict;
    }
  }
  return summary;
}

CheckReport CheckWithin(const Environment& environment, const CheckOptions& options) {
  Shared shared(environment, options);
  for (const auto& [index, reason] : shared.plan.rejected) {
    shared.Record(0, {Decision::kRejected, environment.declarations()[index].name, reason});
  }
  if (shared.ends) return Summary(shared);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  std::vector<pthread_t> threads;
  if (pthread_attr_setstacksize(&attributes, options.limits.stack) == 0) {
    for (size_t i = 0; i < std::max<size_t>(options.threads, 1); ++i) {
      pthread_t thread{};
      if (pthread_create(&thread, &attributes, RunWork, &shared) != 0) break;
      threads.push_back(thread);
    }
  }
  pthread_attr_destroy(&attributes);
  if (threads.empty())
    return {Decision::kDeclined, NameId::kAnonymous, "no thread could be started"};
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  if (shared.failure) std::rethrow_exception(shared.failure);
  return Summary(shared);
}

}  // namespace

const char* Name(Decision outcome) {
  switch (outcome) {
    case Decision::kAccepted:
      return "accepted";
    case Decision::kRejected:
      return "rejected";
    case Decision::kDeclined:
      return "declined";
  }
  return "unknown";
}

NameId MeantByName(const Environment& environment) {
  const KnownNames known(environment.terms());
  std::vector<NameId> names = {known.nat,
                               known.zero,
                               known.succ,
                               known.boolean,
                               known.yes,
                               known.no,
                               known.list,
                               known.nil,
                               known.cons,
                               known.string,
                               known.make,
                               known.of_list,
                               known.character,
                               known.of_nat,
                               known.reduce_bool,
                               known.reduce_nat,
                               environment.terms().ParseName("Nat.log2")};
  names.insert(names.begin(), known.nat_operations.begin(), known.nat_operations.end());
  for (const NameId name : names) {
    const uint32_t index = environment.IndexOf(name);
    if (index != Environment::kAbsent && environment.OriginOf(index) == Origin::kChecked)
      return name;
  }
  return NameId::kAnonymous;
}

CheckReport Check(const Environment& environment, const CheckOptions& options) {
  try {
    return CheckWithin(environment, options);
  } catch (const Refusal& refusal) {  // before anything was judged
    return {refusal.outcome, NameId::kAnonymous, refusal.reason};
  }
}

}  // namespace zermelo::kernel
