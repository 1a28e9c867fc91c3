// A problem of a benchmark: one theorem, and everything that identifies it. `Fields` functions list
// the fields of the JSON (core/fields.h).
#pragma once

#include <string>
#include <vector>

#include "core/fields.h"

namespace zermelo::eval {

/// Where a problem comes from.
struct Source {
  std::string file;    // relative to the dataset's path; its own name when the dataset is a file
  size_t line = 0;     // from 1: of the row, or of the theorem in its file
  std::string sha256;  // of the file, hexadecimal
  bool operator==(const Source&) const = default;
};
void Fields(auto& field, Source& source) {
  field("file", source.file);
  field("line", source.line);
  field("sha256", source.sha256);
}

struct Problem {
  std::string name;       // unique in its dataset
  std::string split;      // "test", "valid"; empty: the dataset has no splits
  std::string category;   // as in the papers on the dataset; empty: none
  std::string header;     // everything before the statement: imports, opens, definitions
  std::string statement;  // the theorem, from its doc comment to `sorry`
  std::string trailer;    // everything after the statement: `end Problem1`
  std::string theorem;    // its full name in Lean; "example (line 12)" if anonymous
  std::string informal;   // the statement in words; may be empty
  std::string lean;       // the version that it was written for; empty: unknown
  Source source;

  /// A complete Lean file that lacks only the proof.
  std::string Text() const { return header + statement + trailer; }
};
void Fields(auto& field, Problem& problem) {
  field("name", problem.name);
  field("split", problem.split);
  field("category", problem.category);
  field("theorem", problem.theorem);
  field("header", problem.header);
  field("statement", problem.statement);
  field("trailer", problem.trailer);
  field("informal", problem.informal);
  field("lean", problem.lean);
  field("source", problem.source);
}

struct Dataset {
  std::string name;    // the last part of its path
  std::string format;  // as for --format
  std::string commit;  // of the repository that contains it; empty: none
  std::vector<Problem> problems;
  std::vector<std::string> notes;  // sentences for the user
};

}  // namespace zermelo::eval
