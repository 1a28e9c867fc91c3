#include "engine/run_record.h"

namespace zermelo::engine {

core::Result<double> StoredRunRecord::Seconds() {
  const auto run = runs_.Find(run_);
  if (!run) return core::Fail(run.error());
  return *run ? (*run)->seconds : 0;
}

}  // namespace zermelo::engine
