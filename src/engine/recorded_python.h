// Programs of models under a journal: what they printed is written down, and they are not run again
// when a run is resumed.
#pragma once

#include "strategy/journal.h"
#include "strategy/python_runner.h"

namespace zermelo::engine {

/// To be called by a work of the journal; `inner` belongs to its world. Both must outlive it.
class RecordedPython : public strategy::PythonRunner {
 public:
  RecordedPython(strategy::PythonRunner& inner, strategy::Journal& journal)
      : inner_(inner), journal_(journal) {}

  core::Task<core::Result<strategy::PythonResult>> Run(strategy::PythonTask task,
                                                       core::Cancellation* cancellation) override;

 private:
  strategy::PythonRunner& inner_;
  strategy::Journal& journal_;
};

}  // namespace zermelo::engine
