#include "cli/terminal/help_format.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/terminal/progress.h"

namespace zermelo::cli {

namespace {
constexpr size_t kColumn = 26;   // where descriptions begin
constexpr size_t kWidest = 110;  // lines longer than that are hard to read
}  // namespace

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = "  " + make_option_name(option, is_positional);
  const std::string type = option->get_type_name();
  if (!is_positional && !type.empty()) name += " " + type.substr(0, type.find(':'));
  const std::string space = name.size() + 2 <= kColumn ? std::string(kColumn - name.size(), ' ')
                                                       : "\n" + std::string(kColumn, ' ');
  const size_t columns = std::min(TerminalColumns(STDOUT_FILENO), kWidest);
  const std::string text = std::string(kColumn, ' ') + make_option_desc(option);
  return name + space + WrapColumns(text, columns, kColumn).substr(kColumn) + "\n";
}

}  // namespace zermelo::cli
