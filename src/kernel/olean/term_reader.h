// Converts the names, levels and expressions of an image into terms of an arena.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/olean/olean.h"
#include "kernel/olean/olean_image.h"
#include "kernel/term/term.h"

namespace zermelo::kernel {

/// One reader at a time per image. Functions return false if the file is malformed; the image's
/// error() then says why. Each object is converted once, without recursion; a cycle is an error.
class TermReader {
 public:
  TermReader(OleanImage& image, Terms& terms, const ReadOptions& options);

  bool Name(const Value& value, NameId* name);
  bool Expr(const Value& value, ExprId* expr);
  bool NameList(const Value& value, ListId* list);
  bool Nat(const Value& value, StringId* nat);

 private:
  enum class Sort : uint8_t { kNone, kString, kNat, kName, kLevel, kNames, kLevels, kExpr };
  struct Task {
    Offset object = 0;
    Sort sort = Sort::kNone;
  };

  bool Convert(const Value& value, Sort sort, uint32_t* id);
  /// Interns the object if its children are converted; otherwise sets waiting_ and adds tasks for
  /// them.
  bool Build(Sort sort, const Object& object, uint32_t* id);
  bool BuildName(const Object& object, uint32_t* id);
  bool BuildLevel(const Object& object, uint32_t* id);
  bool BuildList(Sort sort, const Object& object, uint32_t* id);
  bool BuildExpr(const Object& object, uint32_t* id);
  bool BuildLiteral(const Object& object, ExprNode* node);
  bool Child(const Object& object, uint32_t index, Sort sort, uint32_t* id);
  bool NewChild(const Value& value, Sort sort, uint32_t* id);
  bool SmallNat(const Object& object, uint32_t index, uint32_t* number);
  bool Boxed(uint64_t scalar, Sort sort, uint32_t* id);
  bool Text(Offset offset, Sort sort, uint32_t* id);
  bool Done(const Object& object, Sort sort, uint32_t id);
  uint32_t& Memo(Offset offset) { return memo_[offset >> word_shift_]; }
  bool Wrong(Sort sort, const Object& object);

  OleanImage& image_;
  Terms& terms_;
  ReadOptions options_;
  // Indexed by offset / word: in the high bits, the sort that an object was converted to; in the
  // low bits, its id + 1, or 0 while its conversion is under way.
  std::vector<uint32_t>& memo_;
  uint32_t word_shift_ = 0;
  std::vector<Task> tasks_;
  uint64_t extent_ = 0;
  bool waiting_ = false;
};

}  // namespace zermelo::kernel
