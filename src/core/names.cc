#include "core/names.h"

#include <algorithm>
#include <numeric>

namespace zermelo::core {

size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names) {
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(2, wanted.size() / 3) + 1;
  for (const std::string& name : names) {
    const size_t distance = EditDistance(wanted, name);
    if (distance < best_distance) {
      best = &name;
      best_distance = distance;
    }
  }
  return best == nullptr ? "" : "did you mean `" + *best + "`?";
}

std::string ModulePath(std::string_view module) {
  constexpr std::string_view kOpen = "«", kClose = "»";
  std::string path;
  bool quoted = false;
  if (module.find('/') != module.npos || module.find('\0') != module.npos) return "";
  for (size_t at = 0; at < module.size();) {
    const std::string_view rest = module.substr(at);
    if (rest.starts_with(kOpen) || rest.starts_with(kClose)) {
      quoted = rest.starts_with(kOpen);
      at += kOpen.size();
      continue;
    }
    path += rest[0] == '.' && !quoted ? '/' : rest[0];
    ++at;
  }
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part(path.data() + at, end - at);
    if (part.empty() || part == "." || part == "..") return "";
    at = end + 1;
  }
  return path;
}

}  // namespace zermelo::core
