#include "trust/native_code.h"

namespace zermelo::trust {

namespace {

constexpr std::string_view kMade = "._native.";

}  // namespace

bool IsNativeAxiom(std::string_view name) {
  return name == "Lean.ofReduceBool" || name == "Lean.ofReduceNat" ||
         name == "Lean.trustCompiler" || name.find("_native.") != std::string_view::npos;
}

bool RunsCompiledCode(std::string_view name) {
  return name == "Lean.reduceBool" || name == "Lean.reduceNat";
}

std::string NativeOwner(std::string_view axiom) {
  return std::string(axiom.substr(0, axiom.find(kMade)));
}

}  // namespace zermelo::trust
