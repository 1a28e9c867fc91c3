// Theorems of the library for a goal: those found by the symbol rankings, and among them those that
// can rewrite a part of the goal.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/async.h"
#include "learn/adviser.h"
#include "policy/policy.h"
#include "retrieve/retriever.h"

namespace zermelo::policy {

/// Fills `premises`, `rules` and `definitions` of a context for the first goal of its state,
/// without a model: twice as many for each effort; and `namesakes` where a proof begins. They stay
/// empty without an index; after half a second, fewer rules may be returned.
core::Task<void> AskLibrary(retrieve::Retriever& library, StepContext* context);

/// Fills `learned` for the first goal of the context's state, and puts the premises that similar
/// goals needed before those of the library. Call it after AskLibrary. Errors count as no advice.
core::Task<void> AskLearned(learn::Adviser& adviser, StepContext* context);

/// The library for step policies, at every state of a search. Queries of Rankings::kRewriting are
/// answered from the symbol rankings, with one query for each proposition of the goal: the symbols
/// of a single proposition would be lost among those of all. Results are cached, since the states
/// of a search share most of their propositions, and cut down to what a policy reads, because a run
/// records them. Queries of other rankings are passed on.
class StateLibrary : public retrieve::Retriever {
 public:
  /// `inner` must outlive it.
  explicit StateLibrary(retrieve::Retriever& inner) : inner_(inner) {}
  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline deadline) override;

 private:
  using Premises = std::vector<retrieve::Premise>;
  core::Task<core::Result<Premises>> FindNames(retrieve::PremiseQuery query,
                                               core::Deadline deadline);
  core::Task<core::Result<Premises>> Rules(retrieve::PremiseQuery query, core::Deadline deadline);
  core::Task<core::Result<Premises>> RulesFor(retrieve::PremiseQuery query,
                                              core::Deadline deadline);
  void Keep(const std::string& key, const Premises& found);

  retrieve::Retriever& inner_;
  std::map<std::string, Premises> known_;  // by query
};

}  // namespace zermelo::policy
