#include "serve/lsp/documents.h"

#include <gtest/gtest.h>
#include <random>

#include "serve/http/json_fields.h"

namespace zermelo::serve::lsp {
namespace {

using nlohmann::json;

constexpr const char* kUri = "file:///a.lean";

json At(size_t line, size_t character) { return {{"line", line}, {"character", character}}; }
json Opened(const std::string& text, int version = 1) {
  return {{"textDocument", {{"uri", kUri}, {"version", version}, {"text", text}}}};
}
json WithChanges(json changes, int version = 2) {
  return {{"textDocument", {{"uri", kUri}, {"version", version}}},
          {"contentChanges", std::move(changes)}};
}
/// (g++ and clang disagree on what one json in braces is, so the list is not a json.)
json Changed(std::initializer_list<json> changes, int version = 2) {
  return WithChanges(json::array_t(changes), version);
}
json Replace(json start, json end, const std::string& text) {
  return {{"range", {{"start", std::move(start)}, {"end", std::move(end)}}}, {"text", text}};
}

class DocumentsTest : public ::testing::Test {
 protected:
  void Open(const std::string& text) { documents.Open(Opened(text)); }
  std::string Text() const { return documents.Find(kUri)->text; }
  Documents documents;
};

TEST_F(DocumentsTest, ChangesApplyInOrderEachToTheResultOfTheOneBefore) {
  Open("one\ntwo\n");
  documents.Change(
      Changed({Replace(At(0, 0), At(0, 3), "1\n1.5"), Replace(At(1, 0), At(1, 1), "2")}));
  EXPECT_EQ(Text(), "1\n2.5\ntwo\n");
  EXPECT_EQ(documents.Find(kUri)->version, 2);
}

TEST_F(DocumentsTest, ColumnsCountUtf16UnitsByDefault) {
  Open("∀ 𝔸 x\n");  // 3, 1, 4, 1, 1 bytes
  documents.Change(Changed({Replace(At(0, 5), At(0, 6), "y")}));
  EXPECT_EQ(Text(), "∀ 𝔸 y\n");
}

TEST_F(DocumentsTest, ColumnsCountBytesWithUtf8) {
  documents.Use(Encoding::kUtf8);
  Open("∀ 𝔸 x\n");
  documents.Change(Changed({Replace(At(0, 9), At(0, 10), "y")}));
  EXPECT_EQ(Text(), "∀ 𝔸 y\n");
  documents.Change(Changed({Replace(At(0, 1), At(0, 4), "z")}));
  EXPECT_EQ(Text(), "z𝔸 y\n") << "an offset inside a character is its beginning";
}

TEST_F(DocumentsTest, PositionsPastTheEndAreClamped) {
  Open("a\r\nb");
  documents.Change(Changed({Replace(At(0, 99), At(0, 99), "!"), Replace(At(9, 9), At(9, 9), "?")}));
  EXPECT_EQ(Text(), "a!\r\nb?");
  documents.Use(Encoding::kUtf8);
  documents.Change(Changed({Replace(At(0, 99), At(7, 0), "")}));
  EXPECT_EQ(Text(), "a!");
}

TEST_F(DocumentsTest, AWholeTextReplacesEverything) {
  Open("old");
  documents.Change(Changed({{{"text", "new"}}, Replace(At(0, 0), At(0, 1), "N")}));
  EXPECT_EQ(Text(), "New");
}

TEST_F(DocumentsTest, ADocumentWithAWrongChangeIsLostUntilItsWholeTextComes) {
  const json bad[] = {Changed({Replace(At(0, 2), At(0, 1), "")}),
                      Changed({{{"range", 1}, {"text", ""}}}),
                      Changed({Replace({{"line", -1}, {"character", 0}}, At(0, 1), "")}),
                      Changed({Replace({{"line", 0}}, At(0, 1), "")}),
                      WithChanges("x"),
                      Changed({1}),
                      Changed({{{"text", 7}}}),
                      {{"textDocument", {{"uri", kUri}}}, {"contentChanges", json::array()}}};
  for (const json& change : bad) {
    Open("abc");
    EXPECT_THROW(documents.Change(change), BadRequest) << change;
    EXPECT_EQ(documents.Find(kUri), nullptr) << change;
    EXPECT_TRUE(documents.IsLost(kUri));
    documents.Change(Changed({Replace(At(0, 0), At(0, 1), "x")}, 3));
    EXPECT_EQ(documents.Find(kUri), nullptr) << "a part does not bring it back";
    documents.Change(Changed({{{"text", "whole"}}}, 4));
    EXPECT_EQ(Text(), "whole");
  }
}

TEST_F(DocumentsTest, AMessageThatCannotBeReadLosesEveryDocument) {
  Open("abc");
  documents.LoseAll();
  EXPECT_EQ(documents.Find(kUri), nullptr);
  Open("abc");
  EXPECT_EQ(Text(), "abc");
}

TEST_F(DocumentsTest, AChangeOfAClosedDocumentIsRefused) {
  Open("abc");
  documents.Close({{"textDocument", {{"uri", kUri}}}});
  EXPECT_EQ(documents.Find(kUri), nullptr);
  EXPECT_FALSE(documents.IsLost(kUri));
  EXPECT_THROW(documents.Change(Changed({{{"text", "x"}}})), BadRequest);
}

TEST_F(DocumentsTest, RandomChangesGiveTheTextThatPlainReplacementGives) {
  std::mt19937 random(5);
  const std::string pieces[] = {"a", "∀", "𝔸", "\n", "\r\n", "sorry", ""};
  std::string text = "theorem ∀\n𝔸 := by\r\n  sorry\n";
  for (const Encoding encoding : {Encoding::kUtf16, Encoding::kUtf8}) {
    documents.Use(encoding);
    Open(text);
    for (int round = 0; round < 500; ++round) {
      size_t begin = core::CharacterBegin(text, random() % (text.size() + 1));
      size_t end = core::CharacterBegin(text, random() % (text.size() + 1));
      if (begin > end) std::swap(begin, end);
      const core::LineIndex lines(text);
      const json range = RangeJson(lines, begin, end, encoding);
      begin = OffsetIn(lines, range.at("start"), encoding);  // differs inside "\r\n"
      end = OffsetIn(lines, range.at("end"), encoding);
      const std::string piece = pieces[random() % std::size(pieces)];
      documents.Change(Changed({Replace(range.at("start"), range.at("end"), piece)}));
      text.replace(begin, end - begin, piece);
      ASSERT_EQ(Text(), text) << "round " << round;
    }
  }
}

TEST(PathOf, DecodesFileUris) {
  EXPECT_EQ(PathOf("file:///home/u/My%20Project/%CE%B1.lean"), "/home/u/My Project/α.lean");
  EXPECT_EQ(PathOf("file://localhost/a.lean"), "/a.lean");
  EXPECT_EQ(PathOf("file:///100%"), "/100%");
  EXPECT_EQ(PathOf("file:///a%zz%4"), "/a%zz%4");
  EXPECT_EQ(PathOf("untitled:Untitled-1"), "");
  EXPECT_EQ(PathOf("file://host"), "");
}

}  // namespace
}  // namespace zermelo::serve::lsp
