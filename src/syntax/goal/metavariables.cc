#include "syntax/goal/metavariables.h"

#include <cctype>

namespace zermelo::syntax {

namespace {

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Where the first metavariable `?x` from byte `at` on begins; npos: there is none.
size_t FindMetavariable(const std::string& goal, size_t at) {
  for (at = goal.find('?', at); at != std::string::npos; at = goal.find('?', at + 1)) {
    const char before = at == 0 ? ' ' : goal[at - 1];
    const char after = at + 1 < goal.size() ? goal[at + 1] : ' ';
    if (!IsAlphanumeric(before) && std::isalpha(static_cast<unsigned char>(after)) != 0) return at;
  }
  return std::string::npos;
}

/// The first byte after the metavariable that begins at `at`.
size_t EndOfMetavariable(const std::string& goal, size_t at) {
  const auto is_part = [](char c) {
    return IsAlphanumeric(c) || c == '.' || c == '_' || c == '\'' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  ++at;
  while (at < goal.size() && is_part(goal[at])) ++at;
  return at;
}

}  // namespace

bool HasMetavariable(const std::string& goal) {
  return FindMetavariable(goal, 0) != std::string::npos;
}

bool MayHaveBecome(const std::string& before, const std::string& after) {
  size_t from = 0, matched = 0;  // the bytes of each that have been compared
  for (;;) {
    const size_t at = FindMetavariable(before, from);
    const std::string piece = before.substr(from, at == std::string::npos ? at : at - from);
    if (at == std::string::npos && from > 0) {
      return after.size() >= matched + piece.size() && after.ends_with(piece);
    }
    if (at == std::string::npos) return after == before;
    const size_t found = after.find(piece, matched);
    if (found == std::string::npos || (from == 0 && found != 0)) return false;
    matched = found + piece.size();
    from = EndOfMetavariable(before, at);
  }
}

}  // namespace zermelo::syntax
