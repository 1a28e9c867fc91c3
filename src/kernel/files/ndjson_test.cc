#include "kernel/files/ndjson.h"

#include <gtest/gtest.h>

#include "kernel/files/json.h"

namespace zermelo::kernel {
namespace {

// inductive Nat : Type | zero | succ (n : Nat), without its recursor's terms.
constexpr std::string_view kNames =
    R"({"meta":{"exporter":{"name":"lean4export","version":"3.1.0"},"lean":{"githash":"00","version":"4.29.0"},"format":{"version":"3.1.0"}}}
{"in":1,"str":{"pre":0,"str":"Nat"}}
{"in":2,"str":{"pre":1,"str":"zero"}}
{"in":3,"str":{"pre":1,"str":"succ"}}
{"in":4,"str":{"pre":1,"str":"rec"}}
{"in":5,"str":{"pre":0,"str":"u"}}
{"in":6,"str":{"pre":0,"str":"two"}}
{"il":1,"succ":0}
{"il":2,"param":5}
{"ie":0,"sort":1}
{"ie":1,"const":{"name":1,"us":[]}}
{"ie":2,"const":{"name":2,"us":[]}}
{"ie":3,"const":{"name":3,"us":[]}}
{"ie":4,"forallE":{"name":0,"type":1,"body":1,"binderInfo":"default"}}
)";

class NdjsonTest : public ::testing::Test {
 protected:
  NdjsonTest() : environment_(terms_) {}
  CheckReport Read(const std::string& text) {
    return ReadNdjson(std::string(kNames) + text, &environment_, &meta_);
  }
  void Refuses(Decision outcome, const std::string& text, const std::string& reason) {
    Terms terms;
    Environment environment(terms);
    const CheckReport verdict = ReadNdjson(std::string(kNames) + text, &environment);
    EXPECT_EQ(verdict.outcome, outcome) << text;
    EXPECT_NE(verdict.reason.find(reason), std::string::npos) << verdict.reason;
  }

