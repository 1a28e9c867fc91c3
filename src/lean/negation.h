// The negation of a theorem, as text: what has to be proved to show that it is false.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace zermelo::lean {

/// `theorem t (x : A) [B x] (h : C x) : P x` becomes `theorem NEW_NAME : ¬ (∀ (x : A) [B x] (h : C
/// x), P x)`, without a value. Its proof shows that the theorem has none: what the statement takes
/// from the context is quantified too, so that it cannot hold because a type is empty.
///
/// `declaration`: one theorem, lemma or example, with or without a proof; its attributes, modifiers
/// and doc comment are left out, an `open … in` stays. `before`: the file up to it, whose
/// `variable`s and `universe`s the statement may use; the negation must stand in the same place.
/// Names that only Lean can tell to be variables (`autoImplicit`) are errors in the negation: it
/// has `set_option autoImplicit false in` before it. Universes that are bound automatically become
/// parameters.
///
/// kInput: there is no such declaration in the text, or none with a type. Linear; any bytes.
core::Result<std::string> NegationOf(std::string_view declaration, std::string_view new_name,
                                     std::string_view before = {});

}  // namespace zermelo::lean
