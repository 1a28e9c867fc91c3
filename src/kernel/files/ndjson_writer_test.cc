#include "kernel/files/ndjson_writer.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/files/ndjson.h"
#include "kernel/olean/declarations.h"

namespace zermelo::kernel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kKinds =
    std::filesystem::path(ZERMELO_SOURCE_DIR) / "src/kernel/testdata/kinds.olean";

class NdjsonWriter : public ::testing::Test {
 protected:
  NdjsonWriter() {
    OleanImage image;
    EXPECT_TRUE(image.Open(kKinds));
    const auto module = ReadModule(image, terms_);
    EXPECT_TRUE(module);
    for (const Constant& constant : module->constants)
      environment_.Add(*ToDeclaration(constant, terms_));
  }

  std::string Export(const std::vector<NameId>& roots) {
    std::string text;
    summary_ = WriteNdjson(environment_, roots, {"4.28.0", "abc"},
                           [&](std::string_view line) { text += line; });
    return text;
  }

  // The module begins with `module`, so its names are private.
  NameId Named(const char* printed) const {
    for (const Declaration& declaration : environment_.declarations()) {
      if (terms_.Print(declaration.name) == printed) return declaration.name;
    }
    return NameId::kAnonymous;
  }

  std::vector<NameId> All() const {
    std::vector<NameId> names;
    for (const Declaration& declaration : environment_.declarations()) {
      if (!declaration.IsUnsafe()) names.push_back(declaration.name);
    }
    return names;
  }

  Terms terms_;
  Environment environment_{terms_};
  NdjsonSummary summary_;
};

TEST_F(NdjsonWriter, WhatIsWrittenIsReadBackTheSame) {
  const std::string text = Export(All());
  Environment again(terms_);
  NdjsonMeta meta;
  const CheckReport verdict = ReadNdjson(text, &again, &meta);
  ASSERT_EQ(verdict.outcome, Decision::kAccepted) << verdict.reason;
  EXPECT_EQ(meta.exporter, "zermelo");
  EXPECT_EQ(meta.lean_version, "4.28.0");
  EXPECT_EQ(meta.format_version, "3.1.0");
  ASSERT_EQ(again.declarations().size(), All().size());
  for (const Declaration& declaration : again.declarations()) {
    const Declaration* original = environment_.Find(declaration.name);
    ASSERT_NE(original, nullptr);
    EXPECT_TRUE(SameDeclaration(*original, declaration)) << terms_.Print(declaration.name);
    if (original->Value() != nullptr) {
      EXPECT_EQ(*original->Value(), *declaration.Value());
    }
  }
}

TEST_F(NdjsonWriter, OnlyWhatATheoremRestsOnIsWritten) {
  const std::string text = Export({Named("big")});
  EXPECT_THAT(text, HasSubstr("\"double\""));
  EXPECT_THAT(text, HasSubstr("\"natVal\":\"123456789012345678901234567890\""));
  EXPECT_THAT(text, Not(HasSubstr("Tree")));
  EXPECT_EQ(summary_.declarations, 2U);
  // Init is not in the environment.
  const auto missing = [&](const char* name) {
    return std::find(summary_.missing.begin(), summary_.missing.end(), terms_.ParseName(name)) !=
           summary_.missing.end();
  };
  EXPECT_TRUE(missing("Nat"));
  EXPECT_TRUE(missing("Eq"));
  EXPECT_FALSE(missing("double"));
}

TEST_F(NdjsonWriter, UnsafeDeclarationsAreLeftOut) {
  const std::string text = Export({Named("danger"), Named("double")});
  EXPECT_THAT(text, Not(HasSubstr("danger")));
  EXPECT_THAT(text, HasSubstr("double"));
}

TEST_F(NdjsonWriter, AnInductiveTypeIsOneLineWithItsRecursor) {
  const std::string text = Export({Named("Tree.leaf")});
  EXPECT_EQ(summary_.declarations, 4U);  // Tree, leaf, node, rec
  EXPECT_THAT(text, HasSubstr("{\"inductive\":{\"ctors\":[{"));
  EXPECT_THAT(text, HasSubstr("\"rules\":[{"));
}

}  // namespace
}  // namespace zermelo::kernel
