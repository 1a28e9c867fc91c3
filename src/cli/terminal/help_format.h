// Formats --help for the terminal's width.
#pragma once

#include <CLI/CLI.hpp>

namespace zermelo::cli {

/// Options as "-j,--workers N", without CLI11's notes on ranges and exclusions; all text wrapped at
/// the terminal's width. Subcommands inherit it.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace zermelo::cli
