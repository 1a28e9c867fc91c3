// Extracts the constants that occur in a printed goal or statement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace zermelo::retrieve {

/// Looks up the constants of an index by name.
class SymbolTable {
 public:
  struct Symbol {
    std::string name;
    uint32_t id = 0;
  };
  virtual ~SymbolTable() = default;
  /// Constants with this full name.
  virtual std::vector<Symbol> FindByName(const std::string& name) = 0;
  /// Constants whose last name component is `last`; at most a few dozen.
  virtual std::vector<Symbol> EndingIn(const std::string& last) = 0;
};

/// Returns the distinct constants that names and notations in `text` stand for, in order of
/// appearance, from hypotheses' types and the target alike (R0 of MePo and SInE). A name printed
/// without its namespace, and `x.f`, resolve to constants in namespaces that occur in the text, or
/// to every constant with that last component if there are only a few.
std::vector<SymbolTable::Symbol> GoalSymbols(std::string_view text, SymbolTable& table);

}  // namespace zermelo::retrieve
