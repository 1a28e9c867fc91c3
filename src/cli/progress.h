// Progress on stderr: one line that is rewritten on a terminal, plain lines otherwise.
#pragma once

#include <string>

#include "core/deadline.h"

namespace zermelo::cli {

class Progress {
 public:
  enum class Mode { kQuiet, kPlain, kTerminal };
  /// What suits stderr: kQuiet when asked for, kTerminal on a terminal, else kPlain.
  static Mode ModeFor(bool quiet);

  explicit Progress(Mode mode) : mode_(mode) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The line that shows what is going on, cut to the terminal's width; at most ten times a
  /// second. Nothing unless on a terminal.
  void Show(const std::string& line);
  /// A line that stays.
  void Print(const std::string& line);
  /// A line that stays, not on a terminal: where Show is not seen.
  void PrintPlain(const std::string& line);
  void Clear();

 private:
  const Mode mode_;
  bool shown_ = false;
  core::Clock::time_point last_;
};

/// "▇▇▇▁▁▁" of `width` characters with `done` of `total` filled.
std::string Bar(size_t done, size_t total, size_t width);
/// The beginning of a UTF-8 text that fits in `columns`, with "…" when it was cut. Line breaks
/// become spaces.
std::string FitColumns(const std::string& text, size_t columns);
/// The text broken at spaces into lines of at most `columns`, where words allow it; lines after the
/// first begin with `indent` spaces.
std::string WrapColumns(const std::string& text, size_t columns, size_t indent);
/// Columns of the terminal that a descriptor is; 80 when it is none.
size_t TerminalColumns(int fd);
/// "0.4s", "12s", "3m05s".
std::string ShortDuration(double seconds);

}  // namespace zermelo::cli
