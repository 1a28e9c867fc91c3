#include "retrieve/statements/type_reader.h"

#include <algorithm>

namespace zermelo::retrieve {

using kernel::Object;
using kernel::Value;

namespace {

constexpr int kMaxTypeDepth = 3000;
constexpr int kMaxLevels = 100;  // levels read for one sort
constexpr uint32_t kMaxNumber = 1U << 24U;
// Tags of Lean.Expr and of its literals.
enum ExprTag : uint8_t {
  kBVar = 0,
  kSortTag = 3,
  kConstTag = 4,
  kAppTag = 5,
  kLambdaTag = 6,
  kForallTag = 7,
  kLetTag = 8,
  kLitTag = 9,
  kMDataTag = 10,
  kProjTag = 11,
};
constexpr uint32_t kInfoByte = 8;  // after the u64 of cached bits

}  // namespace

TypeReader::TypeReader(kernel::OleanImage& image, kernel::Terms& terms)
    : image_(image),
      terms_(terms),
      names_(image, terms, {}),
      word_shift_(image.word() == 8 ? 3 : 2),
      nodes_(1),
      levels_(1),
      known_(image.size() / image.word() + 1, 0) {}

TypeId TypeReader::Read(const Value& value) { return ReadAt(value, 0); }

NameId TypeReader::ReadName(const Value& value) {
  NameId name = NameId::kAnonymous;
  return names_.Name(value, &name) ? name : NameId::kAnonymous;
}

TypeId TypeReader::ReadAt(const Value& value, int depth) {
  if (value.boxed || depth > kMaxTypeDepth) return 0;
  TypeId known = known_[value.object >> word_shift_];
  if (known != 0) return known;
  Object object;
  if (!image_.At(value.object, &object)) return 0;
  if (object.tag == kMDataTag && object.fields == 2) {
    Value inner;
    if (!image_.Field(object, 1, &inner)) return 0;
    known = ReadAt(inner, depth + 1);
  } else {
    TypeNode node;
    if (!Fill(object, depth, &node)) return 0;
    known = static_cast<TypeId>(nodes_.size());
    nodes_.push_back(node);
  }
  known_[value.object >> word_shift_] = known;
  return known;
}

bool TypeReader::Child(const Object& object, uint32_t field, int depth, uint32_t binders,
                       uint32_t* id, TypeNode* node) {
  Value value;
  if (!image_.Field(object, field, &value)) return false;
  *id = ReadAt(value, depth + 1);
  const uint32_t loose = nodes_[*id].loose_bound;
  node->loose_bound = std::max(node->loose_bound, loose - std::min(loose, binders));
  return true;
}

bool TypeReader::Fill(const Object& object, int depth, TypeNode* node) {
  constexpr uint32_t kFields[] = {1, 1, 1, 1, 2, 2, 3, 3, 4, 1, 2, 3};
  if (object.tag > kProjTag || object.fields != kFields[object.tag]) return false;
  Value value;
  if (!image_.Field(object, 0, &value)) return false;
  switch (object.tag) {
    case kBVar:
      if (!value.boxed || value.scalar > kMaxNumber) return false;
      node->kind = TypeKind::kBound;
      node->a = static_cast<uint32_t>(value.scalar);
      node->loose_bound = node->a + 1;
      return true;
    case kSortTag:
      return ReadSort(value, node);
    case kConstTag:
      node->kind = TypeKind::kConst;
      node->name = ReadName(value);
      return true;
    case kAppTag:
      node->kind = TypeKind::kApp;
      return Child(object, 0, depth, 0, &node->a, node) &&
             Child(object, 1, depth, 0, &node->b, node);
    case kLambdaTag:
    case kForallTag:
      node->kind = object.tag == kLambdaTag ? TypeKind::kLambda : TypeKind::kForall;
      node->info = static_cast<BinderInfo>(image_.Scalar(object, kInfoByte) & 3U);
      node->name = ReadName(value);
      return Child(object, 1, depth, 0, &node->a, node) &&
             Child(object, 2, depth, 1, &node->b, node);
    case kLetTag:
      node->kind = TypeKind::kLet;
      node->name = ReadName(value);
      return Child(object, 1, depth, 0, &node->a, node) &&
             Child(object, 2, depth, 0, &node->b, node) &&
             Child(object, 3, depth, 1, &node->c, node);
    case kLitTag:
      return ReadLiteral(object, node);
    case kProjTag: {
      Value field;
      if (!image_.Field(object, 1, &field) || !field.boxed || field.scalar > kMaxNumber) {
        return false;
      }
      node->kind = TypeKind::kProj;
      node->name = ReadName(value);
      node->b = static_cast<uint32_t>(field.scalar);
      return Child(object, 2, depth, 0, &node->a, node);
    }
    default:
      return true;  // kOther
  }
}

bool TypeReader::ReadLiteral(const Object& object, TypeNode* node) {
  Value value;
  Object literal;
  kernel::StringId text{};
  if (!image_.Field(object, 0, &value) || value.boxed || !image_.At(value.object, &literal) ||
      literal.fields != 1 || !image_.Field(literal, 0, &value)) {
    return false;
  }
  if (literal.tag == 0) {
    node->kind = TypeKind::kNat;
    if (!names_.Nat(value, &text)) return false;
  } else {
    node->kind = TypeKind::kString;
    if (value.boxed || !image_.At(value.object, &literal) || literal.tag != kernel::kStringTag) {
      return false;
    }
    text = terms_.String(literal.text);
  }
  node->a = kernel::Index(text);
  return true;
}

bool TypeReader::ReadSort(const Value& value, TypeNode* node) {
  int budget = kMaxLevels;  // a shared level is read again for each occurrence
  node->kind = TypeKind::kSort;
  node->a = ReadLevel(value, 0, &budget);
  return true;
}

uint32_t TypeReader::ReadLevel(const Value& value, int depth, int* budget) {
  constexpr int kMaxLevelDepth = 64;
  Object object;
  if (value.boxed || depth > kMaxLevelDepth || --*budget < 0 || !image_.At(value.object, &object)) {
    return 0;
  }
  TypeLevel level;
  level.kind = static_cast<kernel::LevelKind>(object.tag);
  const bool named =
      level.kind == kernel::LevelKind::kParam || level.kind == kernel::LevelKind::kMVar;
  Value field;
  for (uint32_t i = 0; i < std::min<uint32_t>(object.fields, 2); ++i) {
    if (!image_.Field(object, i, &field)) return 0;
    if (named) {
      level.name = ReadName(field);
    } else {
      (i == 0 ? level.a : level.b) = ReadLevel(field, depth + 1, budget);
    }
  }
  levels_.push_back(level);
  return static_cast<uint32_t>(levels_.size() - 1);
}

}  // namespace zermelo::retrieve
