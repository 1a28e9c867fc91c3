// Untrusted files: each gives an error or a module, quickly, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "core/testing/sanitizers.h"
#include "kernel/olean/olean.h"
#include "kernel/testing/fuzz_input.h"
#include "kernel/testing/olean_writer.h"

// olean_fuzz.cc
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace zermelo::kernel {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using Word = OleanWriter::Word;

constexpr OleanFormat kFormats[] = {
    {true, 2, true}, {true, 3, false}, {false, 2, false}, {false, 3, true}};

std::string Small(OleanFormat format) {
  OleanWriter w(format);
  const Word u = w.LevelParam(w.Name("u"));
  const Word value = w.Lambda(w.Sort(u), w.App(w.Const("g", {u}), w.NatLiteral(w.BigNat({7, 8}))));
  const Word type = w.Forall(w.Sort(u), w.StringLiteral("ü"));
  const Word entry = w.Constructor(
      0, {w.Name("implementedByAttr"), w.Array({w.Constructor(0, {w.Name("f"), w.Name("g")})})});
  return w.Finish(w.Module(
      {"Init"}, {{"f", w.Definition("f", type, value)}, {"t", w.Theorem("t", type, value)}},
      {entry}));
}

// The error message, or an empty string.
std::string Read(std::string_view bytes) {
  OleanImage image;
  Terms terms;
  if (const auto opened = image.Open(std::vector<std::string_view>{bytes}); !opened) {
    return opened.error().message;
  }
  const auto index = ReadIndex(image, terms);
  const auto opened_again = image.Open(std::vector<std::string_view>{bytes});
  const auto module = ReadModule(image, terms);
  if (index && opened_again && module) {
    EXPECT_EQ(index->constants.size(), module->constants.size());
  }
  return module ? "" : module.error().message;
}

TEST(HostileOlean, TruncatedAnywhere) {
  for (const OleanFormat format : kFormats) {
    const std::string bytes = Small(format);
    ASSERT_EQ(Read(bytes), "");
    // The trailer of version 3 (closures and libraries) is not read.
    const size_t end = bytes.size() - (format.version == 3 ? 8 : 1);
    for (size_t size = 0; size < end; ++size) EXPECT_NE(Read(bytes.substr(0, size)), "") << size;
  }
}

TEST(HostileOlean, AnyByteChanged) {
  for (const OleanFormat format : kFormats) {
    const std::string bytes = Small(format);
    for (size_t at = 0; at < bytes.size(); at += core::testing::kSanitized ? 3 : 1) {
      for (const int flip : {0x01, 0x02, 0x04, 0x08, 0x80, 0xFF}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ flip);
        Read(changed);
      }
    }
  }
}

