#include "kernel/olean/olean.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/term/term.h"
#include "kernel/testing/olean_writer.h"

namespace zermelo::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Word = OleanWriter::Word;

const std::filesystem::path kData =
    std::filesystem::path(ZERMELO_SOURCE_DIR) / "src/kernel/testdata";

std::string FormatName(const ::testing::TestParamInfo<OleanFormat>& info) {
  return std::string(info.param.wide ? "Wide" : "Narrow") + "V" +
         std::to_string(info.param.version) + (info.param.gmp ? "Gmp" : "Native");
}

class EveryFormat : public ::testing::TestWithParam<OleanFormat> {};

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         ::testing::Values(OleanFormat{true, 2, true}, OleanFormat{true, 3, true},
                                           OleanFormat{true, 2, false}, OleanFormat{true, 3, false},
                                           OleanFormat{false, 2, true}, OleanFormat{false, 3, true},
                                           OleanFormat{false, 2, false},
                                           OleanFormat{false, 3, false}),
                         FormatName);

core::Result<Module> ReadBytes(std::string_view bytes, Terms& terms,
                               const ReadOptions& options = {}) {
  OleanImage image;
  if (auto opened = image.Open(std::vector<std::string_view>{bytes}); !opened) {
    return core::Fail(opened.error());
  }
  return ReadModule(image, terms, options);
}

// One constant of each kind that the writer makes, and one expression of each kind in `f`.
std::string Sample(OleanFormat format) {
  OleanWriter w(format);
  const Word u = w.LevelParam(w.Name("u"));
  const Word type = w.Forall(w.Sort(w.LevelSucc(u)), w.Const("Nat"), 1);
  const Word number = w.NatLiteral(w.BigNat({1, 2, 3}));
  const Word text = w.StringLiteral("ünï");
  Word value = w.App(w.App(w.Const("g", {u}), number), w.MData(text));
  value = w.Let(w.Const("Nat"), value, w.Proj("Pair", 1, w.BVar(0)));
  value = w.Lambda(w.Sort(w.LevelSucc(u)), value, 1);
  const Word f = w.Constant(1, "f", type, {value, OleanWriter::Box(1), w.List({w.Name("f")})},
                            {"\1", 1}, {"u"});
  return w.Finish(w.Module({"Init"}, {{"f", f},
                                      {"a.1.b", w.Axiom("a.1.b", type)},
                                      {"t", w.Theorem("t", w.Const("p"), w.Const("q"))},
                                      {"d", w.Definition("d", type, w.Const("q"), 2)}}));
}

TEST_P(EveryFormat, HoldsTheSameModule) {
  Terms terms;
  const std::string reference = Sample({true, 2, true});
  const auto expected = ReadBytes(reference, terms);
  ASSERT_TRUE(expected) << expected.error().message;
  const auto module = ReadBytes(Sample(GetParam()), terms);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->header.wide, GetParam().wide);
  EXPECT_EQ(module->header.version, GetParam().version);
  EXPECT_EQ(module->header.lean_version, "4.30.0");
  EXPECT_EQ(module->header.commit, "0123456789abcdef0123456789abcdef01234567");
  ASSERT_EQ(module->constants.size(), expected->constants.size());
  for (size_t i = 0; i < module->constants.size(); ++i) {
    EXPECT_EQ(module->constants[i].kind, expected->constants[i].kind);
    EXPECT_EQ(module->constants[i].name, expected->constants[i].name);
    EXPECT_EQ(module->constants[i].type, expected->constants[i].type);
    EXPECT_EQ(module->constants[i].value, expected->constants[i].value);
    EXPECT_EQ(module->constants[i].safety, expected->constants[i].safety);
    EXPECT_EQ(module->constants[i].level_params, expected->constants[i].level_params);
  }
}

