#include "cli/terminal/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"

namespace zermelo::cli {

size_t TerminalColumns(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

Progress::Mode Progress::ModeFor(bool quiet) {
  if (quiet) return Mode::kQuiet;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string(term) == "dumb";
  return ::isatty(STDERR_FILENO) == 1 && !dumb ? Mode::kTerminal : Mode::kPlain;
}

void Progress::Show(const std::string& line) {
  if (mode_ != Mode::kTerminal) return;
  const auto now = core::Clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  fmt::print(stderr, "\r\x1b[2K{}", FitColumns(line, TerminalColumns(STDERR_FILENO) - 1));
  std::fflush(stderr);
}

void Progress::Print(const std::string& line) {
  if (mode_ == Mode::kQuiet) return;
  Clear();
  fmt::print(stderr, "{}\n", line);
}

void Progress::PrintPlain(const std::string& line) {
  if (mode_ == Mode::kPlain) fmt::print(stderr, "{}\n", line);
}

void Progress::Clear() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(stderr, "\r\x1b[2K");
  std::fflush(stderr);
}

std::string WrapColumns(const std::string& text, size_t columns, size_t indent) {
  std::string wrapped;
  size_t used = 0;
  bool fresh = true;  // nothing but the indent is in the line
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const auto width = static_cast<size_t>(std::ranges::count_if(
        word, [](char c) { return (c & 0xC0) != 0x80; }));  // not continuation bytes
    if (!fresh && used + 1 + width > columns) {
      wrapped += '\n' + std::string(indent, ' ');
      used = indent;
      fresh = true;
    } else if (at > 0) {
      wrapped += ' ';
      ++used;
    }
    wrapped += word;
    used += width;
    fresh = fresh && width == 0;
    at = end + 1;
  }
  return wrapped;
}

const char* Mark(std::string_view status) {
  if (status == "proved") return "✓";
  return status == "proved_from" ? "◐" : "✗";
}

std::string Bar(size_t done, size_t total, size_t width) {
  const size_t filled = total == 0 ? width : width * done / total;
  std::string bar;
  for (size_t i = 0; i < width; ++i) bar += i < filled ? "━" : "─";
  return bar;
}

std::string FitColumns(const std::string& text, size_t columns) {
  std::string line;
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t length = core::DecodeUtf8(text, at).length;
    if (used + 1 >= columns && at + length < text.size()) return line + "…";
    const bool control = static_cast<unsigned char>(text[at]) < 0x20;
    line += control ? " " : text.substr(at, length);
    ++used;
    at += length;
  }
  return line;
}

std::string ShortDuration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f}s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  return fmt::format("{}m{:02}s", whole / 60, whole % 60);
}

}  // namespace zermelo::cli
