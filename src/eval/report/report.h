// report.html: a self-contained page about an evaluation.
#pragma once

#include <string>

#include "eval/record.h"
#include "eval/report/summary.h"
#include "eval/result_log.h"

namespace zermelo::eval {

/// The page: the template report.html with the content of summary.json, and every problem with its
/// proof or best attempt, as JSON that no text from outside can end. The page's script draws
/// everything from it; a Content-Security-Policy allows only the page's own style and script.
std::string ReportHtml(const Manifest& manifest, const Results& results, const Summary& summary);

}  // namespace zermelo::eval
