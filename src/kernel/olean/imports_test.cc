#include "kernel/olean/imports.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "core/files/file.h"
#include "kernel/testing/olean_writer.h"

namespace zermelo::kernel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Declared = std::vector<OleanWriter::Declared>;
using Word = OleanWriter::Word;
using Mode = ImportOptions::Mode;

Word Prop(OleanWriter& w) { return w.Sort(OleanWriter::Box(0)); }
Word P(OleanWriter& w) { return w.Const("P"); }
OleanWriter::Declared AxiomOf(OleanWriter& w, const std::string& name, Word type) {
  return {name, w.Axiom(name, type)};
}
OleanWriter::Declared TheoremOf(OleanWriter& w, const std::string& name, Word value) {
  return {name, w.Theorem(name, P(w), value)};
}

std::string ModuleBytes(const std::vector<std::string>& imports,
                        const std::function<Declared(OleanWriter&)>& declared,
                        uint64_t base = 0x10000) {
  OleanWriter w({true, 2, true}, base);
  const Declared constants = declared(w);
  return w.Finish(w.Module(imports, constants));
}

class Imports : public ::testing::Test {
 protected:
  Imports() : folder_(*core::TemporaryFolder::Create("imports")) {
    Write("Low", {}, [](OleanWriter& w) {
      return Declared{AxiomOf(w, "P", Prop(w)), AxiomOf(w, "p", P(w)), AxiomOf(w, "unused", P(w)),
                      TheoremOf(w, "deep", w.Const("p"))};
    });
    Write("High", {"Low"}, [](OleanWriter& w) {
      return Declared{TheoremOf(w, "t", w.Const("deep")),
                      {"d", w.Definition("d", P(w), w.Const("t"))}};
    });
  }

  void Write(const std::string& module, const std::vector<std::string>& imports,
             const std::function<Declared(OleanWriter&)>& declared) {
    std::ofstream(folder_.path() / (module + ".olean"), std::ios::binary)
        << ModuleBytes(imports, declared);
  }

  core::Result<ImportReport> Import(const char* module, Mode mode) {
    Library library({folder_.path()});
    ImportOptions options;
    options.mode = mode;
    return AddImports({terms_.ParseName(module)}, library, options, environment_);
  }

  // Declares `name : P := value` in the environment, of the candidate.
  void Declare(const char* name, const char* value) {
    const auto constant = [&](const char* text) {
      return terms_.Expr({.kind = ExprKind::kConst, .a = Index(terms_.ParseName(text))});
    };
    Declaration declaration;
    declaration.name = terms_.ParseName(name);
    declaration.type = constant("P");
    declaration.all = {declaration.name};
    declaration.info = Definition{constant(value), Hints{Hints::Kind::kRegular, 7}, Safety::kSafe};
    ASSERT_TRUE(environment_.Add(declaration));
  }

  std::vector<std::string> Declared_() const {
    std::vector<std::string> names;
    for (const auto& declaration : environment_.declarations())
      names.push_back(terms_.Print(declaration.name));
    return names;
  }

  core::TemporaryFolder folder_;
  Terms terms_;
  Environment environment_{terms_};
};

TEST_F(Imports, OnlyWhatIsMentionedIsRead) {
  Declare("mine", "d");
  const auto report = Import("High", Mode::kStatements);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(Declared_(), UnorderedElementsAre("mine", "d", "t", "P"));
  EXPECT_NE(environment_.Find(terms_.ParseName("t"))->As<Axiom>(), nullptr);
  EXPECT_EQ(environment_.OriginOf(1), Origin::kTrusted);
  EXPECT_EQ(report->modules, 2U);
  EXPECT_EQ(report->declarations, 3U);
  EXPECT_EQ(report->sha256.size(), 64U);
}

TEST_F(Imports, ProofsAreReadWhenTheyAreWanted) {
  Declare("mine", "d");
  ASSERT_TRUE(Import("High", Mode::kProofs));
  EXPECT_THAT(Declared_(), UnorderedElementsAre("mine", "d", "t", "deep", "p", "P"));
  EXPECT_NE(environment_.Find(terms_.ParseName("t"))->As<Theorem>(), nullptr);
}

TEST_F(Imports, EverythingIsReadWhenImportsAreChecked) {
  ASSERT_TRUE(Import("High", Mode::kChecked));
  EXPECT_THAT(Declared_(), UnorderedElementsAre("d", "t", "deep", "p", "P", "unused"));
  EXPECT_EQ(environment_.OriginOf(0), Origin::kChecked);
}

TEST_F(Imports, TheDigestCoversEveryByte) {
  const auto before = Import("High", Mode::kStatements);
  Write("Low", {}, [](OleanWriter& w) { return Declared{AxiomOf(w, "P", Prop(w))}; });
  const auto after = Import("High", Mode::kStatements);
  ASSERT_TRUE(before && after);
  EXPECT_NE(before->sha256, after->sha256);
}

