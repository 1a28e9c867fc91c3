// A retriever under a journal: a resumed run gets the recorded results, even if the index has
// changed since, and requests no embedding again.
#pragma once

#include "record/journal.h"
#include "retrieve/retriever.h"

namespace zermelo::engine {

/// Called by the work of the journal; `inner` runs on the host executor. Both must outlive it.
class RecordedRetriever : public retrieve::Retriever {
 public:
  RecordedRetriever(retrieve::Retriever& inner, record::Journal& journal)
      : inner_(inner), journal_(journal) {}

  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline deadline) override;

 private:
  retrieve::Retriever& inner_;
  record::Journal& journal_;
};

}  // namespace zermelo::engine
