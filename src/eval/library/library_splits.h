// The splits of `corelib`: bench/data/corelib-*.txt, which bench/data/make-corelib-splits.py makes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace zermelo::eval {

class LibrarySplits {
 public:
  /// `text`: a module at the beginning of a line, the names of its theorems in the lines below it,
  /// after two blanks; lines that begin with `#` are comments.
  void Add(const std::string& split, std::string_view text);

  /// "train", "valid", "test"; empty: in none.
  const std::string& SplitOf(const std::string& module, const std::string& theorem) const;
  /// Whether a module has theorems of the split.
  bool Has(const std::string& split, const std::string& module) const;

 private:
  std::unordered_map<std::string, std::string> by_theorem_;  // "MODULE THEOREM" -> split
  std::unordered_map<std::string, std::unordered_set<std::string>> modules_;  // by split
};

/// The splits that were compiled into the program.
const LibrarySplits& CorelibSplits();

}  // namespace zermelo::eval
