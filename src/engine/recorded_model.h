// A model under a journal: an answer that has arrived is never requested again.
#pragma once

#include <memory>
#include <string>

#include "llm/model.h"
#include "record/journal.h"

namespace zermelo::engine {

/// Called by the work of the journal; `inner` runs on the host executor. `settings`: as in
/// llm/record.h. Completions are reported when the whole call has arrived. All must outlive it.
std::unique_ptr<llm::Model> MakeRecordedModel(llm::Model& inner, record::Journal& journal,
                                              std::string settings);

}  // namespace zermelo::engine
