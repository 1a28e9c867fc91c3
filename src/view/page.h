// The page that shows recorded runs and evaluations: one HTML document that loads nothing from
// elsewhere, built from web/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zermelo::view {

/// One run as a file that can be opened anywhere. `whole`: RunReader::Whole. Its policy allows no
/// connection.
std::string RunPage(const nlohmann::json& whole);

/// An evaluation as such a file. `report`: eval::ReportJson.
std::string EvaluationPage(const nlohmann::json& report);

/// The page that requests its data from the server that it was loaded from: runs (/api/runs), or an
/// evaluation (/api/evaluation).
const std::string& LivePage();
const std::string& LiveEvaluationPage();

}  // namespace zermelo::view
