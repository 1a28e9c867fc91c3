// The report of an evaluation, as the page shows it (view/page.h).
#pragma once

#include <nlohmann/json.hpp>

#include "eval/record.h"
#include "eval/report/summary.h"
#include "eval/result_log.h"

namespace zermelo::eval {

/// {"summary" (LongJson), "problems": [{"problem", "result" (the one to show), "runs", "proved"}],
/// "categories" (in the order of tables), "furthest" (the largest costs of a problem), "judged",
/// "times": {"first" and "last" result, "solved": the first proof of each solved problem; UTC},
/// "models", "parameters", "setup" (text)}.
nlohmann::json ReportJson(const Manifest& manifest, const Results& results, const Summary& summary);

}  // namespace zermelo::eval
