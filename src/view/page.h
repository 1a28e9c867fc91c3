// The page that shows recorded runs: one HTML document without anything from elsewhere, built from
// web/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zermelo::view {

/// One run as a file that opens anywhere. `whole`: RunReader::Whole. Its policy allows no
/// connection.
std::string RunPage(const nlohmann::json& whole);

/// The page that asks the server that it comes from for its data.
const std::string& LivePage();

}  // namespace zermelo::view
