// Models' programs under a journal: their output is recorded, and a resumed run replays it instead
// of running them again.
#pragma once

#include "strategy/journal.h"
#include "strategy/python_runner.h"

namespace zermelo::engine {

/// Called by the work of the journal; `inner` runs on the host executor. Both must outlive it.
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
