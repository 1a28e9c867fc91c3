// The constants that a printed goal or statement is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace zermelo::retrieve {

/// Looks up the constants of an index.
class SymbolTable {
 public:
  struct Symbol {
    std::string name;
    uint32_t id = 0;
  };
  virtual ~SymbolTable() = default;
  virtual std::vector<Symbol> Named(const std::string& name) = 0;
  /// Of this last component; at most a few dozen.
  virtual std::vector<Symbol> EndingIn(const std::string& last) = 0;
};

/// Distinct ids in order of appearance: of names and notations, of hypotheses' types and target
/// alike (R0 of MePo and SInE). A name that Lean printed without its namespace, and `x.f`, are
/// taken for a constant of a namespace that occurs in the text, or for the few there are.
std::vector<uint32_t> GoalSymbols(std::string_view text, SymbolTable& table);

}  // namespace zermelo::retrieve
