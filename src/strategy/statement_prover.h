// How one strategy has a statement proved by another, which it does not know: a plan's lemmas by
// the agent, or by what is free of charge (engine/strategies.h puts them together).
#pragma once

#include <functional>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "llm/budget.h"
#include "llm/format.h"
#include "strategy/lemma_memory.h"
#include "strategy/limits.h"

namespace zermelo::strategy {

struct StatementTask {
  /// Where it stands and what it says; `header` without the lemmas of the memory.
  llm::PromptInput theorem;
  std::string negation;          // `theorem n : ¬ …`, to be proved instead; empty: it may not be
  LemmaMemory* known = nullptr;  // stands before it; what is proved on the way is added
  std::string informal;          // a proof in words; empty: none
  std::string notes;             // what earlier attempts learned; empty: nothing
  std::string label;             // of its events: which statement this is
  bool wants_reason = false;     // why it could not be proved, which costs another question
};

struct StatementAnswer {
  enum class Status { kProved, kDisproved, kOpen };
  Status status = Status::kOpen;
  std::string text;    // the declaration (of the negation) that Lean accepted after known->Text()
  std::string by;      // who found it
  std::string reason;  // kOpen: what stands in the way, in words
  bool spent = false;  // kOpen: the budget of the models is used up
  llm::Spending spending;
};

/// Errors: those of models and of Lean that end a run.
using StatementProver =
    std::function<core::Task<core::Result<StatementAnswer>>(StatementTask, Limits)>;

}  // namespace zermelo::strategy
