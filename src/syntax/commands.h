// Splits a Lean file into its top-level commands by their keywords.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "syntax/lexer.h"

namespace zermelo::syntax {

/// A command, as indices of tokens. It extends to the beginning of the next command.
struct Command {
  size_t begin = 0;    // its doc comment, attributes, modifiers or `open … in`, else its keyword
  size_t keyword = 0;  // the last keyword of a chain of `… in`
};

/// The commands among `tokens`, the tokens of `text` without trivia (LexCode), up to `#exit`.
std::vector<Command> FindCommands(std::string_view text, std::span<const Token> tokens);

/// Whether `word` is the keyword of a declaration: theorem, lemma, def, instance, structure, …
bool IsDeclarationKeyword(std::string_view word);

/// Whether `word` is a command that only prints something about the code: #check, #eval, #print, …
bool IsQuery(std::string_view word);

/// Whether `word` is a command that sets up those after it: namespace, open, variable, set_option,
/// …
bool GivesContext(std::string_view word);

/// Whether two words form one keyword: `class inductive` or `class abbrev`.
bool IsTwoWordKeyword(std::string_view first, std::string_view second);

/// Whether any word of `text`, inside brackets or not, begins a command. An `open … in` or
/// `set_option … in` before a tactic or term does not count.
bool HasCommand(std::string_view text);

}  // namespace zermelo::syntax
