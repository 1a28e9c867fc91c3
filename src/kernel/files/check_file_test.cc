#include "kernel/files/check_file.h"

#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file.h"
#include "kernel/testing/olean_writer.h"

namespace zermelo::kernel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Declared = std::vector<OleanWriter::Declared>;
using Word = OleanWriter::Word;

class CheckingFiles : public ::testing::Test {
 protected:
  CheckingFiles() : folder_(*core::TemporaryFolder::Create("check_file")) {}

  // Module Low: P q : Prop, p : P; module High: theorem t : P := `value`.
  void WriteModules(const char* value) {
    Write("Low", {}, [](OleanWriter& w) {
      const Word prop = w.Sort(OleanWriter::Box(0));
      return Declared{{"P", w.Axiom("P", prop)},
                      {"Q", w.Axiom("Q", prop)},
                      {"p", w.Axiom("p", w.Const("P"))},
                      {"q", w.Axiom("q", w.Const("Q"))}};
    });
    Write("High", {"Low"}, [&](OleanWriter& w) {
      return Declared{{"t", w.Theorem("t", w.Const("P"), w.Const(value))}};
    });
  }

  void Write(const std::string& module, const std::vector<std::string>& imports,
             const std::function<Declared(OleanWriter&)>& declared) {
    OleanWriter w({true, 2, true});
    const Declared constants = declared(w);
    std::ofstream(folder_.path() / (module + ".olean"), std::ios::binary)
        << w.Finish(w.Module(imports, constants));
  }

  core::Result<FileReport> Check(const std::vector<std::string>& files) {
    for (const auto& file : files) request_.files.push_back({"", folder_.path() / file});
    request_.search_path = {folder_.path()};
    return CheckFiles(request_);
  }

  core::TemporaryFolder folder_;
  FileCheckRequest request_;
};

TEST_F(CheckingFiles, AcceptsAProofFromImports) {
  WriteModules("p");
  const auto report = Check({"High.olean"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->verdict.outcome, Decision::kAccepted) << report->verdict.reason;
  EXPECT_EQ(report->declarations, 1U);
  EXPECT_EQ(report->modules, 1U);
  EXPECT_EQ(report->imported, 2U);
  EXPECT_THAT(report->axioms, IsEmpty());
  EXPECT_EQ(report->lean_version, "4.30.0");
}

TEST_F(CheckingFiles, RejectsAProofOfSomethingElse) {
  WriteModules("q");
  for (const size_t threads : {1, 2}) {
    request_.threads = threads;
    request_.files.clear();
    const auto report = Check({"High.olean"});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict.outcome, Decision::kRejected);
    EXPECT_EQ(report->verdict.declaration, "t");
    EXPECT_EQ(report->refused.size(), 1U);
  }
}

TEST_F(CheckingFiles, RejectsWhatNobodyDeclares) {
  WriteModules("nothing");
  const auto report = Check({"High.olean"});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->verdict.outcome, Decision::kRejected);
}

TEST_F(CheckingFiles, ChecksImportsWhenAsked) {
  WriteModules("p");
  Write("Low", {}, [](OleanWriter& w) {
    const Word prop = w.Sort(OleanWriter::Box(0));
    return Declared{{"P", w.Axiom("P", prop)},
                    {"Q", w.Axiom("Q", prop)},
                    {"q", w.Axiom("q", w.Const("Q"))},
                    {"p", w.Theorem("p", w.Const("P"), w.Const("q"))}};
  });
  const auto trusting = Check({"High.olean"});
  ASSERT_TRUE(trusting);
  EXPECT_EQ(trusting->verdict.outcome, Decision::kAccepted);
  request_.files.clear();
  request_.check_imports = true;
  const auto checking = Check({"High.olean"});
  ASSERT_TRUE(checking);
  EXPECT_EQ(checking->verdict.outcome, Decision::kRejected);
  EXPECT_EQ(checking->verdict.declaration, "p");
  EXPECT_THAT(checking->axioms, ElementsAre("P", "Q", "q"));
}

TEST_F(CheckingFiles, GoesOnWhenAsked) {
  Write("Bad", {}, [](OleanWriter& w) {
    const Word prop = w.Sort(OleanWriter::Box(0));
    return Declared{{"P", w.Axiom("P", prop)},
                    {"a", w.Theorem("a", w.Const("P"), prop)},
                    {"b", w.Theorem("b", w.Const("P"), w.Const("P"))}};
  });
  request_.keep_going = true;
  request_.threads = 2;
  const auto report = Check({"Bad.olean"});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->refused.size(), 2U);
  EXPECT_EQ(report->refused[0].declaration, "a");
  EXPECT_EQ(report->refused[1].declaration, "b");
  EXPECT_EQ(report->verdict.declaration, "a");
}

TEST_F(CheckingFiles, SeveralModulesAreOneEnvironment) {
  WriteModules("p");
  request_.files = FindModuleFiles(folder_.path()).files;
  ASSERT_EQ(request_.files.size(), 2U);
  EXPECT_EQ(request_.files[0].name, "High");
  const auto report = CheckFiles(request_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->verdict.outcome, Decision::kAccepted) << report->verdict.reason;
  EXPECT_EQ(report->declarations, 5U);
  EXPECT_EQ(report->modules, 0U);
}

