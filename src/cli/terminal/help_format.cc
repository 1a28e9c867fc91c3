#include "cli/terminal/help_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

#include "cli/terminal/progress.h"

namespace zermelo::cli {

namespace {
constexpr size_t kColumn = 26;   // where descriptions of options begin
constexpr size_t kWidest = 110;  // lines longer than that are hard to read

size_t HelpColumns() { return std::min(TerminalColumns(STDOUT_FILENO), kWidest); }

/// An indented line: a command, which stays whole, or one of a table ("  name   text").
std::string WrapIndented(const std::string& line) {
  const size_t gap = line.find("  ", std::min(line.find_first_not_of(' '), line.size()));
  if (gap == std::string::npos) return line;
  return WrapColumns(line, HelpColumns(), std::min(line.find_first_not_of(' ', gap), line.size()));
}

/// Lines that are not indented are paragraphs.
std::string WrapHelp(const std::string& text) {
  std::istringstream lines(text);
  std::string wrapped, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) wrapped += WrapColumns(paragraph, HelpColumns(), 0) + "\n";
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with(' ')) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    } else {
      end_paragraph();
      wrapped += WrapIndented(line) + "\n";
    }
  }
  end_paragraph();
  return wrapped;
}

/// "  NAME   TEXT", the text in its column, below the name if that is too long.
std::string NameAndText(std::string name, const std::string& text, size_t column) {
  const std::string indent(column, ' ');
  name += name.size() + 2 <= column ? indent.substr(name.size()) : "\n" + indent;
  return name + WrapColumns(indent + text, HelpColumns(), column).substr(column) + "\n";
}
}  // namespace

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = "  " + make_option_name(option, is_positional);
  const std::string type = option->get_type_name();
  if (!is_positional && !type.empty()) name += " " + type.substr(0, type.find(':'));
  return NameAndText(std::move(name), make_option_desc(option), kColumn);
}

std::string HelpFormat::make_subcommand(const CLI::App* verb) const {
  size_t longest = 0;
  for (const CLI::App* each : verb->get_parent()->get_subcommands({})) {
    longest = std::max(longest, each->get_display_name(true).size());
  }
  return NameAndText("  " + verb->get_display_name(true), verb->get_description(), longest + 4);
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  return WrapHelp(CLI::Formatter::make_description(app));
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  return WrapHelp(CLI::Formatter::make_footer(app));
}

}  // namespace zermelo::cli