TEST_P(EveryFormat, KeepsWhatExpressionsMean) {
  Terms terms;
  const auto module = ReadBytes(Sample(GetParam()), terms);
  ASSERT_TRUE(module) << module.error().message;
  const Constant& f = module->constants[0];
  EXPECT_EQ(f.kind, ConstantKind::kDefinition);
  const ExprNode& lambda = terms[*f.value];
  EXPECT_EQ(lambda.kind, ExprKind::kLambda);
  EXPECT_EQ(lambda.info, 1);
  const ExprNode& let = terms[ExprId{lambda.b}];
  EXPECT_EQ(let.kind, ExprKind::kLet);
  const ExprNode& proj = terms[ExprId{let.c}];
  EXPECT_EQ(proj.kind, ExprKind::kProj);
  EXPECT_EQ(terms.Print(NameId{proj.a}), "Pair");
  EXPECT_EQ(proj.b, 1U);
  const ExprNode& app = terms[ExprId{let.b}];
  // The mdata around the string is gone.
  EXPECT_EQ(terms.Text(StringId{terms[ExprId{app.b}].a}), "ünï");
  const ExprNode& number = terms[ExprId{terms[ExprId{app.a}].b}];
  EXPECT_EQ(terms.PrintNat(StringId{number.a}), "0x030000000200000001");
  EXPECT_EQ(terms.Print(module->constants[1].name), "a.1.b");
  EXPECT_EQ(module->constants[3].safety, Safety::kPartial);
  EXPECT_EQ(terms[f.type].loose_bound, 0U);
  EXPECT_EQ(terms[ExprId{let.c}].loose_bound, 1U);
}

TEST_P(EveryFormat, PartsShareOneAddressSpace) {
  OleanWriter first(GetParam(), 0x10000);
  const Word shared = first.Const("Nat");
  const std::string public_part = first.Finish(first.Module({}, {{"a", first.Axiom("a", shared)}}));
  OleanWriter server(GetParam(), 0x20000);
  const std::string server_part = server.Finish(server.Module({}, {}));
  OleanWriter second(GetParam(), 0x30000);
  const std::string private_part =
      second.Finish(second.Module({}, {{"a", second.Theorem("a", shared, shared)}}));
  OleanImage image;
  Terms terms;
  ASSERT_TRUE(image.Open({public_part, server_part, private_part}));
  const auto module = ReadModule(image, terms);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_TRUE(module->has_private);
  ASSERT_EQ(module->constants.size(), 1U);
  EXPECT_EQ(module->constants[0].kind, ConstantKind::kTheorem);
  EXPECT_EQ(terms.Print(NameId{terms[module->constants[0].type].a}), "Nat");
}

TEST(Olean, PrivateNamesOfTwoModulesCanBeMadeEqual) {
  OleanWriter a({true, 2, true}), b({true, 2, true});
  const auto bytes = [](OleanWriter& w, const std::string& name) {
    return w.Finish(w.Module({}, {{name, w.Axiom(name, w.Const(name))}}));
  };
  Terms terms;
  const auto one = ReadBytes(bytes(a, "_private.A.0.f"), terms);
  const auto two = ReadBytes(bytes(b, "_private.B.0.f"), terms,
                             {terms.ParseName("_private.B.0"), terms.ParseName("_private.A.0")});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->constants[0].name, two->constants[0].name);
  EXPECT_EQ(one->constants[0].type, two->constants[0].type);
}

const Constant* Find(const Terms& terms, const Module& module, std::string_view name) {
  for (const Constant& constant : module.constants) {
    if (terms.Print(constant.name) == name) return &constant;
  }
  return nullptr;
}

TEST(Olean, ReadsWhatLeanWrote) {
  Terms terms;
  OleanImage image;
  ASSERT_TRUE(image.Open(kData / "kinds.olean"));
  const auto module = ReadModule(image, terms);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->header.lean_version, "4.28.0-pre");
  EXPECT_FALSE(module->header.wide);
  EXPECT_TRUE(module->has_private);
  ASSERT_EQ(module->imports.size(), 1U);
  EXPECT_EQ(terms.Print(module->imports[0].module), "Init");
  EXPECT_TRUE(module->imports[0].is_exported);

  const auto kind = [&](const char* name) {
    const Constant* constant = Find(terms, *module, name);
    return constant == nullptr ? "none" : Name(constant->kind);
  };
  EXPECT_STREQ(kind("anAxiom"), "axiom");
  EXPECT_STREQ(kind("double"), "definition");
  EXPECT_STREQ(kind("big"), "theorem");
  EXPECT_STREQ(kind("secret"), "opaque constant");
  EXPECT_STREQ(kind("Tree"), "inductive type");
  EXPECT_STREQ(kind("Tree.node"), "constructor");
  EXPECT_STREQ(kind("Tree.rec"), "recursor");
  EXPECT_STREQ(kind("loop"), "opaque constant");

  const Constant* tree = Find(terms, *module, "Tree");
  EXPECT_EQ(terms.PrintNat(tree->counts[0]), "1");
  EXPECT_EQ(terms.PrintNat(tree->counts[1]), "1");
  EXPECT_TRUE(tree->flags[0]);
  EXPECT_EQ(terms.Length(tree->constructors), 2U);
  EXPECT_EQ(terms.Length(tree->level_params), 1U);
  const Constant* node = Find(terms, *module, "Tree.node");
  EXPECT_EQ(terms.Print(node->inductive), "Tree");
  EXPECT_EQ(terms.PrintNat(node->counts[2]), "4");
  const Constant* recursor = Find(terms, *module, "Tree.rec");
  EXPECT_EQ(recursor->rules.size(), 2U);
  EXPECT_EQ(terms.PrintNat(recursor->rules[1].fields), "4");
  EXPECT_EQ(Find(terms, *module, "danger")->safety, Safety::kUnsafe);
  EXPECT_EQ(Find(terms, *module, "double")->safety, Safety::kSafe);

  const auto& attributes = module->code_attributes;
  const auto subject = [&](CodeAttribute::Kind wanted) {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const CodeAttribute& a) { return a.kind == wanted; });
    return found == attributes.end() ? "none" : terms.Print(found->names[0]);
  };
  EXPECT_EQ(subject(CodeAttribute::Kind::kImplementedBy), "safe");
  EXPECT_EQ(subject(CodeAttribute::Kind::kExtern), "foreign");

  const auto range = std::find_if(module->ranges.begin(), module->ranges.end(),
                                  [&](const auto& r) { return terms.Print(r.name) == "big"; });
  ASSERT_NE(range, module->ranges.end());
  EXPECT_EQ(range->first_line, 5U);
}

