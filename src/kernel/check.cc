#include "kernel/check.h"

#include <algorithm>
#include <exception>
#include <new>
#include <pthread.h>

#include "kernel/budget.h"
#include "kernel/builtins.h"
#include "kernel/inductive.h"
#include "kernel/type_checker.h"
#include "kernel/units.h"

namespace zermelo::kernel {

namespace {

constexpr size_t kStackReserve = size_t{1} << 20U;  // for functions that do not look

class Judge {
 public:
  Judge(const Environment& environment, const CheckOptions& options)
      : environment_(environment),
        options_(options),
        known_(environment.terms()),
        plan_(MakePlan(environment, known_, options.order)),
        view_(environment, plan_.ranks),
        layer_(&environment.terms()),
        budget_(Budget::Clock::now() + options.limits.time, options.limits.bytes,
                options.limits.stack - kStackReserve,
                [this] { return layer_.bytes() + checker_.cache_bytes(); }),
        checker_(layer_, view_, known_, builtins_, budget_) {}

  Verdict Run() {
    for (const auto& [index, reason] : plan_.rejected) {
      Record({Outcome::kRejected, environment_.declarations()[index].name, reason});
      if (Ends()) return verdict_;
    }
    view_.MoveTo(View::kNever - 1);
    FindBuiltins(checker_, known_, &builtins_);
    size_t judged = 0;
    for (size_t i = 0; i < plan_.units.size() && !Ends(); ++i) {
      checker_.Begin({});
      layer_.Clear();
      view_.MoveTo(static_cast<uint32_t>(i + 1));
      JudgeUnit(plan_.units[i]);
      judged += plan_.units[i].members.size();
      if (options_.on_progress) options_.on_progress(judged);
    }
    return verdict_;
  }

 private:
  bool Ends() const { return !options_.keep_going && verdict_.outcome != Outcome::kAccepted; }

  void Record(const Verdict& verdict) {
    if (verdict_.outcome == Outcome::kAccepted ||
        (verdict_.outcome == Outcome::kDeclined && verdict.outcome == Outcome::kRejected)) {
      verdict_ = verdict;
    }
    if (options_.on_verdict) options_.on_verdict(verdict);
  }

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
      Record({refusal.outcome, name, refusal.reason});
    } catch (const std::bad_alloc&) {
      Record({Outcome::kDeclined, name, "there is not enough memory"});
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
    if (node.has_free || node.has_local) Reject("there is a free variable or a metavariable");
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
      Reject("it is a theorem whose type is no proposition");
    }
    if (const ExprId* value = declaration.Value()) {
      if (!checker_.Equal(checker_.Check(*value), declaration.type)) {
        Reject("its value has another type than it says");
      }
    }
  }

  const Environment& environment_;
  const CheckOptions& options_;
  const KnownNames known_;
  const Plan plan_;
  View view_;
  Terms layer_;
  Builtins builtins_;
  Budget budget_;
  TypeChecker checker_;
  Verdict verdict_;
};

struct Work {
  const Environment* environment = nullptr;
  const CheckOptions* options = nullptr;
  Verdict verdict;
  std::exception_ptr failure;
};

void* RunWork(void* argument) {
  auto* work = static_cast<Work*>(argument);
  try {
    work->verdict = Judge(*work->environment, *work->options).Run();
  } catch (const std::bad_alloc&) {
    work->verdict = {Outcome::kDeclined, NameId::kAnonymous, "there is not enough memory"};
  } catch (...) {
    work->failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

const char* Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAccepted:
      return "accepted";
    case Outcome::kRejected:
      return "rejected";
    case Outcome::kDeclined:
      return "declined";
  }
  return "unknown";
}

Verdict Check(const Environment& environment, const CheckOptions& options) {
  Work work{&environment, &options, {}, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread{};
  const bool started = pthread_attr_setstacksize(&attributes, options.limits.stack) == 0 &&
                       pthread_create(&thread, &attributes, RunWork, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return {Outcome::kDeclined, NameId::kAnonymous, "no thread could be started"};
  pthread_join(thread, nullptr);
  if (work.failure) std::rethrow_exception(work.failure);
  return std::move(work.verdict);
}

}  // namespace zermelo::kernel
