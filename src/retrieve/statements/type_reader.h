// Reads types with the names of their bound variables, which kernel::Terms discards.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/olean/olean_image.h"
#include "kernel/olean/term_reader.h"
#include "kernel/term/term.h"

namespace zermelo::retrieve {

using kernel::NameId;

enum class TypeKind : uint8_t {
  kBound,   // a: de Bruijn index
  kSort,    // a: level of the reader
  kConst,   // name
  kApp,     // a: function, b: argument
  kLambda,  // name: variable; a: its type, b: body; info
  kForall,  // as kLambda
  kLet,     // name: variable; a: type, b: value, c: body
  kNat,     // a: a Nat of the terms
  kString,  // a: a string of the terms
  kProj,    // name: structure; b: field; a: expression
  kOther,   // metavariables, expressions nested too deeply
};

enum class BinderInfo : uint8_t { kExplicit, kImplicit, kStrictImplicit, kInstance };

/// Index into the reader's nodes; subexpressions have smaller indices.
using TypeId = uint32_t;

struct TypeNode {
  TypeKind kind = TypeKind::kOther;
  BinderInfo info = BinderInfo::kExplicit;
  NameId name = NameId::kAnonymous;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t loose_bound = 0;  // one more than the largest loose de Bruijn index; 0: closed
};

struct TypeLevel {
  kernel::LevelKind kind = kernel::LevelKind::kZero;
  NameId name = NameId::kAnonymous;  // of a parameter or metavariable
  uint32_t a = 0;
  uint32_t b = 0;
};

/// Reads expressions of one module, without their `mdata`. The image must have been checked
/// (kernel::ReadObjects) and must stay open. Each object is read once.
class TypeReader {
 public:
  TypeReader(kernel::OleanImage& image, kernel::Terms& terms);

  /// Reads an expression; malformed parts become kOther.
  TypeId Read(const kernel::Value& value);
  NameId ReadName(const kernel::Value& value);
  const TypeNode& operator[](TypeId id) const { return nodes_[id]; }
  const TypeLevel& level(uint32_t id) const { return levels_[id]; }
  const kernel::Terms& terms() const { return terms_; }
  kernel::Terms& terms() { return terms_; }
  size_t size() const { return nodes_.size(); }

 private:
  TypeId ReadAt(const kernel::Value& value, int depth);
  bool Fill(const kernel::Object& object, int depth, TypeNode* node);
  bool Child(const kernel::Object& object, uint32_t field, int depth, uint32_t binders,
             uint32_t* id, TypeNode* node);
  bool ReadLiteral(const kernel::Object& object, TypeNode* node);
  bool ReadSort(const kernel::Value& value, TypeNode* node);
  uint32_t ReadLevel(const kernel::Value& value, int depth, int* budget);

  kernel::OleanImage& image_;
  kernel::Terms& terms_;
  kernel::TermReader names_;
  uint32_t word_shift_ = 0;
  std::vector<TypeNode> nodes_;
  std::vector<TypeLevel> levels_;
  std::vector<TypeId> known_;  // by offset / word size; 0: not read yet
};

}  // namespace zermelo::retrieve
