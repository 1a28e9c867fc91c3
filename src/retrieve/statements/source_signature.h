// Reads signatures from source files, as their authors wrote them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::retrieve {

/// The source file of a compiled module in a Lake package (`P/.lake/build/lib/lean/A/B.olean` and
/// `P/A/B.lean`) or in a toolchain (`T/lib/lean/…` and `T/src/lean/…`); empty if there is none.
std::filesystem::path FindSource(const std::filesystem::path& olean, const std::string& module);

/// The text between the name of a theorem, definition, axiom, … and its value, with each run of
/// whitespace and comments as one space: "(n m : ℕ) : n + m = m + n". `declaration` is the
/// declaration's text, `name` its full name, `printed` its signature as printed from the type.
/// Empty if the text cannot be parsed, or if `printed` has explicit arguments that the text lacks
/// (from `variable`).
std::string SourceSignature(std::string_view declaration, std::string_view name,
                            std::string_view printed);

/// The lines of one source file.
class SourceLines {
 public:
  /// Empty if the file is missing, larger than 16 MB or not UTF-8.
  explicit SourceLines(const std::filesystem::path& file);
  /// The lines `first` to `last`, inclusive, counted from 1; empty if out of range.
  std::string_view Between(uint64_t first, uint64_t last) const;

 private:
  std::string text_;
  std::vector<size_t> begins_;
};

}  // namespace zermelo::retrieve