TEST_F(Imports, ANameMayBeDeclaredAgainWithTheSameTermsOnly) {
  Declare("d", "t");
  auto report = Import("High", Mode::kStatements);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->violation);

  Terms terms;
  Environment environment(terms);
  Declaration other;
  other.name = terms.ParseName("d");
  other.type = terms.Expr({.kind = ExprKind::kConst, .a = Index(terms.ParseName("P"))});
  other.all = {other.name};
  other.info = Definition{
      terms.Expr({.kind = ExprKind::kConst, .a = Index(terms.ParseName("p"))}), {}, Safety::kSafe};
  environment.Add(other);
  ImportOptions options;
  Library library({folder_.path()});
  report = AddImports({terms.ParseName("High")}, library, options, environment);
  ASSERT_TRUE(report);
  ASSERT_TRUE(report->violation);
  EXPECT_EQ(terms.Print(report->violation->name), "d");
}

TEST_F(Imports, AModuleThatIsMissingIsNamed) {
  const auto report = Import("Lost", Mode::kStatements);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, core::ErrorCode::kEnvironment);
  EXPECT_THAT(report.error().message, HasSubstr("Lost"));
}

TEST_F(Imports, ModulesThatImportEachOtherAreAnError) {
  Write("Low", {"High"}, [](OleanWriter&) { return Declared{}; });
  const auto report = Import("High", Mode::kStatements);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("imports itself"));
}

// What happens to a library's files after it was read, and whether its modules are the same then.
struct Event {
  const char* name;
  void (*before)(const fs::path& folder);
  void (*happens)(const fs::path& folder);
  bool same;
};

