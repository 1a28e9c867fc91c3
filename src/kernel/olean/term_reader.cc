#include "kernel/olean/term_reader.h"

#include <limits>

#include "core/text.h"

namespace zermelo::kernel {

namespace {

constexpr uint32_t kSortShift = 29;
constexpr uint32_t kIdMask = (uint32_t{1} << kSortShift) - 1;
constexpr uint32_t kMaxNumber = std::numeric_limits<uint32_t>::max() - 1;
// Tags of Lean's constructors.
constexpr uint8_t kNameStr = 1, kNameNum = 2;
constexpr uint8_t kListCons = 1;
constexpr uint8_t kLiteralNat = 0, kLiteralString = 1;
constexpr uint8_t kExprMData = 10, kExprProj = 11, kExprLit = 9, kExprLet = 8;
constexpr uint8_t kMaxBinderInfo = 3;
// Offset of the binder info, after an expression's u64 of cached bits.
constexpr uint32_t kInfoByte = 8;

}  // namespace

inline bool TermReader::Child(const Object& object, uint32_t index, Sort sort, uint32_t* id) {
  Value value;
  if (!image_.Field(object, index, &value)) return false;
  if (!value.boxed) {
    const uint32_t memo = Memo(value.object);
    *id = (memo & kIdMask) - 1;
    if (memo >> kSortShift == static_cast<uint32_t>(sort) && (memo & kIdMask) != 0) return true;
  }
  return NewChild(value, sort, id);
}

TermReader::TermReader(OleanImage& image, Terms& terms, const ReadOptions& options)
    : image_(image),
      terms_(terms),
      options_(options),
      memo_(image.Scratch(image.size() / image.word() + 1)),
      word_shift_(image.word() == 8 ? 3 : 2) {}

bool TermReader::Name(const Value& value, NameId* name) {
  uint32_t id = 0;
  if (!Convert(value, Sort::kName, &id)) return false;
  *name = NameId{id};
  return true;
}

bool TermReader::Expr(const Value& value, ExprId* expr) {
  uint32_t id = 0;
  if (!Convert(value, Sort::kExpr, &id)) return false;
  *expr = ExprId{id};
  return true;
}

bool TermReader::NameList(const Value& value, ListId* list) {
  uint32_t id = 0;
  if (!Convert(value, Sort::kNames, &id)) return false;
  *list = ListId{id};
  return true;
}

bool TermReader::Nat(const Value& value, StringId* nat) {
  uint32_t id = 0;
  if (value.boxed ? !Boxed(value.scalar, Sort::kNat, &id) : !Text(value.object, Sort::kNat, &id)) {
    return false;
  }
  *nat = StringId{id};
  return true;
}

// A task stays on the stack, marked open, until its children are converted. Children are pushed
// only when unseen, so meeting an open object as a child means a cycle.
bool TermReader::Convert(const Value& value, Sort sort, uint32_t* id) {
  if (value.boxed) return Boxed(value.scalar, sort, id);
  tasks_.assign(1, {value.object, sort});
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    const uint32_t memo = Memo(task.object);
    if ((memo & kIdMask) != 0) {
      if (memo >> kSortShift != static_cast<uint32_t>(task.sort)) {
        return image_.Fail("an object is used as two sorts of terms");
      }
      tasks_.pop_back();
      continue;
    }
    Object object;
    if (!image_.At(task.object, &object)) return false;
    Memo(task.object) = static_cast<uint32_t>(task.sort) << kSortShift;
    waiting_ = false;
    uint32_t built = 0;
    if (!Build(task.sort, object, &built)) return false;
    if (waiting_) continue;
    if (!Done(object, task.sort, built)) return false;
    tasks_.pop_back();
  }
  *id = (Memo(value.object) & kIdMask) - 1;
  return true;
}

bool TermReader::Boxed(uint64_t scalar, Sort sort, uint32_t* id) {
  if (sort == Sort::kNat) {
    *id = Index(terms_.Nat(scalar));
    return true;
  }
  // The anonymous name, level zero and nil have id 0.
  *id = 0;
  const bool nullary =
      sort == Sort::kName || sort == Sort::kLevel || sort == Sort::kNames || sort == Sort::kLevels;
  return (nullary && scalar == 0) || image_.Fail("an object was expected, but there is a number");
}

