// The course of a training run as a page that opens anywhere.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace zermelo::train {

/// A page without scripts: for each of the keys, its values over `step` as a line. Steps that lack
/// a key, or have no finite number there, are left out.
std::string CurvePage(const std::string& title, const std::vector<nlohmann::json>& steps,
                      const std::vector<std::string>& keys);

}  // namespace zermelo::train
