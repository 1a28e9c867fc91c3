// A retriever under a journal: a resumed run gets what was found the first time, although the index
// may have changed since, and no embedding is asked for again.
#pragma once

#include "retrieve/retriever.h"
#include "strategy/journal.h"

namespace zermelo::engine {

/// To be called by a work of the journal; `inner` belongs to its world. Both must outlive it.
class RecordedRetriever : public retrieve::Retriever {
 public:
  RecordedRetriever(retrieve::Retriever& inner, strategy::Journal& journal)
      : inner_(inner), journal_(journal) {}

  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline deadline) override;

 private:
  retrieve::Retriever& inner_;
  strategy::Journal& journal_;
};

}  // namespace zermelo::engine
