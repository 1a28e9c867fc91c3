// The kernel's terms, and what its reader finds in compiled modules, without the kernel's prefix.
#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/olean/library.h"
#include "kernel/olean/olean.h"
#include "kernel/term/term.h"

namespace zermelo::trust {

using kernel::CodeAttribute;
using kernel::CompiledRule;
using kernel::Constant;
using kernel::ConstantKind;
using kernel::DeclarationRange;
using kernel::ExprId;
using kernel::ExprKind;
using kernel::ExprNode;
using kernel::ForEachChild;
using kernel::Import;
using kernel::ImportedNames;
using kernel::Index;
using kernel::IndexedConstant;
using kernel::LevelId;
using kernel::ListId;
using kernel::Module;
using kernel::NameId;
using kernel::NameNode;
using kernel::OleanImage;
using kernel::ReadOptions;
using kernel::Safety;
using kernel::StringId;
using kernel::Terms;

/// Whether `holds(node, walk)` is true of an expression in `walk` or of a part of one; each is
/// visited once. `holds` may add to the walk.
template <class Holds>
bool AnyPart(const Terms& terms, std::vector<ExprId> walk, Holds holds) {
  std::unordered_set<ExprId> seen;
  while (!walk.empty()) {
    const ExprId at = walk.back();
    walk.pop_back();
    if (!seen.insert(at).second) continue;
    const ExprNode& node = terms[at];
    if (holds(node, walk)) return true;
    ForEachChild(node, [&](ExprId child) { walk.push_back(child); });
  }
  return false;
}

}  // namespace zermelo::trust
