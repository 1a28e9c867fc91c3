// What clients must not learn about a verdict while a model is trained against it (`serve
// --opaque-reasons`): a reason, a message or the name of a kernel would tell a model that probes
// the judge what to change next.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "serve/verifier.h"

namespace zermelo::serve {

/// Keeps only the outcome and the time, at most one message, which says "rejected", and at most one
/// `sorry`, both at the beginning of the text.
void HideReasons(Verification& verification);
/// Keeps only the outcome and the time.
void HideReasons(Judgement& judgement);

/// {"verdict", "reasons"} for the log.
nlohmann::json LoggedReasons(const Verification& verification);
nlohmann::json LoggedReasons(const Judgement& judgement);

}  // namespace zermelo::serve
