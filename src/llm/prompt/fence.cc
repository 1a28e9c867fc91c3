#include "llm/prompt/fence.h"

#include <algorithm>

namespace zermelo::llm {

std::optional<size_t> FenceWatcher::CloseIn(std::string_view text) {
  for (;;) {
    const size_t end = text.find('\n', line_);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(line_, end - line_);
    const size_t indentation = std::min(line.find_first_not_of(" \t"), line.size());
    const size_t after = std::min(line.find_first_not_of('`', indentation), line.size());
    const size_t backticks = after - indentation;
    if (backticks_ == 0) {
      if (backticks >= 3) backticks_ = backticks;
    } else if (backticks >= backticks_ &&
               line.find_first_not_of(" \t\r", after) == std::string_view::npos) {
      return line_ + after;
    }
    line_ = end + 1;
  }
}

}  // namespace zermelo::llm
