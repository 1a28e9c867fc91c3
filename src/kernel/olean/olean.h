// Reads what a compiled Lean module declares.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "kernel/declaration.h"
#include "kernel/olean/olean_image.h"
#include "kernel/term/term.h"

namespace zermelo::kernel {

enum class ConstantKind : uint8_t {
  kAxiom,
  kDefinition,
  kTheorem,
  kOpaque,
  kQuotient,
  kInductive,
  kConstructor,
  kRecursor,
};
/// "axiom", "definition", "theorem", "opaque constant", …
const char* Name(ConstantKind kind);

/// A rule of a recursor.
struct CompiledRule {
  bool operator==(const CompiledRule&) const = default;
  NameId constructor = NameId::kAnonymous;
  StringId fields = StringId::kEmpty;  // a Nat
  ExprId value{};
};

/// All fields of Lean's ConstantInfo; those that the kind does not have keep their defaults. Counts
/// are Nats of the arena (Terms::Nat), since a file may contain arbitrarily large ones.
struct Constant {
  ConstantKind kind = ConstantKind::kAxiom;
  Safety safety = Safety::kSafe;
  NameId name = NameId::kAnonymous;
  ListId level_params = ListId::kNil;
  ExprId type{};
  std::optional<ExprId> value;  // for definitions, theorems and opaque constants
  Hints hints;                  // for definitions
  ListId all = ListId::kNil;    // names declared together
  uint8_t quotient_kind = 0;    // type, mk, lift, ind
  ListId constructors = ListId::kNil;
  NameId inductive = NameId::kAnonymous;  // for a constructor
  /// kInductive: parameters, indices, nested; kConstructor: number among the constructors,
  /// parameters, fields; kRecursor: parameters, indices, motives, minor premises.
  StringId counts[4] = {};
  /// kInductive: recursive, reflexive; kRecursor: K.
  bool flags[2] = {};
  std::vector<CompiledRule> rules;
};
/// The same meaning: only reducibility hints may differ.
bool operator==(const Constant& a, const Constant& b);

struct Import {
  NameId module = NameId::kAnonymous;
  /// Meaningful only in a file that begins with `module`; elsewhere these may be padding.
  bool import_all = false;
  bool is_exported = false;
  bool is_meta = false;
  bool operator==(const Import&) const = default;
};

struct ExtensionEntries {
  NameId extension = NameId::kAnonymous;
  uint32_t count = 0;
};

/// An attribute that makes compiled code differ from what the kernel sees or, kInit, that runs the
/// declaration when another file imports the module.
struct CodeAttribute {
  enum class Kind : uint8_t { kImplementedBy, kExtern, kCSimp, kInit } kind = Kind::kExtern;
  std::vector<NameId> names;  // the marked declaration first
  bool operator==(const CodeAttribute&) const = default;
};

/// Where a declaration is in its source, as Lean recorded it: 1-based lines.
struct DeclarationRange {
  NameId name = NameId::kAnonymous;
  uint64_t first_line = 0;
  uint64_t last_line = 0;
};

struct Module {
  OleanHeader header;
  bool is_module = false;    // has parts, of which the public one has no proofs
  bool has_private = false;  // the part with everything was present
  std::vector<Import> imports;
  std::vector<Constant> constants;
  std::vector<NameId> extra_constants;  // generated code without a declaration
  std::vector<ExtensionEntries> extensions;
  std::vector<CodeAttribute> code_attributes;
  std::vector<DeclarationRange> ranges;
};

struct ReadOptions {
  /// Names that begin with `rename_from` get the prefix `rename_to` instead; for `_private.M.0`,
  /// which differs between files with different module names.
  NameId rename_from = NameId::kAnonymous;
  NameId rename_to = NameId::kAnonymous;
};

/// Everything that the last part of an opened image declares (it repeats the contents of the parts
/// before it, with proofs). Fails on malformed objects, cycles, and constants that are listed twice
/// or under another name than their own. Takes time linear in the size of the image.
core::Result<Module> ReadModule(OleanImage& image, Terms& terms, const ReadOptions& options = {});

struct Part {
  bool is_module = false;
  std::vector<Import> imports;
  std::vector<Constant> constants;
};
/// Everything that one part declares, the first having the number 0.
core::Result<Part> ReadPart(OleanImage& image, Terms& terms, size_t part,
                            const ReadOptions& options = {});

class ModuleReader;

/// The constants of the last part, each read on demand. Nothing else may read from the image
/// meanwhile.
class LazyModule {
 public:
  /// Reads the names and nothing else. Fails as ReadIndex does.
  static core::Result<LazyModule> Open(OleanImage& image, Terms& terms);
  LazyModule(LazyModule&&) noexcept;
  ~LazyModule();

  const std::vector<NameId>& names() const { return names_; }
  /// The constant that has the name names()[index].
  core::Result<Constant> Read(uint32_t index);

 private:
  LazyModule(OleanImage& image, Terms& terms);
  OleanImage* image_;
  std::unique_ptr<ModuleReader> reader_;
  std::vector<NameId> names_;
};

/// A name that a module declares, without its type and value; for libraries.
struct IndexedConstant {
  NameId name = NameId::kAnonymous;
  ConstantKind kind = ConstantKind::kAxiom;
  bool is_unsafe = false;
  /// An axiom only in this file: the public part of a module stores theorems and hidden definitions
  /// as axioms and records that.
  bool stripped = false;
};

struct ModuleIndex {
  OleanHeader header;
  std::vector<Import> imports;
  std::vector<IndexedConstant> constants;
};

/// The names that the last part declares, and its imports.
core::Result<ModuleIndex> ReadIndex(OleanImage& image, Terms& terms);

/// The imports of the last part; nothing else is read.
core::Result<std::vector<Import>> ReadImports(OleanImage& image, Terms& terms);

/// A constant whose type and value are still objects of the image.
struct ConstantObjects {
  ConstantKind kind = ConstantKind::kAxiom;
  Safety safety = Safety::kSafe;
  NameId name = NameId::kAnonymous;
  bool stripped = false;  // as in IndexedConstant
  Value type;
  std::optional<Value> value;             // for definitions, theorems and opaque constants
  NameId inductive = NameId::kAnonymous;  // for a constructor
};

/// The entries that an environment extension stores in a module, as an array.
struct ExtensionObjects {
  NameId extension = NameId::kAnonymous;
  Object entries;
};

struct ModuleObjects {
  OleanHeader header;
  bool is_module = false;  // as in Module
  std::vector<Import> imports;
  std::vector<ConstantObjects> constants;
  std::vector<ExtensionObjects> extensions;
  std::vector<CodeAttribute> code_attributes;
  std::vector<DeclarationRange> ranges;
};

/// What the last part declares, for readers that need parts of types that Terms does not keep
/// (binder names) or extensions that Module does not have. All objects are checked as in
/// ReadModule, so walking them terminates.
core::Result<ModuleObjects> ReadObjects(OleanImage& image, Terms& terms);

}  // namespace zermelo::kernel
