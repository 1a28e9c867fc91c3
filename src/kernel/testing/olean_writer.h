// Writes .olean files for tests: the same content in every format, well-formed or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::kernel {

struct OleanFormat {
  bool wide = true;
  int version = 2;
  bool gmp = true;
};

/// Objects of one file, in the order of the calls; a Word is a boxed number or a pointer.
class OleanWriter {
 public:
  using Word = uint64_t;
  explicit OleanWriter(OleanFormat format, uint64_t base = 0x10000);

  static Word Box(uint64_t number) { return number << 1U | 1U; }
  Word Constructor(uint8_t tag, const std::vector<Word>& fields, std::string_view scalars = {});
  Word Array(const std::vector<Word>& elements);
  Word String(std::string_view text);
  /// Boxed below 2^31, as 32-bit Lean does; else a big number.
  Word Nat(uint64_t number);
  Word BigNat(std::vector<uint32_t> limbs);
  Word List(const std::vector<Word>& elements);

  Word Name(std::string_view dotted);  // all-digit components are numeric
  Word LevelSucc(Word level) { return Constructor(1, {level}, std::string(8, '\x5a')); }
  Word LevelMax(Word a, Word b) { return Constructor(2, {a, b}, std::string(8, '\x5a')); }
  Word LevelIMax(Word a, Word b) { return Constructor(3, {a, b}, std::string(8, '\x5a')); }
  Word LevelParam(Word name) { return Constructor(4, {name}, std::string(8, '\x5a')); }
  Word BVar(uint64_t index) { return Expr(0, {Box(index)}); }
  Word Sort(Word level) { return Expr(3, {level}); }
  Word Const(std::string_view name, const std::vector<Word>& levels = {}) {
    return Expr(4, {Name(name), List(levels)});
  }
  Word App(Word function, Word argument) { return Expr(5, {function, argument}); }
  Word Lambda(Word type, Word body, char info = 0) {
    return Expr(6, {Name("x"), type, body}, info);
  }
  Word Forall(Word type, Word body, char info = 0) {
    return Expr(7, {Name("y"), type, body}, info);
  }
  Word Let(Word type, Word value, Word body) { return Expr(8, {Name("z"), type, value, body}, 1); }
  Word NatLiteral(Word nat) { return Expr(9, {Constructor(0, {nat})}); }
  Word StringLiteral(std::string_view text) { return Expr(9, {Constructor(1, {String(text)})}); }
  Word MData(Word expr) { return Expr(10, {Box(0), expr}); }
  Word Proj(std::string_view name, uint64_t field, Word expr) {
    return Expr(11, {Name(name), Box(field), expr});
  }
  /// Cached fields are filled with garbage, which readers must not trust.
  Word Expr(uint8_t tag, const std::vector<Word>& fields, char info = 0);

  /// ConstantInfo of its kind's tag: the ConstantVal, then `fields` and `scalars`.
  Word Constant(uint8_t kind, std::string_view name, Word type, const std::vector<Word>& fields,
                std::string_view scalars, const std::vector<std::string>& level_params = {});
  Word Axiom(std::string_view name, Word type) { return Constant(0, name, type, {}, {"\0", 1}); }
  Word Definition(std::string_view name, Word type, Word value, char safety = 1);
  Word Theorem(std::string_view name, Word type, Word value);

  struct Declared {
    std::string name;
    Word constant;
  };
  /// ModuleData that imports `imports`. `is_module`: one part of several.
  Word Module(const std::vector<std::string>& imports, const std::vector<Declared>& constants,
              const std::vector<Word>& entries = {}, bool is_module = false);

  std::string Finish(Word root);
  /// Address of the next object.
  Word Next() const;

 private:
  Word Begin(uint8_t tag, uint8_t other, uint16_t size);
  void Put(uint64_t value, int bytes);
  void Align();
  int word() const { return format_.wide ? 8 : 4; }

  OleanFormat format_;
  uint64_t base_;
  std::string bytes_;
};

}  // namespace zermelo::kernel
