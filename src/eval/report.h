// report.html: one file that shows an evaluation and needs nothing else.
#pragma once

#include <string>

#include "eval/record.h"
#include "eval/result_log.h"
#include "eval/summary.h"

namespace zermelo::eval {

/// The page, with figures, tables, pictures, and every problem with its proof or best attempt. All
/// text from outside is escaped, and a Content-Security-Policy allows the page's own style and
/// script only. Without scripts it shows everything; with them it filters and sorts.
std::string ReportHtml(const Manifest& manifest, const Results& results, const Summary& summary);

}  // namespace zermelo::eval