// The part of Child that is not inlined.
bool TermReader::NewChild(const Value& value, Sort sort, uint32_t* id) {
  if (value.boxed) return Boxed(value.scalar, sort, id);
  const uint32_t memo = Memo(value.object);
  if (memo >> kSortShift == static_cast<uint32_t>(sort)) {
    return image_.Fail("an object contains itself");
  }
  if (memo != 0) return image_.Fail("an object is used as two sorts of terms");
  if (sort == Sort::kString || sort == Sort::kNat) return Text(value.object, sort, id);
  tasks_.push_back({value.object, sort});
  waiting_ = true;
  return true;
}

bool TermReader::Text(Offset offset, Sort sort, uint32_t* id) {
  Object object;
  if (!image_.At(offset, &object)) return false;
  if (sort == Sort::kString) {
    if (object.tag != kStringTag) return Wrong(sort, object);
    if (core::FindInvalidUtf8(object.text)) return image_.Fail("a string is not UTF-8");
    *id = Index(terms_.String(object.text));
  } else {
    if (object.tag != kBigNumberTag || object.negative) return Wrong(sort, object);
    *id = Index(terms_.Nat(object.text));
  }
  return Done(object, sort, *id);
}

bool TermReader::Done(const Object& object, Sort sort, uint32_t id) {
  extent_ += object.extent;
  if (extent_ > 2 * uint64_t{image_.size()}) return image_.Fail("objects overlap");
  if (id >= kIdMask) return image_.Fail("too many terms");
  Memo(object.at) = static_cast<uint32_t>(sort) << kSortShift | (id + 1);
  return true;
}

bool TermReader::Wrong(Sort sort, const Object& object) {
  constexpr const char* kNames[] = {"nothing",          "a string",     "a number",
                                    "a name",           "a level",      "a list of names",
                                    "a list of levels", "an expression"};
  return image_.Fail(std::string(kNames[static_cast<size_t>(sort)]) +
                     " was expected, but there is an object with tag " +
                     std::to_string(object.tag) + " and " + std::to_string(object.fields) +
                     " fields");
}

bool TermReader::Build(Sort sort, const Object& object, uint32_t* id) {
  switch (sort) {
    case Sort::kName:
      return BuildName(object, id);
    case Sort::kLevel:
      return BuildLevel(object, id);
    case Sort::kNames:
    case Sort::kLevels:
      return BuildList(sort, object, id);
    case Sort::kExpr:
      return BuildExpr(object, id);
    default:
      return Wrong(sort, object);
  }
}

bool TermReader::BuildName(const Object& object, uint32_t* id) {
  if ((object.tag != kNameStr && object.tag != kNameNum) || object.fields != 2) {
    return Wrong(Sort::kName, object);
  }
  const bool numeric = object.tag == kNameNum;
  uint32_t prefix = 0, part = 0;
  if (!Child(object, 0, Sort::kName, &prefix)) return false;
  if (waiting_) return true;
  if (!Child(object, 1, numeric ? Sort::kNat : Sort::kString, &part)) return false;
  const NameId name = terms_.Name(NameId{prefix}, StringId{part}, numeric);
  const bool renamed = name == options_.rename_from && name != NameId::kAnonymous;
  *id = Index(renamed ? options_.rename_to : name);
  return true;
}

bool TermReader::BuildLevel(const Object& object, uint32_t* id) {
  LevelNode node;
  node.kind = static_cast<LevelKind>(object.tag);
  switch (node.kind) {
    case LevelKind::kSucc:
      if (object.fields != 1 || !Child(object, 0, Sort::kLevel, &node.a)) break;
      if (!waiting_) *id = Index(terms_.Level(node));
      return true;
    case LevelKind::kMax:
    case LevelKind::kIMax:
      if (object.fields != 2 || !Child(object, 0, Sort::kLevel, &node.a) ||
          !Child(object, 1, Sort::kLevel, &node.b)) {
        break;
      }
      if (!waiting_) *id = Index(terms_.Level(node));
      return true;
    case LevelKind::kParam:
    case LevelKind::kMVar:
      if (object.fields != 1 || !Child(object, 0, Sort::kName, &node.a)) break;
      if (!waiting_) *id = Index(terms_.Level(node));
      return true;
    default:
      break;
  }
  return Wrong(Sort::kLevel, object);
}

