#include "train/curve_page.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace zermelo::train {

namespace {

constexpr double kWidth = 720, kHeight = 200, kLeft = 70, kBottom = 24, kTop = 8;
constexpr size_t kMostPoints = 2000;  // more cannot be seen

struct Point {
  double step, value;
};

std::vector<Point> Points(const std::vector<nlohmann::json>& steps, const std::string& key) {
  std::vector<Point> all;
  for (const auto& step : steps) {
    const auto value = step.find(key);
    if (value == step.end() || !value->is_number() || !std::isfinite(value->get<double>()))
      continue;
    all.push_back({step.value("step", 0.0), value->get<double>()});
  }
  const size_t share = (all.size() + kMostPoints - 1) / kMostPoints;
  if (share <= 1) return all;
  std::vector<Point> means;
  for (size_t at = 0; at < all.size(); at += share) {
    const size_t end = std::min(all.size(), at + share);
    double sum = 0;
    for (size_t i = at; i < end; ++i) sum += all[i].value;
    means.push_back({all[end - 1].step, sum / static_cast<double>(end - at)});
  }
  return means;
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Picture(const std::string& key, const std::vector<Point>& points) {
  if (points.empty()) return "";
  const auto [least, most] = std::ranges::minmax(points, {}, &Point::value);
  const double first = points.front().step;
  const double steps = std::max(1.0, points.back().step - first);
  const double range = most.value > least.value ? most.value - least.value : 1;
  std::string line;
  for (const Point& point : points) {
    line +=
        fmt::format("{:.1f},{:.1f} ", kLeft + (point.step - first) / steps * (kWidth - kLeft - 8),
                    kTop + (most.value - point.value) / range * (kHeight - kTop - kBottom));
  }
  const auto label = [](double x, double y, const char* anchor, const std::string& text) {
    return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}">{}</text>)", x, y, anchor, text);
  };
  return fmt::format(
      "<h2>{}</h2><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}, from {:.4g} to {:.4g}\">"
      "<polyline points=\"{}\"/>{}{}{}{}</svg>\n",
      Escaped(key), kWidth, kHeight, Escaped(key), points.front().value, points.back().value, line,
      label(kLeft - 8, kTop + 10, "end", fmt::format("{:.4g}", most.value)),
      label(kLeft - 8, kHeight - kBottom, "end", fmt::format("{:.4g}", least.value)),
      label(kLeft, kHeight - 4, "start", fmt::format("step {:.0f}", first)),
      label(kWidth - 8, kHeight - 4, "end", fmt::format("{:.0f}", points.back().step)));
}

}  // namespace

std::string CurvePage(const std::string& title, const std::vector<nlohmann::json>& steps,
                      const std::vector<std::string>& keys) {
  std::string page = fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title><style>"
      ":root{{color-scheme:light dark}}body{{font:15px system-ui;max-width:760px;margin:2em "
      "auto;padding:0 1em}}"
      "h2{{font-size:1em;margin:1.5em 0 "
      ".3em}}svg{{width:100%}}text{{font-size:12px;fill:currentColor}}"
      "polyline{{fill:none;stroke:#2a7ae2;stroke-width:1.5}}</style><h1>{0}</h1>\n",
      Escaped(title));
  for (const std::string& key : keys) page += Picture(key, Points(steps, key));
  return page + "</html>\n";
}

}  // namespace zermelo::train
