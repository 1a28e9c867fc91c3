#include "eval/chart.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/text.h"

namespace zermelo::eval {

namespace {

constexpr double kWidth = 440, kHeight = 250;
constexpr double kLeft = 46, kRight = 12, kTop = 12, kBottom = 42;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kHeight - kTop - kBottom;

std::string Begin(const std::string& what) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
                     kHeight, Escaped(what));
}

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     Escaped(text));
}

std::string Line(const char* kind, double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1,
      y1, x2, y2);
}

std::vector<double> LogTicks(double low, double high, std::initializer_list<double> factors) {
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high * 1.001;
       power *= 10) {
    for (const double factor : factors) {
      const double tick = power * factor;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push_back(tick);
    }
  }
  return ticks;
}

/// At most seven ticks: 1, 2, 5, 10, …, else powers of ten, else every few powers of ten.
std::vector<double> LogTicks(double low, double high) {
  constexpr size_t kMost = 7;
  std::vector<double> ticks = LogTicks(low, high, {1, 2, 5});
  if (ticks.size() <= kMost) return ticks;
  ticks = LogTicks(low, high, {1});
  std::vector<double> kept;
  for (size_t i = 0; i < ticks.size(); i += 1 + (ticks.size() - 1) / kMost)
    kept.push_back(ticks[i]);
  return kept;
}

/// The smallest of 5 %, 10 %, 20 %, 25 %, 50 %, 100 % that is at least `rate`.
double RateTop(double rate) {
  for (const double top : {0.05, 0.1, 0.2, 0.25, 0.5}) {
    if (rate <= top) return top;
  }
  return 1;
}

std::string Short(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : core::ReplaceInvalidUtf8(std::string(text))) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
        escaped += control ? std::string("\xef\xbf\xbd") : std::string(1, c);
      }
    }
  }
  return escaped;
}

std::string Compact(double value) {
  for (const auto& [size, unit] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (value >= size) return fmt::format("{:.3g}{}", value / size, unit);
  }
  return Short(value);
}

std::string PassChart(const std::vector<CurvePoint>& curve, double furthest,
                      const std::string& label) {
  double low = furthest;
  for (const CurvePoint& point : curve) {
    if (point.cost > 0) low = std::min(low, point.cost);
  }
  double high = std::max(furthest, low);
  if (low <= 0 || curve.empty()) return "";
  if (high < low * 2) {
    low /= 2;
    high *= 2;
  }
  const double top = RateTop(curve.back().rate);
  const auto x_of = [&](double cost) {
    if (cost <= low) return kLeft;
    return kLeft + kPlotWidth * std::log(cost / low) / std::log(high / low);
  };
  const auto y_of = [&](double rate) { return kTop + kPlotHeight * (1 - rate / top); };
  std::string svg = Begin(fmt::format("Pass rate against {}: {:.1f} % at {}", label,
                                      100 * curve.back().rate, Compact(furthest)));
  for (int i = 0; i <= 5; ++i) {
    const double rate = top * i / 5;
    svg += Line("grid", kLeft, y_of(rate), kWidth - kRight, y_of(rate));
    svg += Text(kLeft - 6, y_of(rate) + 4, "end", Short(100 * rate) + "%");
  }
  for (const double tick : LogTicks(low, high)) {
    svg += Line("grid", x_of(tick), kTop, x_of(tick), kTop + kPlotHeight);
    svg += Text(x_of(tick), kHeight - kBottom + 16, "middle", Compact(tick));
  }
  svg += Text(kLeft + kPlotWidth / 2, kHeight - 6, "middle", label + " (log axis)");
  std::string path = fmt::format("M{:.1f} {:.1f}", kLeft, y_of(0));
  for (const CurvePoint& point : curve) {
    path += fmt::format("H{:.1f}V{:.1f}", x_of(point.cost), y_of(point.rate));
  }
  path += fmt::format("H{:.1f}", kLeft + kPlotWidth);
  svg += fmt::format("<path class=\"curve\" d=\"{}\"/>\n", path);
  return svg + "</svg>\n";
}

std::string LengthHistogram(const std::vector<size_t>& lines) {
  if (lines.empty()) return "";
  std::vector<size_t> bins;  // bin b: lines in (2^(b-1), 2^b]
  for (const size_t count : lines) {
    size_t bin = 0;
    while ((size_t{1} << bin) < std::max<size_t>(count, 1)) ++bin;
    if (bins.size() <= bin) bins.resize(bin + 1);
    ++bins[bin];
  }
  const size_t most = *std::max_element(bins.begin(), bins.end());
  std::string svg = Begin(fmt::format("Lengths of {} proofs", lines.size()));
  svg += Line("grid", kLeft, kTop + kPlotHeight, kWidth - kRight, kTop + kPlotHeight);
  const double step = kPlotWidth / static_cast<double>(bins.size());
  for (size_t bin = 0; bin < bins.size(); ++bin) {
    const double height =
        (kPlotHeight - 16) * static_cast<double>(bins[bin]) / static_cast<double>(most);
    const double x = kLeft + step * static_cast<double>(bin);
    svg += fmt::format(
        "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        x + step * 0.1, kTop + kPlotHeight - height, step * 0.8, height);
    const size_t first = bin == 0 ? 1 : (size_t{1} << (bin - 1)) + 1;
    const size_t last = size_t{1} << bin;
    svg += Text(x + step / 2, kHeight - kBottom + 16, "middle",
                first == last ? std::to_string(first) : fmt::format("{}–{}", first, last));
    svg += Text(x + step / 2, kTop + kPlotHeight - height - 4, "middle", std::to_string(bins[bin]));
  }
  svg += Text(kLeft + kPlotWidth / 2, kHeight - 6, "middle", "lines of the proof");
  return svg + "</svg>\n";
}

}  // namespace zermelo::eval
