// Models' programs under a journal: their output is recorded, and a resumed run replays it instead
// of running them again.
#pragma once

#include "core/python_runner.h"
#include "record/journal.h"

namespace zermelo::engine {

/// Called by the work of the journal; `inner` runs on the host executor. Both must outlive it.
class RecordedPython : public core::PythonRunner {
 public:
  RecordedPython(core::PythonRunner& inner, record::Journal& journal)
      : inner_(inner), journal_(journal) {}

  core::Task<core::Result<core::PythonResult>> Run(core::PythonTask task,
                                                   core::Cancellation* cancellation) override;

 private:
  core::PythonRunner& inner_;
  record::Journal& journal_;
};

}  // namespace zermelo::engine