bool TermReader::BuildList(Sort sort, const Object& object, uint32_t* id) {
  if (object.tag != kListCons || object.fields != 2) return Wrong(sort, object);
  uint32_t head = 0, tail = 0;
  const Sort element = sort == Sort::kNames ? Sort::kName : Sort::kLevel;
  if (!Child(object, 0, element, &head) || !Child(object, 1, sort, &tail)) return false;
  if (waiting_) return true;
  *id = Index(sort == Sort::kNames ? terms_.Cons(NameId{head}, ListId{tail})
                                   : terms_.Cons(LevelId{head}, ListId{tail}));
  return true;
}

bool TermReader::SmallNat(const Object& object, uint32_t index, uint32_t* number) {
  Value value;
  if (!image_.Field(object, index, &value)) return false;
  if (!value.boxed || value.scalar >= kMaxNumber) return image_.Fail("an index is too large");
  *number = static_cast<uint32_t>(value.scalar);
  return true;
}

bool TermReader::BuildExpr(const Object& object, uint32_t* id) {
  constexpr uint32_t kFields[] = {1, 1, 1, 1, 2, 2, 3, 3, 4, 1, 2, 3};
  if (object.tag > kExprProj || object.fields != kFields[object.tag]) {
    return Wrong(Sort::kExpr, object);
  }
  ExprNode node;
  bool ok = true;
  if (object.tag < kExprLit) node.kind = static_cast<ExprKind>(object.tag);
  switch (object.tag) {
    case static_cast<uint8_t>(ExprKind::kBVar):
      ok = SmallNat(object, 0, &node.a);
      break;
    case static_cast<uint8_t>(ExprKind::kFVar):
    case static_cast<uint8_t>(ExprKind::kMVar):
      ok = Child(object, 0, Sort::kName, &node.a);
      break;
    case static_cast<uint8_t>(ExprKind::kSort):
      ok = Child(object, 0, Sort::kLevel, &node.a);
      break;
    case static_cast<uint8_t>(ExprKind::kConst):
      ok = Child(object, 0, Sort::kName, &node.a) && Child(object, 1, Sort::kLevels, &node.b);
      break;
    case static_cast<uint8_t>(ExprKind::kApp):
      ok = Child(object, 0, Sort::kExpr, &node.a) && Child(object, 1, Sort::kExpr, &node.b);
      break;
    case static_cast<uint8_t>(ExprKind::kLambda):
    case static_cast<uint8_t>(ExprKind::kForall):
      node.info = image_.Scalar(object, kInfoByte);
      if (node.info > kMaxBinderInfo) return image_.Fail("a binder has an unknown kind");
      ok = Child(object, 1, Sort::kExpr, &node.a) && Child(object, 2, Sort::kExpr, &node.b);
      break;
    case kExprLet:
      node.info = image_.Scalar(object, kInfoByte) != 0 ? 1 : 0;
      ok = Child(object, 1, Sort::kExpr, &node.a) && Child(object, 2, Sort::kExpr, &node.b) &&
           Child(object, 3, Sort::kExpr, &node.c);
      break;
    case kExprLit:
      ok = BuildLiteral(object, &node);
      break;
    case kExprMData:
      return Child(object, 1, Sort::kExpr, id);
    default:
      node.kind = ExprKind::kProj;
      ok = Child(object, 0, Sort::kName, &node.a) && SmallNat(object, 1, &node.b) &&
           Child(object, 2, Sort::kExpr, &node.c);
      break;
  }
  if (ok && !waiting_) *id = Index(terms_.Expr(node));
  return ok;
}

bool TermReader::BuildLiteral(const Object& object, ExprNode* node) {
  Value literal;
  Object inner;
  if (!image_.Field(object, 0, &literal)) return false;
  if (literal.boxed) return Wrong(Sort::kExpr, object);
  if (!image_.At(literal.object, &inner)) return false;
  if (inner.fields != 1 || inner.tag > kLiteralString) return Wrong(Sort::kExpr, inner);
  node->kind = inner.tag == kLiteralNat ? ExprKind::kNat : ExprKind::kString;
  return Child(inner, 0, inner.tag == kLiteralNat ? Sort::kNat : Sort::kString, &node->a);
}

}  // namespace zermelo::kernel
