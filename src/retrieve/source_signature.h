// Signatures as their authors wrote them, where the source is at hand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::retrieve {

/// Where a module's source would be: of a Lake package (`P/.lake/build/lib/lean/A/B.olean` and
/// `P/A/B.lean`) or of a toolchain (`T/lib/lean/…` and `T/src/lean/…`). Empty if there is none.
std::filesystem::path FindSource(const std::filesystem::path& olean, const std::string& module);

/// What stands between the name of a theorem, definition, axiom, … and its value, blanks and
/// comments as one space: "(n m : ℕ) : n + m = m + n". `declaration` is its text, `name` its full
/// name. Empty when that cannot be told, or when `printed`, the signature as printed from the type,
/// has explicit arguments that come from elsewhere (`variable`).
std::string SourceSignature(std::string_view declaration, std::string_view name,
                            std::string_view printed);

/// Lines of one source file.
class SourceLines {
 public:
  /// Nothing is read if the file is missing, larger than 16 MB or not UTF-8.
  explicit SourceLines(const std::filesystem::path& file);
  /// From `first` to `last`, from 1; empty if they are not there.
  std::string_view Between(uint64_t first, uint64_t last) const;

 private:
  std::string text_;
  std::vector<size_t> begins_;
};

}  // namespace zermelo::retrieve
