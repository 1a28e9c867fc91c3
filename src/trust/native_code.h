// Recognizes constants by which a proof trusts compiled code.
#pragma once

#include <string>
#include <string_view>

namespace zermelo::trust {

/// Whether an axiom says that compiled code computes what its source says: `Lean.ofReduceBool`,
/// `Lean.ofReduceNat`, `Lean.trustCompiler`, and the axiom `D._native.native_decide.ax_i_j` that
/// `native_decide` makes for each use from Lean 4.29 on.
bool IsNativeAxiom(std::string_view name);

/// Whether a constant runs compiled code when the kernel evaluates it, without an axiom:
/// `Lean.reduceBool`, `Lean.reduceNat`.
bool RunsCompiledCode(std::string_view name);

/// The declaration `D` for which `D._native.native_decide.ax_i_j` was made, whose numbers change
/// with its proof; any other name unchanged.
std::string NativeOwner(std::string_view axiom);

}  // namespace zermelo::trust
