// A model under a journal: no answer that has arrived is ever asked for again.
#pragma once

#include <memory>
#include <string>

#include "llm/model.h"
#include "strategy/journal.h"

namespace zermelo::engine {

/// To be called by a work of the journal; `inner` belongs to its world. `settings` as in
/// llm/record.h. Completions are told when the whole call has arrived. All must outlive it.
std::unique_ptr<llm::Model> MakeRecordedModel(llm::Model& inner, strategy::Journal& journal,
                                              std::string settings);

}  // namespace zermelo::engine
