#include "engine/job/theorem_events.h"

#include "core/json.h"
#include "record/events.h"

namespace zermelo::engine {

using nlohmann::json;

json BegunFields(const TheoremResult& theorem) { return core::Picked(theorem, {"name", "line"}); }

json EndedFields(const TheoremResult& theorem) {
  return {{"found", HasProof(theorem)},     {"proof", theorem.proof},
          {"auxiliary", theorem.auxiliary}, {"message", theorem.message},
          {"checks", theorem.checks},       {"samples", theorem.samples}};
}

json VerdictFields(const TheoremResult& theorem) {
  const bool proved = theorem.status == TheoremStatus::kProved;
  const json whole = theorem;
  json fields = core::Picked(whole, {"name", "from", "auxiliary", "roles"});
  if (HasProof(theorem)) fields["proof"] = theorem.proof;
  if (proved) fields.update(core::Picked(whole, {"axioms", "kernels"}));
  if (!proved) fields["message"] = theorem.message;
  return fields;
}

std::string_view VerdictKind(const TheoremResult& theorem) {
  return theorem.status == TheoremStatus::kProved ? record::event::kProved : record::event::kFailed;
}

}  // namespace zermelo::engine
