#include "kernel/environment.h"

#include <utility>

namespace zermelo::kernel {

bool Declaration::IsUnsafe() const {
  return std::visit(
      [](const auto& it) {
        if constexpr (requires { it.is_unsafe; }) return it.is_unsafe;
        if constexpr (requires { it.safety; }) return it.safety != Safety::kSafe;
        return false;
      },
      info);
}

const ExprId* Declaration::Value() const {
  return std::visit(
      [](const auto& it) -> const ExprId* {
        if constexpr (requires { it.value; }) return &it.value;
        return nullptr;
      },
      info);
}

bool Environment::Add(Declaration declaration, Origin origin) {
  const uint32_t name = Index(declaration.name);
  if (declaration.name == NameId::kAnonymous || IndexOf(declaration.name) != kAbsent) return false;
  if (name >= by_name_.size()) by_name_.resize(name + 1 + name / 2, kAbsent);
  by_name_[name] = static_cast<uint32_t>(declarations_.size());
  declarations_.push_back(std::move(declaration));
  origins_.push_back(origin);
  return true;
}

}  // namespace zermelo::kernel
