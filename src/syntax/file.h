// A Lean file, parsed once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/commands.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"

namespace zermelo::syntax {

/// A file or a part of one with its tokens, commands and declarations. Any bytes are accepted; a
/// view given out lives as long as the File is neither moved nor destroyed.
class File {
 public:
  explicit File(std::string text);

  const std::string& text() const { return text_; }
  const std::vector<Token>& tokens() const { return tokens_; }  // without trivia
  const std::vector<Command>& commands() const { return commands_; }
  const std::vector<Declaration>& declarations() const { return declarations_; }

  std::string_view Slice(TextRange range) const {
    return std::string_view(text_).substr(range.begin, range.end - range.begin);
  }
  std::string_view Word(size_t token) const { return WordAt(text_, tokens_, token); }
  /// From the first token of the n-th command to its last one.
  TextRange RangeOf(size_t command) const;
  std::string_view KeywordOf(size_t command) const { return Word(commands_[command].keyword); }

 private:
  std::string text_;
  std::vector<Token> tokens_;
  std::vector<Command> commands_;
  std::vector<Declaration> declarations_;
};

}  // namespace zermelo::syntax