  Terms terms_;
  Environment environment_;
  NdjsonMeta meta_;
};

TEST_F(NdjsonTest, ReadsEveryKindOfDeclaration) {
  const CheckReport verdict = Read(
      R"({"axiom":{"name":1,"levelParams":[],"type":0,"isUnsafe":false}}
{"def":{"name":2,"levelParams":[5],"type":1,"value":2,"hints":{"regular":7},"safety":"safe","all":[2]}}
{"thm":{"name":3,"levelParams":[],"type":1,"value":2,"all":[3]}}
{"opaque":{"name":4,"levelParams":[],"type":1,"value":2,"isUnsafe":true,"all":[4]}}
{"quot":{"name":5,"levelParams":[],"type":0,"kind":"lift"}}
)");
  ASSERT_EQ(verdict.outcome, Decision::kAccepted) << verdict.reason;
  const auto& all = environment_.declarations();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_NE(all[0].As<Axiom>(), nullptr);
  EXPECT_EQ(all[1].As<Definition>()->hints.height, 7U);
  EXPECT_EQ(all[1].level_params, std::vector<NameId>{terms_.ParseName("u")});
  EXPECT_NE(all[2].As<Theorem>(), nullptr);
  EXPECT_TRUE(all[3].IsUnsafe());
  EXPECT_EQ(all[4].As<Quotient>()->kind, Quotient::Kind::kLift);
  EXPECT_EQ(meta_.format_version, "3.1.0");
  EXPECT_EQ(meta_.lean_version, "4.29.0");
}

constexpr std::string_view kTypes =
    R"([{"name":1,"levelParams":[],"type":0,"numParams":0,"numIndices":0,"all":[1],"ctors":[2,3],"numNested":0,"isRec":true,"isUnsafe":false,"isReflexive":false}])";
constexpr std::string_view kConstructors =
    R"([{"name":2,"levelParams":[],"type":1,"induct":1,"cidx":0,"numParams":0,"numFields":0,"isUnsafe":false},{"name":3,"levelParams":[],"type":4,"induct":1,"cidx":1,"numParams":0,"numFields":1,"isUnsafe":false}])";
constexpr std::string_view kRecursors =
    R"([{"name":4,"levelParams":[5],"type":0,"all":[1],"numParams":0,"numIndices":0,"numMotives":1,"numMinors":2,"rules":[{"ctor":2,"nfields":0,"rhs":2}],"k":false,"isUnsafe":false}])";

std::string InductiveLine(const char* types, const char* constructors, const char* recursors) {
  return std::string("{\"inductive\":{\"") + types + "\":" + std::string(kTypes) + ",\"" +
         constructors + "\":" + std::string(kConstructors) + ",\"" + recursors +
         "\":" + std::string(kRecursors) + "}}\n";
}

TEST_F(NdjsonTest, ReadsInductiveTypesOfBothFormats) {
  const std::string lines[] = {InductiveLine("types", "ctors", "recs"),
                               InductiveLine("inductiveVals", "constructorVals", "recursorVals")};
  for (const std::string& line : lines) {
    Terms terms;
    Environment environment(terms);
    const CheckReport verdict = ReadNdjson(std::string(kNames) + line, &environment);
    ASSERT_EQ(verdict.outcome, Decision::kAccepted) << verdict.reason;
    ASSERT_EQ(environment.declarations().size(), 4U);
    const auto* recursor = environment.declarations()[3].As<Recursor>();
    EXPECT_EQ(recursor->minors, 2U);
    EXPECT_EQ(recursor->rules[0].constructor, terms.ParseName("Nat.zero"));
    EXPECT_TRUE(environment.declarations()[0].As<Inductive>()->is_recursive);
    EXPECT_EQ(environment.declarations()[2].As<Constructor>()->fields, 1U);
  }
}

TEST_F(NdjsonTest, CountsThatNoFileCanHoldAreRefused) {
  for (const std::string count : {"numParams", "numIndices", "numMotives", "numMinors", "nfields",
                                  "numFields", "cidx", "numNested"}) {
    std::string line = InductiveLine("types", "ctors", "recs");
    const size_t at = line.find("\"" + count + "\":") + count.size() + 3;
    line.replace(at, 1, "18446744073709551608");  // sums would wrap
    Terms terms;
    Environment environment(terms);
    const CheckReport verdict = ReadNdjson(std::string(kNames) + line, &environment);
    EXPECT_EQ(verdict.outcome, Decision::kRejected) << count;
    EXPECT_THAT(verdict.reason, ::testing::HasSubstr("out of range")) << count;
  }
}

TEST_F(NdjsonTest, ReadsDefinitionsOfFormat30) {
  const CheckReport verdict = Read(
      R"({"def":[{"name":2,"levelParams":[],"type":1,"value":2,"hints":"abbrev","safety":"safe","all":[2]},{"name":3,"levelParams":[],"type":1,"value":2,"hints":"opaque","safety":"partial","all":[3]}]})");
  ASSERT_EQ(verdict.outcome, Decision::kAccepted) << verdict.reason;
  EXPECT_EQ(environment_.declarations()[0].As<Definition>()->hints.kind,
            Hints::Kind::kAbbreviation);
  EXPECT_TRUE(environment_.declarations()[1].IsUnsafe());
}

TEST_F(NdjsonTest, ReadsEveryKindOfTerm) {
  const CheckReport verdict = Read(
      R"({"ie":10,"natVal":"340282366920938463463374607431768211456"}
{"ie":11,"strVal":"a\"\u00e9\ud83d\ude00\n"}
{"ie":12,"bvar":3}
{"ie":13,"app":{"fn":3,"arg":2}}
{"ie":14,"lam":{"name":0,"type":1,"body":12,"binderInfo":"implicit"}}
{"ie":15,"letE":{"name":0,"type":1,"value":2,"body":12,"nondep":false}}
{"ie":16,"proj":{"typeName":1,"idx":2,"struct":13}}
{"ie":17,"mdata":{"expr":13,"data":{"any":["thing",1.5e3,null]}}}
{"axiom":{"name":1,"levelParams":[],"type":10,"isUnsafe":false}}
{"axiom":{"name":2,"levelParams":[],"type":11,"isUnsafe":false}}
{"axiom":{"name":3,"levelParams":[],"type":14,"isUnsafe":false}}
{"axiom":{"name":4,"levelParams":[],"type":16,"isUnsafe":false}}
{"axiom":{"name":5,"levelParams":[],"type":17,"isUnsafe":false}}
)");
  ASSERT_EQ(verdict.outcome, Decision::kAccepted) << verdict.reason;
  const auto type = [&](size_t i) { return terms_[environment_.declarations()[i].type]; };
  EXPECT_EQ(terms_.Text(StringId{type(0).a}), std::string(16, '\0') + '\1');
  EXPECT_EQ(terms_.Text(StringId{type(1).a}), "a\"é😀\n");
  EXPECT_EQ(type(2).kind, ExprKind::kLambda);
  EXPECT_EQ(type(2).info, 1);
  EXPECT_EQ(type(3).b, 2U);
  EXPECT_EQ(type(4).kind, ExprKind::kApp);  // metadata are dropped
}

// Sources: lean-kernel-arena, sparse-name-index and level-index-out-of-order.
TEST_F(NdjsonTest, IndicesMayBeSparseAndOutOfOrder) {
  const CheckReport verdict = Read(
      R"({"in":4000000000000,"str":{"pre":0,"str":"far"}}
{"in":70,"str":{"pre":4000000000000,"str":"near"}}
{"in":30,"str":{"pre":70,"str":"down"}}
{"il":9,"succ":2}
{"il":5,"max":[9,2]}
{"ie":20,"sort":5}
{"axiom":{"name":30,"levelParams":[5],"type":20,"isUnsafe":false}}
)");
  ASSERT_EQ(verdict.outcome, Decision::kAccepted) << verdict.reason;
  EXPECT_EQ(terms_.Print(environment_.declarations()[0].name), "far.near.down");
}

TEST_F(NdjsonTest, RefusesWhatIsNoExport) {
  Refuses(Decision::kRejected, "{\"ie\":1,", "not JSON");
  Refuses(Decision::kRejected, "[]", "a JSON object");
  Refuses(Decision::kRejected, "{}", "unknown kind of line");
  Refuses(Decision::kRejected, R"({"ie":7,"bvar":-1})", "out of range");
  Refuses(Decision::kRejected, R"({"ie":7,"bvar":4294967296})", "no binder");
  Refuses(Decision::kRejected, R"({"ie":7,"app":{"fn":6,"arg":1}})", "used before it is defined");
  Refuses(Decision::kRejected, R"({"ie":7,"app":{"fn":7,"arg":1}})", "used before it is defined");
  Refuses(Decision::kRejected, R"({"ie":1,"bvar":0})", "given twice");
  Refuses(Decision::kRejected, R"({"in":0,"str":{"pre":1,"str":"x"}})", "given twice");
  Refuses(Decision::kRejected, R"({"il":0,"succ":1})", "given twice");
  Refuses(Decision::kRejected, R"({"il":4,"max":[0]})", "exactly two levels");
  Refuses(Decision::kRejected, R"({"ie":7,"natVal":"-1"})", "expected a natural number");
  Refuses(Decision::kRejected, R"({"ie":7,"natVal":"0x1"})", "expected a natural number");
  Refuses(Decision::kRejected, R"({"ie":7,"const":{"name":1}})", "a field is missing");
  Refuses(Decision::kRejected,
          R"({"ie":7,"lam":{"name":0,"type":1,"body":1,"binderInfo":"strange"}})", "unknown kind");
  Refuses(Decision::kRejected, R"({"ie":7,"proj":{"typeName":1,"idx":4294967296,"struct":1}})",
          "does not exist");  // lean4#14632
  Refuses(Decision::kDeclined, R"({"ie":7,"natVal":")" + std::string(1'000'001, '9') + "\"}",
          "100,000 digits");
  Refuses(Decision::kDeclined, R"({"meta":{"format":{"version":"4.0.0"}}})", "format 4.0.0");
}

