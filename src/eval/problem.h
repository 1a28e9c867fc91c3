// What a benchmark asks: one theorem, and everything that says which one.
#pragma once

#include <string>
#include <vector>

namespace zermelo::eval {

/// Where a problem was read.
struct Source {
  std::string file;    // relative to the dataset's path; its own name when the dataset is a file
  size_t line = 0;     // from 1: of the row, or of the theorem in its file
  std::string sha256;  // of the file, hexadecimal
  bool operator==(const Source&) const = default;
};

struct Problem {
  std::string name;       // unique in its dataset
  std::string split;      // "test", "valid"; empty: the dataset has no splits
  std::string category;   // as papers group the set; empty: it has none
  std::string header;     // all that stands before the statement: imports, opens, definitions
  std::string statement;  // the theorem, from its doc comment to `sorry`
  std::string trailer;    // what follows it: `end Problem1`
  std::string theorem;    // its full name in Lean; "example (line 12)" when it has none
  std::string informal;   // in words; may be empty
  std::string lean;       // the version that it was stated for; empty: not said
  Source source;

  /// A Lean file in which only the proof is missing.
  std::string Text() const { return header + statement + trailer; }
};

struct Dataset {
  std::string name;    // the last part of its path
  std::string format;  // as --format names it
  std::string commit;  // of the repository that it lies in; empty: none
  std::vector<Problem> problems;
  std::vector<std::string> notes;  // sentences: what the reader should know about the set
};

}  // namespace zermelo::eval