void Copy(const fs::path& from, const fs::path& to) {
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

constexpr Event kEvents[] = {
    {"another module comes, and one is replaced by a copy", nullptr,
     [](const fs::path& f) {
       Copy(f / "Low.olean", f / "Other.olean");
       Copy(f / "Low.olean", f / "Again.olean");
       fs::rename(f / "Again.olean", f / "Low.olean");
     },
     true},
    {"other bytes", nullptr, [](const fs::path& f) { Copy(f / "High.olean", f / "Low.olean"); },
     false},
    {"a part comes", nullptr,
     [](const fs::path& f) { Copy(f / "Low.olean", f / "Low.olean.private"); }, false},
    {"a part comes elsewhere, where a link leads",
     [](const fs::path& f) {
       fs::create_directory(f / "elsewhere");
       fs::create_symlink(f / "elsewhere/part", f / "Low.olean.private");
     },
     [](const fs::path& f) { Copy(f / "Low.olean", f / "elsewhere/part"); }, false},
    {"a file goes", nullptr, [](const fs::path& f) { fs::remove(f / "Low.olean"); }, false},
};

// `old`: two seconds after the files were written, when their times are relied on.
void WhatHappensToFilesIsSeen(const fs::path& written, bool old) {
  std::vector<core::TemporaryFolder> folders;
  for (const Event& event : kEvents) {
    folders.push_back(*core::TemporaryFolder::Create("library"));
    fs::copy(written, folders.back().path());
    if (event.before != nullptr) event.before(folders.back().path());
  }
  if (old) std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  for (size_t i = 0; i < std::size(kEvents); ++i) {
    SCOPED_TRACE(kEvents[i].name);
    Library library({folders[i].path()});
    const auto closure = library.ClosureOf({"High"});
    ASSERT_TRUE(closure) << closure.error().message;
    EXPECT_TRUE(library.CheckUnchanged(**closure));
    kEvents[i].happens(folders[i].path());
    EXPECT_EQ(library.CheckUnchanged(**closure).has_value(), kEvents[i].same);
    EXPECT_EQ(library.StartCheck(**closure).get().has_value(), kEvents[i].same);
  }
}

TEST_F(Imports, AClosureIsTheSameWhateverTheOrderOfItsModules) {
  Library library({folder_.path()});
  const auto closure = library.ClosureOf({"High", "Low"});
  ASSERT_TRUE(closure);
  EXPECT_EQ(*closure, *library.ClosureOf({"Low", "High", "Low"}));
  EXPECT_NE(*closure, *library.ClosureOf({"Low"}));
}

TEST_F(Imports, ModulesCanBeReadWhileOthersAreChecked) {
  constexpr int kOthers = 100;
  for (int i = 0; i < kOthers; ++i)
    Write("Other" + std::to_string(i), {"Low"}, [](OleanWriter&) { return Declared{}; });
  Library library({folder_.path()});
  const auto closure = library.ClosureOf({"High"});
  ASSERT_TRUE(closure);
  auto check = library.StartCheck(**closure);
  for (int i = 0; i < kOthers; ++i) EXPECT_TRUE(library.ClosureOf({"Other" + std::to_string(i)}));
  EXPECT_TRUE(check.get());
}

TEST_F(Imports, WhatHappensToNewFilesIsSeen) { WhatHappensToFilesIsSeen(folder_.path(), false); }
TEST_F(Imports, WhatHappensToOldFilesIsSeen) { WhatHappensToFilesIsSeen(folder_.path(), true); }

// The reason why `part` may not stand beside `whole`, or an empty string.
std::string Reason(const std::function<Declared(OleanWriter&)>& part,
                   const std::function<Declared(OleanWriter&)>& whole) {
  const std::string first = ModuleBytes({}, part);
  const std::string server = ModuleBytes({}, part, 0x4000000);
  const std::string last = ModuleBytes({}, whole, 0x8000000);
  OleanImage image;
  Terms terms;
  EXPECT_TRUE(image.Open({first, server, last}));
  const auto module = ReadModule(image, terms);
  EXPECT_TRUE(module);
  const auto found = FindFalsePart(image, terms, *module);
  EXPECT_TRUE(found);
  return *found ? terms.Print((*found)->name) + ": " + (*found)->reason : "";
}

Declared Whole(OleanWriter& w) {
  return {AxiomOf(w, "P", Prop(w)),
          TheoremOf(w, "t", w.Const("p")),
          {"f", w.Definition("f", P(w), w.Const("p"), /*safety=*/2)}};
}

TEST(FalseParts, AStubOfATheoremIsHonest) {
  EXPECT_EQ(Reason([](OleanWriter& w) { return Declared{AxiomOf(w, "t", P(w))}; }, Whole), "");
  EXPECT_EQ(Reason(Whole, Whole), "");
}

TEST(FalseParts, AStubOfAnotherTypeIsNot) {
  EXPECT_EQ(Reason([](OleanWriter& w) { return Declared{AxiomOf(w, "t", Prop(w))}; }, Whole),
            "t: the public part of the module says something else about it");
}

TEST(FalseParts, AStubWithOtherUniversesIsNot) {
  const auto part = [](OleanWriter& w) {
    return Declared{{"t", w.Constant(0, "t", P(w), {}, {"\0", 1}, {"u"})}};
  };
  EXPECT_THAT(Reason(part, Whole), HasSubstr("something else"));
}

TEST(FalseParts, AStubHidesNoPartialDefinition) {
  EXPECT_EQ(Reason([](OleanWriter& w) { return Declared{AxiomOf(w, "f", P(w))}; }, Whole),
            "f: the public part of the module hides that it is partial");
}

TEST(FalseParts, TheCompiledFormOfARecursiveDefinitionMayHaveAStub) {
  const auto declared = [](const std::string& name, char safety_of_f, bool same_type) {
    return [=](OleanWriter& w) -> Declared {
      return {AxiomOf(w, "P", Prop(w)),
              {"f", w.Definition("f", same_type ? P(w) : Prop(w), w.Const("p"), safety_of_f)},
              {name, w.Definition(name, P(w), w.Const("p"), /*safety=*/2)}};
    };
  };
  const auto stub = [](const std::string& name) {
    return [=](OleanWriter& w) { return Declared{AxiomOf(w, name, P(w))}; };
  };
  EXPECT_EQ(Reason(stub("f._unsafe_rec"), declared("f._unsafe_rec", 1, true)), "");
  for (const auto& whole : {declared("f._unsafe_rec", 2, true), declared("f._unsafe_rec", 0, true),
                            declared("f._unsafe_rec", 1, false)}) {
    EXPECT_THAT(Reason(stub("f._unsafe_rec"), whole), HasSubstr("hides that it is partial"));
  }
  for (const std::string name : {"f.other", "g._unsafe_rec", "_unsafe_rec"}) {
    EXPECT_THAT(Reason(stub(name), declared(name, 1, true)), HasSubstr("hides that it is partial"));
  }
}

TEST(FalseParts, AllPartsHaveTheSameImports) {
  const std::string first = ModuleBytes({"Good"}, Whole);
  const std::string server = ModuleBytes({"Good"}, Whole, 0x4000000);
  const std::string last = ModuleBytes({"Evil"}, Whole, 0x8000000);
  OleanImage image;
  Terms terms;
  ASSERT_TRUE(image.Open({first, server, last}));
  const auto module = ReadModule(image, terms);
  ASSERT_TRUE(module);
  const auto found = FindFalsePart(image, terms, *module);
  ASSERT_TRUE(found);
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->reason, "the public part of the module has other imports");
}

TEST(FalseParts, NoNameIsOnlyInAPublicPart) {
  EXPECT_EQ(Reason([](OleanWriter& w) { return Declared{AxiomOf(w, "q", P(w))}; }, Whole),
            "q: only the public part of the module declares it");
}

TEST(FalseParts, AValueIsTheSame) {
  const auto part = [](OleanWriter& w) {
    return Declared{{"f", w.Definition("f", P(w), w.Const("t"), /*safety=*/2)}};
  };
  EXPECT_THAT(Reason(part, Whole), HasSubstr("something else"));
}

}  // namespace
}  // namespace zermelo::kernel