TEST_F(CheckingFiles, NamesOfModulesAreQuotedAsInTheImportsOfOthers) {
  std::filesystem::create_directories(folder_.path() / "my-pkg" / "v1.2");
  for (const char* file : {"my-pkg/Foo.olean", "my-pkg/v1.2/Ω.olean"}) {
    std::ofstream{folder_.path() / file};
  }
  const ModuleFiles found = FindModuleFiles(folder_.path());
  ASSERT_EQ(found.files.size(), 2U);
  EXPECT_EQ(found.files[0].name, "«my-pkg».Foo");
  EXPECT_EQ(found.files[1].name, "«my-pkg».«v1.2».Ω");
}

TEST_F(CheckingFiles, AFolderThatCannotBeReadIsReportedAndTheOthersAreSearched) {
  WriteModules("p");
  EXPECT_TRUE(FindModuleFiles(folder_.path()).unreadable.empty());
  EXPECT_TRUE(FindModuleFiles(folder_.path() / "none").unreadable.empty());
  // Deeper than a path may be long, which stops root, too.
  int at = ::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY);
  const std::string name(200, 'a');
  for (int depth = 0; depth < 25; ++depth) {
    ASSERT_EQ(::mkdirat(at, name.c_str(), 0700), 0);
    const int below = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
    ::close(at);
    at = below;
  }
  ::close(at);
  const ModuleFiles found = FindModuleFiles(folder_.path());
  EXPECT_EQ(found.files.size(), 2U);
  ASSERT_EQ(found.unreadable.size(), 1U);
  EXPECT_THAT(found.unreadable[0], HasSubstr("File name too long"));
}

TEST_F(CheckingFiles, ALinkToAFolderIsReported) {
  WriteModules("p");
  fs::create_directory_symlink(folder_.path(), folder_.path() / "Linked");
  const ModuleFiles found = FindModuleFiles(folder_.path());
  EXPECT_EQ(found.files.size(), 2U);
  ASSERT_EQ(found.unreadable.size(), 1U);
  EXPECT_THAT(found.unreadable[0], HasSubstr("is a link"));
}

TEST_F(CheckingFiles, AnImportThatLeadsOutOfTheSearchPathIsNotFound) {
  WriteModules("p");
  fs::create_directory(folder_.path() / "library");
  Write("Evil", {(folder_.path() / "Low").string()}, [](OleanWriter& w) {
    return Declared{{"t", w.Theorem("t", w.Const("P"), w.Const("p"))}};
  });
  request_.files = {{"", folder_.path() / "Evil.olean"}};
  request_.search_path = {folder_.path() / "library"};
  const auto report = CheckFiles(request_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, core::ErrorCode::kEnvironment);
}

TEST_F(CheckingFiles, AnEmptyExportIsNotAccepted) {
  for (const char* content : {"", "\n \n"}) {
    std::ofstream(folder_.path() / "empty.ndjson") << content;
    request_.files.clear();
    const auto report = Check({"empty.ndjson"});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->verdict.outcome, Decision::kDeclined);
  }
  std::ofstream(folder_.path() / "Empty.olean").close();
  request_.files.clear();
  EXPECT_FALSE(Check({"Empty.olean"}));
}

TEST_F(CheckingFiles, ADamagedModuleIsRejected) {
  OleanWriter w({true, 2, true});
  const Word self = w.Next();
  w.Constructor(5, {self, self}, std::string(8, '\0'));
  std::ofstream(folder_.path() / "Cycle.olean", std::ios::binary)
      << w.Finish(w.Module({}, {{"a", w.Axiom("a", self)}}));
  const auto report = Check({"Cycle.olean"});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->verdict.outcome, Decision::kRejected);
  EXPECT_THAT(report->verdict.reason, HasSubstr("contains itself"));
}

TEST_F(CheckingFiles, AFileThatIsMissingIsAnError) {
  EXPECT_FALSE(Check({"None.olean"}));
  request_.files.clear();
  EXPECT_FALSE(Check({"None.ndjson"}));
}

TEST_F(CheckingFiles, AMalformedExportIsRejected) {
  std::ofstream(folder_.path() / "bad.ndjson") << "{\"in\":1,\"str\":{\"pre\":7,\"str\":\"a\"}}\n";
  const auto report = Check({"bad.ndjson"});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->verdict.outcome, Decision::kRejected);
  EXPECT_THAT(report->verdict.reason, HasSubstr("line 1"));
}

// Files that the embedded Lean wrote.
class CheckingRealFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(library_ / "Init.olean")) GTEST_SKIP() << "the embedded Lean is not installed";
  }

  FileReport Checked(const fs::path& file) {
    FileCheckRequest request;
    request.files = {{"", file}};
    request.search_path = {library_};
    const auto report = CheckFiles(request);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : FileReport();
  }

  const fs::path source_ = ZERMELO_SOURCE_DIR;
  const fs::path library_ = source_ / "embedded/build/lib/lean";
};

