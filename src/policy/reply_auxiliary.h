// What a reply puts before the theorem: lemmas and definitions of its own, and the context that
// they stand in, made fit for another file.
//
// Pure functions; any bytes are accepted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "lean/declarations.h"
#include "llm/format.h"

namespace zermelo::policy {

/// Gives the names that a piece of code declares other names, word by word.
class Renaming {
 public:
  /// `full_name` is what the name is with its namespaces, perhaps the same.
  void Add(std::string_view name, std::string_view full_name, std::string new_name);
  /// Not in comments and strings; not `x.name`, and not the names of arguments and fields
  /// (`(name := …)`).
  std::string Apply(std::string_view code) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

/// The commands before a theorem of a reply.
struct ReplyContext {
  /// Declarations that the file does not have, under names made from the theorem's so that they
  /// clash with nothing; inside a `section` if something else is needed. Lines, or empty.
  std::string auxiliary;
  /// The same after the reply's own `open`s and options.
  std::string auxiliary_in_context;
  std::vector<std::string> opens;    // `open Real Nat`, those that the file does not have
  std::vector<std::string> options;  // `set_option maxHeartbeats 400000`, likewise
  Renaming renaming;                 // for the proof
};

/// `theorem` is of FindDeclarations(code). The message names the command that has no place in a
/// proof: an axiom, a macro, an attribute, …
tl::expected<ReplyContext, std::string> ReadContext(std::string_view code,
                                                    const lean::Declaration& theorem,
                                                    const llm::PromptInput& input);

}  // namespace zermelo::policy
