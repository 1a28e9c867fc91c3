// The page that shows recorded runs: one HTML document that loads nothing from elsewhere, built
// from web/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zermelo::view {

/// One run as a file that can be opened anywhere. `whole`: RunReader::Whole. Its policy allows no
/// connection.
std::string RunPage(const nlohmann::json& whole);

/// The page that requests its data from the server that it was loaded from.
const std::string& LivePage();

}  // namespace zermelo::view
