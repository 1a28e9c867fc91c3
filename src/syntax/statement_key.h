// Recognizes a statement under other names: the test for decontamination (DeepSeek-Prover-V1.5,
// A.1) and for duplicates.
//
// Pure functions; any bytes are accepted.
#pragma once

#include <string>
#include <string_view>

namespace zermelo::syntax {

/// A text that is equal for signatures ("(x : A) : p", syntax::Theorem::Signature) that differ only
/// in the names of bound variables and hypotheses, in how these are bound (`(x y : A) : p`,
/// `∀ x y : A, p`; `(h : p) : q`, `p → q`), in notation for the number types (`ℕ`, `Nat`), or in
/// blanks and comments. Different statements have different keys, except that instances and
/// implicit arguments count as ordinary ones.
std::string StatementKey(std::string_view signature);

}  // namespace zermelo::syntax
