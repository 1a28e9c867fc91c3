#include "syntax/theorem.h"

#include <algorithm>
#include <fmt/format.h>

namespace zermelo::syntax {

Theorem TheoremOf(const File& file, const Declaration& declaration) {
  Theorem theorem;
  theorem.header = file.text().substr(0, declaration.range.begin);
  theorem.keyword = declaration.keyword;
  theorem.name = declaration.full_name;
  theorem.written_name = declaration.name;
  theorem.signature = file.Slice(declaration.signature);
  for (const Declaration& other : file.declarations()) {
    if (other.range.begin != declaration.range.begin && !other.name.empty()) {
      theorem.taken.emplace_back(LastComponent(other.name));
    }
  }
  std::string_view statement = file.Slice({declaration.range.begin, declaration.signature.end});
  const auto tokens = Lex(statement);
  if (!tokens.empty() && tokens.front().kind == TokenKind::kDocComment) {
    theorem.doc = fmt::format("{}\n", TextOf(statement, tokens.front()));
    const size_t code = statement.find_first_not_of(" \t\r\n", tokens.front().end);
    statement.remove_prefix(std::min(code, statement.size()));
  }
  theorem.head = statement.substr(0, statement.find_last_not_of(" \t\r\n") + 1);
  return theorem;
}

Theorem TheoremOf(std::string_view head) {
  const File file(fmt::format("{} := by sorry", head));
  return file.declarations().empty() ? Theorem() : TheoremOf(file, file.declarations().front());
}

}  // namespace zermelo::syntax
