// Types as a reader of Lean source knows them: with the names of bound variables, which
// trust::Terms forgets.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trust/olean_image.h"
#include "trust/term.h"
#include "trust/term_reader.h"

namespace zermelo::retrieve {

using trust::NameId;

enum class TypeKind : uint8_t {
  kBound,   // a: de Bruijn index
  kSort,    // a: level, of the reader's
  kConst,   // name
  kApp,     // a: function, b: argument
  kLambda,  // name: of the variable; a: its type, b: body; info
  kForall,  // likewise
  kLet,     // name; a: type, b: value, c: body
  kNat,     // name unused; a: a Nat of the terms
  kString,  // a: a string of the terms
  kProj,    // name: the structure; b: field; a: expression
  kOther,   // metavariables, what is nested too deeply
};

enum class BinderInfo : uint8_t { kExplicit, kImplicit, kStrictImplicit, kInstance };

/// Index into the reader's nodes; sub-expressions have smaller ones.
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
  trust::LevelKind kind = trust::LevelKind::kZero;
  NameId name = NameId::kAnonymous;  // of a parameter
  uint32_t a = 0;
  uint32_t b = 0;
};

/// Reads expressions of one module. `mdata` is left out. The image must have been checked
/// (trust::ReadObjects) and stay open. Linear in the objects read, each of which is read once.
class TypeReader {
 public:
  TypeReader(trust::OleanImage& image, trust::Terms& terms);

  /// kOther where the expression is malformed.
  TypeId Read(const trust::Value& value);
  NameId ReadName(const trust::Value& value);
  const TypeNode& operator[](TypeId id) const { return nodes_[id]; }
  const TypeLevel& level(uint32_t id) const { return levels_[id]; }
  const trust::Terms& terms() const { return terms_; }
  trust::Terms& terms() { return terms_; }
  size_t size() const { return nodes_.size(); }

 private:
  TypeId ReadAt(const trust::Value& value, int depth);
  bool Fill(const trust::Object& object, int depth, TypeNode* node);
  bool Child(const trust::Object& object, uint32_t field, int depth, uint32_t binders, uint32_t* id,
             TypeNode* node);
  bool ReadLiteral(const trust::Object& object, TypeNode* node);
  bool ReadSort(const trust::Value& value, TypeNode* node);
  uint32_t ReadLevel(const trust::Value& value, int depth, int* budget);

  trust::OleanImage& image_;
  trust::Terms& terms_;
  trust::TermReader names_;
  uint32_t word_shift_ = 0;
  std::vector<TypeNode> nodes_;
  std::vector<TypeLevel> levels_;
  std::vector<TypeId> known_;  // by offset / word; 0: not read
};

}  // namespace zermelo::retrieve