TEST(Olean, PublicPartHasTheoremsAsAxioms) {
  const auto copy = std::filesystem::path(::testing::TempDir()) / "public_only.olean";
  std::filesystem::copy_file(kData / "kinds.olean", copy,
                             std::filesystem::copy_options::overwrite_existing);
  Terms terms;
  OleanImage image;
  ASSERT_TRUE(image.Open(copy));
  const auto module = ReadModule(image, terms);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_TRUE(module->is_module);
  EXPECT_FALSE(module->has_private);
}

TEST(Olean, ReportsWhatIsWrongWithAFile) {
  OleanImage image;
  EXPECT_THAT(image.Open(kData / "nothing.olean").error().message, HasSubstr("nothing.olean"));
  EXPECT_THAT(image.Open(kData).error().message, HasSubstr("regular file"));
  EXPECT_THAT(image.Open(kData / "kinds.lean").error().message, HasSubstr("is not an .olean file"));
  EXPECT_THAT(image.Open(kData / "kinds.olean", {1000}).error().message, HasSubstr("larger than"));
}

TEST(Terms, NamesArePrintedSoThatTheyCannotSpoof) {
  Terms terms;
  EXPECT_EQ(terms.Print(terms.ParseName("Nat.succ")), "Nat.succ");
  EXPECT_EQ(terms.Print(terms.ParseName("«a b».c")), "«a b».c");
  EXPECT_EQ(terms.Print(terms.Name(NameId::kAnonymous, "x\nAxioms: none")),
            "«x\\u{a}Axioms: none»");
  EXPECT_EQ(terms.Print(terms.Name(NameId::kAnonymous, "a\u202Eb")), "«a\\u{202e}b»");
  EXPECT_EQ(terms.Print(terms.ParseName("_private.A.B.0.f.g")), "f.g");
  EXPECT_EQ(terms.PrintFull(terms.ParseName("_private.A.B.0.f")), "_private.A.B.0.f");
}

TEST(Terms, EqualTermsHaveEqualIds) {
  Terms terms;
  const auto build = [&] {
    const ExprId nat = terms.Expr({.kind = ExprKind::kConst, .a = Index(terms.ParseName("Nat"))});
    return terms.Expr({.kind = ExprKind::kForall, .a = Index(nat), .b = Index(nat)});
  };
  EXPECT_EQ(build(), build());
  EXPECT_NE(terms.ParseName("a.b"), terms.ParseName("«a.b»"));
  EXPECT_NE(terms.ParseName("a.1"), terms.ParseName("a.«1»"));
}

TEST(Terms, ALevelIsZeroWhateverItsParametersAre) {
  Terms terms;
  const LevelId u = terms.Level({LevelKind::kParam, Index(terms.ParseName("u"))});
  const LevelId one = terms.Level({LevelKind::kSucc, Index(LevelId::kZero)});
  EXPECT_TRUE(terms.IsZero(LevelId::kZero));
  EXPECT_TRUE(terms.IsZero(terms.Level({LevelKind::kIMax, Index(u), 0})));
  EXPECT_FALSE(terms.IsZero(terms.Level({LevelKind::kMax, Index(u), 0})));
  EXPECT_FALSE(terms.IsZero(one));
}

}  // namespace
}  // namespace zermelo::kernel
