// The negation of a theorem, as text; a proof of it shows that the theorem is false.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace zermelo::syntax {

/// `theorem t (x : A) [B x] (h : C x) : P x` becomes `theorem NEW_NAME : ¬ (∀ (x : A) [B x] (h : C
/// x), P x)`, without a value. A proof of it shows that the theorem has none: what the statement
/// takes from the context is quantified too, so that the negation cannot hold merely because a type
/// is empty.
///
/// `declaration`: one theorem, lemma or example, with or without a proof; its attributes, modifiers
/// and doc comment are dropped, an `open … in` is kept. `before`: the file up to it, whose
/// `variable`s and `universe`s the statement may use; the negation must be inserted at the same
/// place. Names that only Lean can recognize as variables (`autoImplicit`) are errors in the
/// negation, which is preceded by `set_option autoImplicit false in`. Universes that Lean would
/// bind automatically become parameters.
///
/// Errors: kInput when the text has no such declaration, or one without a type. Linear; any bytes.
core::Result<std::string> NegationOf(std::string_view declaration, std::string_view new_name,
                                     std::string_view before = {});

}  // namespace zermelo::syntax
