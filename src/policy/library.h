// What the library offers for a goal: theorems that the symbol rankings find, and among them those
// that can rewrite a part of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/async.h"
#include "policy/policy.h"
#include "retrieve/retriever.h"

namespace zermelo::policy {

/// Fills `premises` and `rules` of a context for the first goal of its state; no model is asked.
/// They stay empty without an index; after half a second there may be fewer rules.
core::Task<void> AskLibrary(retrieve::Retriever& library, StepContext* context);

/// The library as step policies ask it, for every state of a search. Rankings::kRewriting is
/// answered from the symbol rankings, asked for each proposition of a goal by itself: in the
/// symbols of all together, those of one are lost. What was found is kept, since the states of a
/// search share most of their propositions, and cut to what a policy reads: a run records it.
/// Questions of other rankings are handed on.
class StateLibrary : public retrieve::Retriever {
 public:
  /// `inner` must outlive it.
  explicit StateLibrary(retrieve::Retriever& inner) : inner_(inner) {}
  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline deadline) override;

 private:
  using Premises = std::vector<retrieve::Premise>;
  core::Task<core::Result<Premises>> Named(retrieve::PremiseQuery query, core::Deadline deadline);
  core::Task<core::Result<Premises>> Rules(retrieve::PremiseQuery query, core::Deadline deadline);
  core::Task<core::Result<Premises>> RulesFor(retrieve::PremiseQuery query,
                                              core::Deadline deadline);
  void Keep(const std::string& key, const Premises& found);

  retrieve::Retriever& inner_;
  std::map<std::string, Premises> known_;  // by question
};

}  // namespace zermelo::policy
