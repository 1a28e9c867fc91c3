// Progress on stderr: a status line that is rewritten on a terminal, plain lines otherwise.
#pragma once

#include <string>
#include <string_view>

#include "core/deadline.h"

namespace zermelo::cli {

class Progress {
 public:
  enum class Mode { kQuiet, kPlain, kTerminal };
  /// The mode for stderr: kQuiet if `quiet`, kTerminal on a terminal, else kPlain.
  static Mode ModeFor(bool quiet);

  explicit Progress(Mode mode) : mode_(mode) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Rewrites the status line, cut to the terminal's width, at most ten times a second. Does
  /// nothing unless on a terminal.
  void Show(const std::string& line);
  /// Prints a permanent line, unless quiet.
  void Print(const std::string& line);
  /// Prints a permanent line in plain mode only, where Show prints nothing.
  void PrintPlain(const std::string& line);
  /// Removes the status line.
  void Clear();

 private:
  const Mode mode_;
  bool shown_ = false;
  core::Clock::time_point last_;
};

/// "✓" for the status "proved", "◐" for "proved_from", else "✗".
const char* Mark(std::string_view status);
/// "━━━───": `width` characters, filled in proportion to `done` of `total`.
std::string Bar(size_t done, size_t total, size_t width);
/// The beginning of a UTF-8 text that fits in `columns`, ending in "…" if it was cut. Line breaks
/// and other control characters become spaces.
std::string FitColumns(const std::string& text, size_t columns);
/// Breaks the text at spaces into lines of at most `columns`; longer words stay whole. Lines after
/// the first begin with `indent` spaces.
std::string WrapColumns(const std::string& text, size_t columns, size_t indent);
/// Width of the terminal open on `fd`; 80 if it is not a terminal.
size_t TerminalColumns(int fd);
/// "0.4s", "12s", "3m05s".
std::string ShortDuration(double seconds);

}  // namespace zermelo::cli
