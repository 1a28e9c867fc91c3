// The commands that a text puts before a theorem: its own lemmas and definitions and their
// context, adapted to another file.
//
// Pure functions; any bytes are accepted.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "syntax/file.h"
#include "syntax/theorem.h"

namespace zermelo::syntax {

/// Renames the names that a piece of code declares, word by word.
class Renaming {
 public:
  /// `full_name`: the name with its namespaces, possibly the same.
  void Add(std::string_view name, std::string_view full_name, std::string new_name);
  /// Comments, strings, `x.name`, and the names of arguments and fields (`(name := …)`) stay as
  /// they are.
  std::string Apply(std::string_view code) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

/// A lemma or definition that Lean accepts before a theorem. Views into the owner's text.
struct AuxiliaryDeclaration {
  std::string_view name;
  std::string_view signature;
  std::string_view text;  // all of it
  bool is_lemma = true;
};

/// The declarations as lines to put before `theorem`, without those that its file has, under names
/// that are free there; and the renaming, for the proof.
struct AuxiliaryText {
  std::string text;
  Renaming renaming;
};
AuxiliaryText AuxiliaryFor(const Theorem& theorem,
                           std::span<const AuxiliaryDeclaration> declarations);

/// The commands before a theorem, for another file.
struct CommandsBefore {
  /// Declarations that the file does not have, with names derived from the theorem's so that they
  /// do not clash; inside a `section` if they need other commands. Lines, or empty.
  std::string auxiliary;
  /// The same, preceded by their own `open`s and options.
  std::string auxiliary_in_context;
  std::vector<std::string> opens;  // `open Real Nat`, if the file does not have it
  std::vector<std::string>
      options;        // `set_option maxHeartbeats 400000`, if the file does not have it
  Renaming renaming;  // for the proof
};

/// `proved`: the declaration of `code` that proves `theorem`. The error names a command that is not
/// allowed in a proof: an axiom, a macro, an attribute, …
tl::expected<CommandsBefore, std::string> ReadCommandsBefore(const File& code,
                                                             const Declaration& proved,
                                                             const Theorem& theorem);

}  // namespace zermelo::syntax
