// report.html: a self-contained page about an evaluation.
#pragma once

#include <string>

#include "eval/record.h"
#include "eval/result_log.h"
#include "eval/summary.h"

namespace zermelo::eval {

/// The page, with figures, tables, charts, and every problem with its proof or best attempt. All
/// text from outside is escaped, and a Content-Security-Policy allows only the page's own style and
/// script. The page shows everything without scripts; the script filters and sorts.
std::string ReportHtml(const Manifest& manifest, const Results& results, const Summary& summary);

}  // namespace zermelo::eval