TEST_F(NdjsonTest, RefusesANameThatIsDeclaredTwice) {
  const std::string line = R"({"axiom":{"name":1,"levelParams":[],"type":0,"isUnsafe":false}})";
  Refuses(Decision::kRejected, line + "\n" + line, "line 16: Nat is declared twice");
  Refuses(Decision::kRejected, R"({"axiom":{"name":0,"levelParams":[],"type":0,"isUnsafe":false}})",
          "no name");
}

// --- lines of JSON --------------------------------------------------------------------------

TEST(JsonLineTest, ReadsNestedValues) {
  JsonLine json;
  ASSERT_TRUE(json.Parse(R"( {"a": [1, {"b": "x\ty"}, [], true], "c": null} )"));
  const auto* array = json.Member(json.root(), "a");
  ASSERT_NE(array, nullptr);
  EXPECT_EQ(array->count, 4U);
  const auto& second = json[json[array->first].next];
  EXPECT_EQ(json.Member(second, "b")->text, "x\ty");
  EXPECT_EQ(json.Member(json.root(), "c")->kind, JsonLine::Kind::kNull);
}

TEST(JsonLineTest, IsStrict) {
  JsonLine json;
  for (const char* text : {"",
                           "{",
                           "[1,]",
                           "{\"a\":1,}",
                           "{\"a\" 1}",
                           "{a:1}",
                           "[1 2]",
                           "01",
                           "1.",
                           "+1",
                           "1e",
                           "nul",
                           "\"\\x\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\u12\"",
                           "\"\t\"",
                           "\"",
                           "\"\xff\"",
                           "1 2",
                           "{\"a\":1,\"a\":2}",
                           "{\"a\":1}}",
                           "-"}) {
    EXPECT_FALSE(json.Parse(text)) << text;
  }
}

TEST(JsonLineTest, DeepNestingIsRefused) {
  JsonLine json;
  EXPECT_TRUE(json.Parse(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(json.Parse(std::string(65, '[') + std::string(65, ']')));
  EXPECT_FALSE(json.Parse(std::string(10'000'000, '[')));
}

}  // namespace
}  // namespace zermelo::kernel
