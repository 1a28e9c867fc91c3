#include "syntax/file.h"

namespace zermelo::syntax {

File::File(std::string text)
    : text_(std::move(text)),
      tokens_(LexCode(text_)),
      commands_(FindCommands(text_, tokens_)),
      declarations_(FindDeclarations(text_, tokens_, commands_)) {}

TextRange File::RangeOf(size_t command) const {
  const size_t next =
      command + 1 < commands_.size() ? commands_[command + 1].begin : tokens_.size();
  return {tokens_[commands_[command].begin].begin, tokens_[next - 1].end};
}

}  // namespace zermelo::syntax
