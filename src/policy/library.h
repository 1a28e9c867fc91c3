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
/// They stay empty without an index, and when it does not answer within half a second.
core::Task<void> AskLibrary(retrieve::Retriever& library, StepContext* context);

/// Answers Rankings::kRewriting from another retriever, which it asks for each proposition of a
/// goal by itself: in the symbols of all together, those of one are lost. What it found for a
/// proposition is kept, since the states of a search share most of theirs. All else is handed on.
class RewritingRetriever : public retrieve::Retriever {
 public:
  /// `inner` must outlive it.
  explicit RewritingRetriever(retrieve::Retriever& inner) : inner_(inner) {}
  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline deadline) override;

 private:
  using Premises = std::vector<retrieve::Premise>;
  core::Task<core::Result<Premises>> ForProposition(retrieve::PremiseQuery query,
                                                    core::Deadline deadline);

  retrieve::Retriever& inner_;
  std::map<std::string, Premises> known_;  // by question
};

}  // namespace zermelo::policy
