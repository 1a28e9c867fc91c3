#include "record/run_record.h"

namespace zermelo::record {

core::Result<double> StoredRunRecord::Seconds() {
  const auto run = runs_.Find(run_);
  if (!run) return core::Fail(run.error());
  return *run ? (*run)->seconds : 0;
}

}  // namespace zermelo::record