TEST_F(CheckingRealFiles, WhatLeanAcceptedIsAccepted) {
  const FileReport report = Checked(source_ / "src/kernel/testdata/kinds.olean");
  EXPECT_EQ(report.verdict.outcome, Decision::kAccepted)
      << report.verdict.declaration << ": " << report.verdict.reason;
  EXPECT_THAT(report.axioms, ElementsAre("_private._stdin.0.anAxiom"));
  EXPECT_GT(report.unsafe_declarations, 0U);
}

// omega computes with Nat.land, whose definition the library's public part does not have.
TEST_F(CheckingRealFiles, OperationsAreComputedWithoutTheirDefinitions) {
  const FileReport report = Checked(source_ / "src/trust/testdata/honest.olean");
  EXPECT_EQ(report.verdict.outcome, Decision::kAccepted)
      << report.verdict.declaration << ": " << report.verdict.reason;
}

// The library has most of their definitions, which are compared. Unfolded, most of these would not
// end.
TEST_F(CheckingRealFiles, AllOperationsOfTheLibraryAreComputed) {
  constexpr uint64_t kLarge = 1'000'000'000'000'000'000;
  const struct {
    const char* name;
    uint64_t a, b, result;
  } claims[] = {{"Nat.add", 12, kLarge, kLarge + 12},
                {"Nat.sub", kLarge + 5, kLarge, 5},
                {"Nat.mul", 2, kLarge, 2 * kLarge},
                {"Nat.pow", 2, 62, uint64_t{1} << 62U},
                {"Nat.div", kLarge, 12, kLarge / 12},
                {"Nat.mod", kLarge, 12, kLarge % 12},
                {"Nat.gcd", kLarge, 12, 4},
                {"Nat.land", kLarge + 13, 12, (kLarge + 13) & 12U},
                {"Nat.lor", kLarge + 13, 3, (kLarge + 13) | 3U},
                {"Nat.xor", kLarge + 13, 3, (kLarge + 13) ^ 3U},
                {"Nat.shiftLeft", 3, 60, uint64_t{3} << 60U},
                {"Nat.shiftRight", 5, kLarge, 0}};
  OleanWriter w({true, 2, true});
  const Word one = w.LevelSucc(OleanWriter::Box(0));
  const auto claim = [&](const std::string& name, Word type, Word left, Word right) {
    const Word statement = w.App(w.App(w.App(w.Const("Eq", {one}), type), left), right);
    const Word proof = w.App(w.App(w.Const("Eq.refl", {one}), type), right);
    return OleanWriter::Declared{name, w.Theorem(name, statement, proof)};
  };
  const auto number = [&](uint64_t n) { return w.NatLiteral(w.Nat(n)); };
  const auto applied = [&](const char* name, uint64_t a, uint64_t b) {
    return w.App(w.App(w.Const(name), number(a)), number(b));
  };
  Declared theorems;
  for (const auto& [name, a, b, result] : claims) {
    theorems.push_back(
        claim(std::string("claim.") + name, w.Const("Nat"), applied(name, a, b), number(result)));
  }
  const Word boolean = w.Const("Bool");
  theorems.push_back(
      claim("claim.beq", boolean, applied("Nat.beq", kLarge, kLarge + 1), w.Const("Bool.false")));
  theorems.push_back(
      claim("claim.ble", boolean, applied("Nat.ble", kLarge, kLarge), w.Const("Bool.true")));
  const auto folder = core::TemporaryFolder::Create("operations");
  FileCheckRequest request;
  request.files = {{"", folder->path() / "Operations.olean"}};
  request.search_path = {library_};
  request.limits.time = std::chrono::seconds(30);
  request.keep_going = true;
  std::ofstream(request.files[0].file, std::ios::binary) << w.Finish(w.Module({"Init"}, theorems));
  const auto report = CheckFiles(request);
  ASSERT_TRUE(report) << report.error().message;
  for (const FileVerdict& refused : report->refused)
    ADD_FAILURE() << refused.declaration << ": " << refused.reason;
  EXPECT_EQ(report->declarations, theorems.size());
}

// Its theorems are axioms there, so nothing has been proved.
TEST_F(CheckingRealFiles, APublicPartAloneIsDeclined) {
  const auto folder = core::TemporaryFolder::Create("public");
  const fs::path copy = folder->path() / "kinds.olean";
  fs::copy_file(source_ / "src/kernel/testdata/kinds.olean", copy);
  const FileReport report = Checked(copy);
  EXPECT_EQ(report.verdict.outcome, Decision::kDeclined);
  EXPECT_THAT(report.verdict.reason, HasSubstr("kinds.olean.private, which is missing"));
}

TEST_F(CheckingRealFiles, CompiledCodeIsDeclined) {
  const FileReport report = Checked(source_ / "src/trust/testdata/native.olean");
  EXPECT_EQ(report.verdict.outcome, Decision::kDeclined) << report.verdict.reason;
}

}  // namespace
}  // namespace zermelo::kernel
