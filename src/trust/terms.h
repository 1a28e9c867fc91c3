// The kernel's terms, and what its reader finds in compiled modules, without the kernel's prefix.
#pragma once

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
using kernel::Library;
using kernel::ListId;
using kernel::Module;
using kernel::NameId;
using kernel::NameNode;
using kernel::OleanImage;
using kernel::ReadOptions;
using kernel::Safety;
using kernel::StringId;
using kernel::Terms;

}  // namespace zermelo::trust
