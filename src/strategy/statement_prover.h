// The interface by which one strategy has a statement proved by another: a plan's lemmas by the
// agent, or by the free built-in search. Strategy::ProverOf (registry.h) gives it.
#pragma once

#include <functional>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "llm/budget.h"
#include "strategy/lemma_store.h"
#include "strategy/limits.h"
#include "syntax/theorem.h"

namespace zermelo::strategy {

struct StatementTask {
  /// The statement and its context; `header` excludes the known lemmas.
  syntax::Theorem theorem;
  std::string negation;         // `theorem n : ¬ …`, accepted instead; empty: not allowed
  LemmaStore* known = nullptr;  // precedes the statement; newly proved lemmas are added
  std::string informal;         // an informal proof; empty: none
  std::string notes;            // findings of earlier attempts; empty: none
  std::string label;            // identifies the statement in events
  bool wants_reason = false;    // request a reason on failure, which costs one more call
};

struct StatementAnswer {
  enum class Status { kProved, kDisproved, kOpen };
  Status status = Status::kOpen;
  ProvedLemma lemma;   // of it or, kDisproved, its negation; Lean accepted it after known->Text()
  std::string reason;  // kOpen: what is missing, in words
  bool spent = false;  // kOpen: the models' budget is used up
  llm::Spending spending;
};

/// Errors: model and Lean errors that end a run.
using StatementProver =
    std::function<core::Task<core::Result<StatementAnswer>>(StatementTask, Limits)>;

}  // namespace zermelo::strategy