TEST(HostileOlean, RandomMutations) {
  std::mt19937 random(20260101);
  for (const OleanFormat format : kFormats) {
    const std::string bytes = Small(format);
    for (size_t round = core::testing::Rounds(25'000); round > 0; --round) {
      std::string changed = bytes;
      for (unsigned n = 1 + random() % 4; n > 0; --n) {
        const size_t at = random() % changed.size();
        // Small numbers, copies of other words and noise.
        switch (random() % 3) {
          case 0:
            changed[at] = static_cast<char>(random() % 16);
            break;
          case 1:
            changed.replace(at / 4 * 4, 4, bytes, random() % (bytes.size() / 4 - 1) * 4, 4);
            break;
          default:
            changed[at] = static_cast<char>(random());
        }
      }
      Read(changed);
    }
  }
}

TEST(HostileOlean, TheFuzzingCorpus) { EXPECT_GT(ForEachInCorpus(LLVMFuzzerTestOneInput), 100U); }

TEST(HostileOlean, ObjectThatContainsItself) {
  OleanWriter w({true, 2, true});
  const Word self = w.Next();
  w.Constructor(5, {self, self}, std::string(8, '\0'));
  EXPECT_THAT(Read(w.Finish(w.Module({}, {{"a", w.Axiom("a", self)}}))),
              HasSubstr("contains itself"));
}

TEST(HostileOlean, CycleOfNamesWithoutTheFullCheck) {
  OleanWriter w({true, 2, true});
  const Word part = w.String("a");
  const Word self = w.Next();
  w.Constructor(1, {self, part}, std::string(8, '\0'));
  const Word constant = w.Constructor(
      0, {w.Constructor(0, {w.Constructor(0, {self, w.Box(0), w.Const("p")})}, {"\0", 1})});
  const std::string bytes = w.Finish(w.Module({}, {{"a", constant}}));
  OleanImage image;
  Terms terms;
  ASSERT_TRUE(image.Open(std::vector<std::string_view>{bytes}));
  const auto index = ReadIndex(image, terms);
  ASSERT_FALSE(index);
  EXPECT_THAT(index.error().message, HasSubstr("contains itself"));
}

TEST(HostileOlean, AMillionNestedLambdas) {
  OleanWriter w({false, 2, false});
  const Word type = w.Const("p");
  const Word name = w.Name("x");
  Word value = w.BVar(0);
  for (int i = 0; i < 1'000'000; ++i) value = w.Expr(6, {name, type, value});
  EXPECT_EQ(Read(w.Finish(w.Module({}, {{"d", w.Definition("d", type, value)}}))), "");
}

TEST(HostileOlean, AMillionNestedNamesLevelsAndLists) {
  OleanWriter w({false, 2, false});
  const Word part = w.String("a");
  Word name = w.Box(0), level = w.Box(0), list = w.Box(0);
  for (int i = 0; i < 300'000; ++i) name = w.Constructor(1, {name, part}, std::string(8, '\0'));
  for (int i = 0; i < 1'000'000; ++i) level = w.LevelSucc(level);
  for (int i = 0; i < 300'000; ++i) list = w.Constructor(1, {level, list});
  const Word type = w.Expr(4, {name, list});
  EXPECT_EQ(Read(w.Finish(w.Module({}, {{"a", w.Axiom("a", type)}}))), "");
}

TEST(HostileOlean, ExponentialSharing) {
  OleanWriter w({true, 2, true});
  Word value = w.Const("p");
  for (int i = 0; i < 100'000; ++i) value = w.App(value, value);
  EXPECT_EQ(Read(w.Finish(w.Module({}, {{"d", w.Definition("d", value, value)}}))), "");
}

// 1,000 strings, each reaching to the end of the file.
TEST(HostileOlean, ObjectsThatOverlap) {
  OleanWriter w({true, 2, true});
  std::vector<Word> names;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += 'a';
  const std::string bytes = [&] {
    std::vector<Word> strings;
    for (int i = 0; i < 1'000; ++i) strings.push_back(w.String("a"));
    w.String(text);
    return w.Finish(w.Module({}, {}, {w.Constructor(0, {w.Name("x"), w.Array(strings)})}));
  }();
  std::string changed = bytes;
  const uint64_t size = 40'000;
  // Each of the short strings gets the size of a long one.
  for (size_t at = 96; at + 48 <= 96 + 1'000 * 40; at += 40) {
    if (static_cast<uint8_t>(changed[at + 7]) != 249) continue;
    for (int i = 0; i < 8; ++i)
      changed[at + 8 + static_cast<size_t>(i)] = static_cast<char>(size >> (8 * i));
  }
  EXPECT_NE(Read(changed), "");
}

TEST(HostileOlean, ArrayLongerThanTheFile) {
  OleanWriter w({true, 2, true});
  const Word array = w.Array({});
  std::string bytes = w.Finish(w.Constructor(0, {array, array, array, array, array}, {"\0", 1}));
  ASSERT_EQ(Read(bytes), "");
  for (const uint64_t count :
       {uint64_t{1}, uint64_t{1} << 32U, ~uint64_t{0}, ~uint64_t{0} / 8 + 2}) {
    for (int i = 0; i < 8; ++i)
      bytes[104 + static_cast<size_t>(i)] = static_cast<char>(count >> (8 * i));
    EXPECT_THAT(Read(bytes), AnyOf(HasSubstr("longer than"), HasSubstr("points to no object")));
  }
}

TEST(HostileOlean, TwoConstantsWithOneName) {
  OleanWriter w({true, 2, true});
  const Word a = w.Axiom("a", w.Const("p"));
  EXPECT_THAT(Read(w.Finish(w.Module({}, {{"a", a}, {"a", a}}))), HasSubstr("declared twice"));
}

TEST(HostileOlean, ConstantListedUnderAnotherName) {
  OleanWriter w({true, 2, true});
  const Word a = w.Axiom("False.elim", w.Const("p"));
  EXPECT_THAT(Read(w.Finish(w.Module({}, {{"propext", a}}))), HasSubstr("is listed as"));
}

TEST(HostileOlean, NegativeNumbers) {
  OleanWriter w({true, 2, false});
  const Word at = w.BigNat({5, 6});
  std::string bytes =
      w.Finish(w.Module({}, {{"d", w.Definition("d", w.Const("p"), w.NatLiteral(at))}}));
  ASSERT_EQ(Read(bytes), "");
  bytes[at - 0x10000 + 8] = 1;
  EXPECT_NE(Read(bytes), "");
}

TEST(HostileOlean, StringsThatAreNotUtf8OrLie) {
  OleanWriter w({true, 2, true});
  const Word at = w.String("name");
  const Word name = w.Constructor(1, {w.Box(0), at}, std::string(8, '\0'));
  const std::string bytes =
      w.Finish(w.Module({}, {{"d", w.Axiom("d", w.Expr(4, {name, w.Box(0)}))}}));
  ASSERT_EQ(Read(bytes), "");
  const size_t text = at - 0x10000 + 32;
  std::string broken = bytes;
  broken[text] = '\xff';
  EXPECT_THAT(Read(broken), HasSubstr("UTF-8"));
  broken = bytes;
  broken[text + 4] = 'x';
  EXPECT_THAT(Read(broken), HasSubstr("NUL"));
  broken = bytes;
  broken[text - 8] = 3;
  EXPECT_THAT(Read(broken), HasSubstr("length that it claims"));
}

TEST(HostileOlean, ReadableWithWordsOf32AndOf64Bits) {
  // The upper half of the base address is the root of a file with narrow words.
  const auto open = [](bool like_a_module) {
    OleanWriter w({true, 2, true}, 0x0001006000010000);
    const auto nothing = OleanWriter::Box(0);
    w.Constructor(0, std::vector<OleanWriter::Word>(like_a_module ? 4 : 1, nothing));
    const std::string bytes = w.Finish(w.Module({}, {}));
    OleanImage image;
    const auto opened = image.Open(std::vector<std::string_view>{bytes});
    return opened ? "" : opened.error().message;
  };
  EXPECT_THAT(open(true), HasSubstr("in two ways"));
  EXPECT_EQ(open(false), "");
}

TEST(HostileOlean, PartsThatOverlapInMemory) {
  OleanWriter a({true, 2, true}, 0x10000), b({true, 2, true}, 0x10000);
  const std::string one = a.Finish(a.Module({}, {})), two = b.Finish(b.Module({}, {}));
  OleanImage image;
  EXPECT_FALSE(image.Open({one, two, two}));
}

}  // namespace
}  // namespace zermelo::kernel
