// A checker under a journal: its answers are recorded and replayed when a run is resumed.
#pragma once

#include "lean/checker.h"
#include "record/journal.h"

namespace zermelo::engine {

/// Called by the work of the journal; `inner` runs on the host executor. Both must outlive it.
class RecordedChecker : public lean::Checker {
 public:
  RecordedChecker(lean::Checker& inner, record::Journal& journal)
      : inner_(inner), journal_(journal) {}

  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override;
  size_t size() const override { return inner_.size(); }
  /// Includes the checks answered before the run was resumed.
  uint64_t checks() const override { return checks_; }

 private:
  lean::Checker& inner_;
  record::Journal& journal_;
  uint64_t checks_ = 0;
};

}  // namespace zermelo::engine
