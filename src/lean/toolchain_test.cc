#include "lean/toolchain.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/compile/compiler.h"
#include "lean/pool.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::lean {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using testing::WriteExecutable;

// ---- versions

LeanVersion Parsed(std::string_view text) {
  const auto version = ParseLeanVersion(text);
  EXPECT_TRUE(version) << text;
  return version.value_or(LeanVersion{});
}

TEST(ParseLeanVersion, ReadsReleases) {
  const auto version =
      Parsed("Lean (version 4.9.0, x86_64-unknown-linux-gnu, commit 8f9843a4a5fe, Release)\n");
  EXPECT_EQ(version.version, "4.9.0");
  EXPECT_EQ(version.commit, "8f9843a4a5fe");
}

TEST(ParseLeanVersion, ReadsReleaseCandidatesNightliesAndPreviews) {
  EXPECT_EQ(Parsed("Lean (version 4.20.0-rc5, x86_64-unknown-linux-gnu, commit "
                   "a83d74d5d4eac9d7a4d9b4c2e1b2f8d0d8a1c3f5, Release)")
                .version,
            "4.20.0-rc5");
  EXPECT_EQ(Parsed("Lean (version 4.22.0-nightly-2025-07-01, arm64-apple-darwin23.6.0, commit "
                   "0123456789abcdef0123456789abcdef01234567, Release)")
                .version,
            "4.22.0-nightly-2025-07-01");
  EXPECT_EQ(Parsed("Lean (version 4.28.0-pre, wasm32-unknown-emscripten, commit 38f3c0c4d4b7, "
                   "Release)")
                .version,
            "4.28.0-pre");
}

TEST(ParseLeanVersion, ACommitMayBeMissing) {
  EXPECT_EQ(Parsed("Lean (version 4.0.0, Release)").commit, "");
  EXPECT_EQ(Parsed("Lean (version 4.0.0, Release)").version, "4.0.0");
}

TEST(ParseLeanVersion, OtherAnswersAreEnvironmentErrorsThatQuoteThem) {
  for (const char* text : {"", "GNU bash, 5.2", "Lean 4", "version 4.9", "Lake version five"}) {
    const auto version = ParseLeanVersion(text);
    ASSERT_FALSE(version) << text;
    EXPECT_EQ(version.error().code, ErrorCode::kEnvironment);
    EXPECT_NE(version.error().message.find(text), std::string::npos);
  }
}

TEST(ParseLeanVersion, Lean3IsRejected) {
  const auto version = ParseLeanVersion("Lean (version 3.51.1, commit cce7990ea86a, Release)");
  ASSERT_FALSE(version);
  EXPECT_NE(version.error().message.find("3.51.1"), std::string::npos);
}

TEST(KnownProblems, FewerInLaterVersions) {
  EXPECT_EQ(KnownProblems("4.28.0-pre").size(), 5u);
  EXPECT_EQ(KnownProblems("4.32.0").size(), 5u);
  EXPECT_EQ(KnownProblems("4.32.1").size(), 4u);
  EXPECT_EQ(KnownProblems("4.32.2").size(), 3u);
  EXPECT_EQ(KnownProblems("4.33.0").size(), 2u);
  EXPECT_EQ(KnownProblems("4.33.1").size(), 1u);
  EXPECT_EQ(KnownProblems("4.34.0").size(), 1u);
  EXPECT_EQ(KnownProblems("4.34.1").size(), 0u);
  EXPECT_EQ(KnownProblems("4.35.0-rc3").size(), 0u);
  EXPECT_EQ(KnownProblems("5.0.0").size(), 0u);
}

TEST(ToolchainTest, JsonSaysWhichLeanItIs) {
  Toolchain toolchain;
  toolchain.kind = ToolchainKind::kPath;
  toolchain.lean = "/bin/lean";
  toolchain.version = "4.34.1";
  EXPECT_EQ(nlohmann::json(toolchain).dump(),
            R"({"commit":"","kind":"path","known_problems":[],"path":"/bin/lean","project":"",)"
            R"("version":"4.34.1"})");
}

TEST(KnownProblems, NoneOfAVersionThatCannotBeRead) {
  for (const char* version : {"", "four", "4", "4.28", "4.x.1"}) {
    EXPECT_TRUE(KnownProblems(version).empty()) << version;
  }
}

// ---- URIs

TEST(FileUri, EncodesWhatIsNotPlain) {
  EXPECT_EQ(FileUri("/home/me/A-b_c.d~/x.lean"), "file:///home/me/A-b_c.d~/x.lean");
  EXPECT_EQ(FileUri("/a b/100%/#?&"), "file:///a%20b/100%25/%23%3F%26");
  EXPECT_EQ(FileUri("/α"), "file:///%CE%B1");
}

TEST(ToolchainKindName, IsWhatJsonPrints) {
  EXPECT_STREQ(Name(ToolchainKind::kExplicit), "explicit");
  EXPECT_STREQ(Name(ToolchainKind::kProject), "project");
  EXPECT_STREQ(Name(ToolchainKind::kPath), "path");
  EXPECT_STREQ(Name(ToolchainKind::kEmbedded), "embedded");
}

// ---- the selection

/// Sets an environment variable of this process for the life of the object.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// A machine with folders for PATH, elan, a project and the embedded Lean, all empty at first.
class FindToolchainTest : public ::testing::Test {
 protected:
  static std::string LeanThatSays(const std::string& version) {
    return "#!/bin/sh\n[ \"$1\" = --version ] || exit 9\n"
           "echo 'Lean (version " +
           version +
           ", x86_64-unknown-linux-gnu, commit abcdef12, "
           "Release)'\n";
  }
  void InstallLean(const fs::path& where, const std::string& version) {
    WriteExecutable(where, LeanThatSays(version));
  }
  /// A `lake` that answers `lake env env`.
  static void InstallLake(const fs::path& where, const std::string& environment) {
    WriteExecutable(where,
                    "#!/bin/sh\n[ \"$1 $2\" = 'env env' ] || exit 9\n"
                    "[ -e lakefile.lean -o -e lakefile.toml ] || exit 8\n"
                    "cat <<'END'\n" +
                        environment + "END\n");
  }
  static void Write(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  Result<Toolchain> Find(const fs::path& lean = "") {
    ToolchainRequest request{
        .lean = lean, .near = project / "Sub" / "File.lean", .embedded = root / "embedded"};
    return Await(io, FindToolchain(request, Generous()));
  }

  boost::asio::io_context io;
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const fs::path root = folder.path();
  const fs::path project = root / "project";
  const fs::path elan = root / "elan";
  const fs::path elan_428 = elan / "toolchains" / "leanprover--lean4---v4.28.0" / "bin";
  const ScopedVariable path_{"PATH", (root / "path").string() + ":/usr/bin:/bin"};
  const ScopedVariable elan_home_{"ELAN_HOME", elan.string()};
};

TEST_F(FindToolchainTest, NoLeanAnywhereIsAnErrorThatSaysWhatToDo) {
  const auto found = Find();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(found.error().hint.find("elan"), std::string::npos);
}

TEST_F(FindToolchainTest, TheEmbeddedLeanIsTheLastResort) {
  InstallLean(root / "embedded" / "bin" / "lean", "4.28.0-pre");
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->kind, ToolchainKind::kEmbedded);
  EXPECT_EQ(found->version, "4.28.0-pre");
  EXPECT_EQ(found->commit, "abcdef12");
  EXPECT_TRUE(fs::is_directory(found->document_folder));
}

TEST_F(FindToolchainTest, PathComesBeforeTheEmbedded) {
  InstallLean(root / "embedded" / "bin" / "lean", "4.28.0-pre");
  InstallLean(root / "path" / "lean", "4.30.0");
  const auto found = Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ToolchainKind::kPath);
  EXPECT_EQ(found->lean, root / "path" / "lean");
  EXPECT_TRUE(found->notes.empty());
}

TEST_F(FindToolchainTest, ABrokenLeanOnPathIsSkippedWithANote) {
  WriteExecutable(root / "path" / "lean", "#!/bin/sh\nexit 1\n");
  InstallLean(root / "embedded" / "bin" / "lean", "4.28.0-pre");
  const auto found = Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ToolchainKind::kEmbedded);
  ASSERT_EQ(found->notes.size(), 1u);
  EXPECT_NE(found->notes[0].find("does not run"), std::string::npos);
}

TEST_F(FindToolchainTest, TheProjectsToolchainOfElanComesBeforePath) {
  Write(project / "lean-toolchain", "leanprover/lean4:v4.28.0  \r\n");
  InstallLean(elan_428 / "lean", "4.28.0");
  InstallLean(root / "path" / "lean", "4.30.0");
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->kind, ToolchainKind::kProject);
  EXPECT_EQ(found->lean, elan_428 / "lean");
  EXPECT_EQ(found->project, project);
  EXPECT_EQ(found->document_folder, project);
}

TEST_F(FindToolchainTest, ElanIsAlsoLookedForInTheHomeFolder) {
  ::unsetenv("ELAN_HOME");
  const ScopedVariable home("HOME", (root / "home").string());
  Write(project / "lean-toolchain", "leanprover/lean4:v4.28.0\n");
  const fs::path lean = root / "home/.elan/toolchains/leanprover--lean4---v4.28.0/bin/lean";
  InstallLean(lean, "4.28.0");
  const auto found = Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lean, lean);
}

TEST_F(FindToolchainTest, ALakeProjectGivesItsEnvironment) {
  Write(project / "lean-toolchain", "leanprover/lean4:v4.28.0\n");
  Write(project / "lakefile.toml", "");
  InstallLean(elan_428 / "lean", "4.28.0");
  InstallLake(elan_428 / "lake",
              "HOME=/root\nLEAN_PATH=/p/a:/p/b\nPATH=/usr/bin\n"
              "LEAN_SRC_PATH=/s=1\n");
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->environment,
            (std::map<std::string, std::string>{{"LAKE", "/nonexistent/lake"},  // no Lake needed
                                                {"LEAN_PATH", "/p/a:/p/b"},
                                                {"LEAN_SRC_PATH", "/s=1"}}));
  EXPECT_EQ(found->lean, elan_428 / "lean");
}

TEST(ProgramCommandTest, AProgramReadsItsFolderAndKnowsTheToolchainsFolder) {
  Toolchain toolchain;
  toolchain.lean = "/elan/lean";
  toolchain.search_path = {"/project/lib", "/toolchain/lib/lean"};
  toolchain.sandbox.emplace();
  const auto command = ProgramCommand(toolchain, "/programs/p.lean");
  EXPECT_EQ(command.argv, (std::vector<std::string>{"/elan/lean", "--run", "/programs/p.lean"}));
  EXPECT_EQ(command.environment.at("LEAN_SYSROOT"), "/toolchain");
  EXPECT_EQ(command.sandbox->read, std::vector<fs::path>{"/programs"});
  toolchain.environment["LEAN_SYSROOT"] = "/lakes";
  EXPECT_EQ(ProgramCommand(toolchain, "p.lean").environment.at("LEAN_SYSROOT"), "/lakes");
  toolchain.environment.clear();
  toolchain.search_path.clear();
  EXPECT_FALSE(ProgramCommand(toolchain, "p.lean").environment.contains("LEAN_SYSROOT"));
}

TEST_F(FindToolchainTest, TheLeanThatLakeNamesIsUsed) {
  Write(project / "lakefile.lean", "");
  InstallLean(root / "sys" / "bin" / "lean", "4.29.0");
  InstallLean(root / "path" / "lean", "4.30.0");
  InstallLake(root / "path" / "lake", "LEAN_SYSROOT=" + (root / "sys").string() + "\n");
  EXPECT_EQ(Find()->lean, root / "sys" / "bin" / "lean");
  InstallLean(root / "other" / "lean", "4.29.1");
  InstallLake(root / "path" / "lake", "LEAN_SYSROOT=" + (root / "sys").string() +
                                          "\nLEAN=" + (root / "other" / "lean").string() + "\n");
  EXPECT_EQ(Find()->version, "4.29.1");
}

TEST_F(FindToolchainTest, ALakeProjectWithoutLakeIsAnErrorEvenWithAnotherLean) {
  Write(project / "lean-toolchain", "leanprover/lean4:v4.28.0\n");
  Write(project / "lakefile.toml", "");
  InstallLean(root / "embedded" / "bin" / "lean", "4.28.0-pre");
  const auto found = Find();
  ASSERT_FALSE(found) << "another Lean could not see the project's library";
  EXPECT_EQ(found.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(found.error().message.find("leanprover/lean4:v4.28.0"), std::string::npos);
  EXPECT_NE(found.error().hint.find("lake build"), std::string::npos);
}

TEST_F(FindToolchainTest, AFailingLakeIsAnErrorThatQuotesIt) {
  Write(project / "lakefile.toml", "");
  InstallLean(root / "path" / "lean", "4.30.0");
  WriteExecutable(root / "path" / "lake", "#!/bin/sh\necho 'bad manifest' >&2\nexit 1\n");
  const auto found = Find();
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("bad manifest"), std::string::npos);
}

TEST_F(FindToolchainTest, ABareToolchainFileWhoseLeanIsNotInstalledIsANote) {
  Write(project / "lean-toolchain", "leanprover/lean4:v4.99.0\n");
  InstallLean(root / "embedded" / "bin" / "lean", "4.28.0-pre");
  const auto found = Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, ToolchainKind::kEmbedded);
  ASSERT_EQ(found->notes.size(), 1u);
  EXPECT_NE(found->notes[0].find("leanprover/lean4:v4.99.0"), std::string::npos);
}

TEST_F(FindToolchainTest, AProgramInTheCurrentFolderIsNotMistakenForElans) {
  Write(project / "lakefile.toml", "");
  InstallLean(root / "cwd" / "bin" / "lean", "4.0.0");
  InstallLake(root / "cwd" / "bin" / "lake", "LEAN_PATH=/evil\n");
  InstallLean(root / "path" / "lean", "4.30.0");
  InstallLake(root / "path" / "lake", "LEAN_PATH=/good\n");
  const fs::path before = fs::current_path();
  fs::current_path(root / "cwd");
  const auto found = Find();
  fs::current_path(before);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->version, "4.30.0");
  EXPECT_EQ(found->environment.at("LEAN_PATH"), "/good");
}

TEST_F(FindToolchainTest, AnExplicitLeanComesFirst) {
  Write(project / "lean-toolchain", "leanprover/lean4:v4.28.0\n");
  InstallLean(elan_428 / "lean", "4.28.0");
  InstallLean(root / "mine" / "bin" / "lean", "4.33.1");
  for (const fs::path& named : {root / "mine" / "bin" / "lean", root / "mine"}) {
    const auto found = Find(named);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->kind, ToolchainKind::kExplicit);
    EXPECT_EQ(found->version, "4.33.1");
  }
}

TEST_F(FindToolchainTest, AMissingExplicitLeanIsAUsageError) {
  InstallLean(root / "path" / "lean", "4.30.0");
  const auto found = Find(root / "nowhere");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUsage);
  EXPECT_NE(found.error().message.find((root / "nowhere").string()), std::string::npos);
  EXPECT_NE(found.error().hint.find("--lean"), std::string::npos);
}

TEST_F(FindToolchainTest, AnExplicitLeanThatDoesNotRunIsReportedWithItsExitCode) {
  WriteExecutable(root / "mine", "#!/bin/sh\necho no libc >&2\nexit 127\n");
  const auto found = Find(root / "mine");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(found.error().message.find("exit code 127: no libc"), std::string::npos);
}

TEST_F(FindToolchainTest, AnExplicitProgramOtherThanLeanIsAnError) {
  WriteExecutable(root / "mine", "#!/bin/sh\necho I am not Lean\n");
  const auto found = Find(root / "mine");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(found.error().message.find("I am not Lean"), std::string::npos);
}

TEST_F(FindToolchainTest, ALeanThatHangsIsATimeout) {
  WriteExecutable(root / "mine", "#!/bin/sh\nsleep 1000\n");
  const auto found =
      Await(io, FindToolchain({.lean = root / "mine"},
                              core::Deadline::After(std::chrono::milliseconds(300))));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kTimeout);
}

TEST_F(FindToolchainTest, ALeanNextToItsLibraryIsRunOnce) {
  const fs::path lean = root / "mine" / "bin" / "lean";
  const fs::path asked = root / "mine" / "asked";
  Write(root / "mine" / "lib" / "lean" / "Init.olean", "");
  WriteExecutable(lean, "#!/bin/sh\n[ -e '" + asked.string() + "' ] && exit 9\n: >'" +
                            asked.string() + "'\necho 'Lean (version 4.33.1, Release)'\n");
  const auto found = Await(io, FindToolchain({.lean = lean, .confined = false}, Generous()));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->version, "4.33.1");
  EXPECT_EQ(found->search_path.back(), fs::canonical(root / "mine" / "lib" / "lean"));
}

TEST(IsConfined, NeedsEveryProtection) {
  Toolchain toolchain;
  toolchain.sandbox.emplace();
  const core::SandboxAbilities enough = {.landlock_abi = 3, .seccomp = true};
  EXPECT_TRUE(IsConfined(toolchain, enough));
  EXPECT_FALSE(IsConfined(toolchain, {.landlock_abi = 0, .seccomp = true}));
  EXPECT_FALSE(IsConfined(toolchain, {.landlock_abi = 2, .seccomp = true}));
  EXPECT_FALSE(IsConfined(toolchain, {.landlock_abi = 3, .seccomp = false}));
  toolchain.sandbox->processes = true;
  EXPECT_FALSE(IsConfined(toolchain, enough));
  toolchain.sandbox.reset();
  EXPECT_FALSE(IsConfined(toolchain, enough));
}

TEST_F(FindToolchainTest, ALeanNextToItsLibraryIsConfinedToItsFolder) {
  const fs::path lean = root / "mine" / "bin" / "lean";
  Write(root / "mine" / "lib" / "lean" / "Init.olean", "");
  Write(root / "secret", "");
  WriteExecutable(lean, "#!/bin/sh\nread line <'" + (root / "secret").string() +
                            "' && exit 9\necho 'Lean (version 4.33.1, Release)'\n");
  const auto found = Find(lean);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(found->sandbox);
  EXPECT_FALSE(found->sandbox->processes);
}

TEST_F(FindToolchainTest, TheFakeLeanOfTheTestsIsALean) {
  const auto found = Find(testing::FakeLeanPath());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->version, "4.28.0-pre");
}

// ---- several at once, and the sandbox

TEST_F(FindToolchainTest, TwoProjectsWithTheirOwnToolchainsWorkInOneProcess) {
  std::vector<std::unique_ptr<Pool>> pools;
  for (const char* version : {"v4.9.0", "v4.28.0"}) {
    const fs::path home = root / version;
    const fs::path bin =
        elan / "toolchains" / (std::string("leanprover--lean4---") + version) / "bin";
    Write(home / "lean-toolchain", std::string("leanprover/lean4:") + version + "\n");
    Write(home / "lakefile.toml", "");
    fs::create_directories(bin);
    fs::copy_file(testing::FakeLeanPath(), bin / "lean");
    InstallLake(bin / "lake", "LEAN_PATH=" + (home / "lib").string() + "\n");
    ToolchainRequest request;
    request.near = home / "File.lean";
    auto found = Await(io, FindToolchain(request, Generous()));
    ASSERT_TRUE(found) << found.error().message;
    pools.push_back(std::make_unique<Pool>(io.get_executor(), std::move(*found), PoolOptions{}));
  }
  for (int round = 0; round < 2; ++round) {  // alternating
    for (const auto& pool : pools) {
      CheckRequest request;
      request.text = testing::Fake("environment LEAN_PATH") + testing::Fake("arguments");
      request.deadline = Generous();
      const auto checked = Await(io, pool->Check(std::move(request)));
      ASSERT_TRUE(checked) << checked.error().message;
      const fs::path home = pool->toolchain().project;
      EXPECT_EQ(checked->diagnostics.at(0).message, (home / "lib").string());
      EXPECT_NE(checked->diagnostics.at(1).message.find(FileUri(home)), std::string::npos);
      EXPECT_NE(pool->toolchain().lean, pools.at(pool == pools.at(0) ? 1 : 0)->toolchain().lean);
    }
  }
}

/// A document with code that runs while Lean elaborates, under the rules that a toolchain gets.
class HostileDocumentTest : public FindToolchainTest {
 protected:
  void SetUp() override {
    const core::SandboxAbilities abilities = core::DescribeSandbox();
    if (abilities.landlock_abi == 0 || !abilities.seccomp) {
      GTEST_SKIP() << "this kernel has no sandbox";
    }
    Write(root / "secret", "secret");
  }
  /// The outcome in a worker and in the compiler of acceptance.
  std::vector<std::string> Attempt(const std::string& deed, bool confined = true) {
    const auto toolchain = Await(
        io, FindToolchain({.lean = testing::FakeLeanPath(), .confined = confined}, Generous()));
    EXPECT_TRUE(toolchain);
    const std::string text = testing::Fake("attempt " + deed);
    const auto worker = *Worker::Start(io.get_executor(), *toolchain, {});
    CheckRequest request;
    request.text = text;
    request.deadline = Generous();
    const auto checked = Await(io, worker->Check(std::move(request)));
    const auto compiler = *Compiler::Start(io.get_executor(), *toolchain);
    const auto compiled = Await(io, compiler->Compile(text, Generous()));
    EXPECT_TRUE(checked && compiled) << deed;
    if (!checked || !compiled) return {};
    return {checked->diagnostics.at(0).message, compiled->diagnostics.at(0).message};
  }
  using Messages = std::vector<std::string>;
};

TEST_F(HostileDocumentTest, IsStopped) {
  const std::string refused = "refused: Permission denied";
  const std::string forbidden = "refused: Operation not permitted";
  const std::string outside = (root / "new").string();
  EXPECT_EQ(Attempt("read " + (root / "secret").string()), (Messages{refused, refused}));
  EXPECT_EQ(Attempt("read /etc/passwd"), (Messages{refused, refused}));
  EXPECT_EQ(Attempt("write " + outside), (Messages{refused, refused}));
  EXPECT_EQ(Attempt("fill " + outside), (Messages{refused, "refused: File too large"}));
  EXPECT_EQ(Attempt("connect 9"), (Messages{forbidden, forbidden}));
  EXPECT_EQ(Attempt("fork"), (Messages{forbidden, forbidden}));
  EXPECT_FALSE(fs::exists(outside));
}

TEST_F(HostileDocumentTest, WouldDoItAllWithoutTheSandbox) {
  const std::string file = (root / "new").string();
  const auto all = [](const std::string& outcome) { return Messages{outcome, outcome}; };
  EXPECT_EQ(Attempt("read " + (root / "secret").string(), false), all("done: secret"));
  EXPECT_EQ(Attempt("write " + file, false), all("done"));
  EXPECT_EQ(Attempt("fill " + file, false), all("done"));
  EXPECT_EQ(Attempt("connect 9", false), all("refused: Connection refused"));
  EXPECT_EQ(Attempt("fork", false), all("done"));
}

using FindProjectTest = FindToolchainTest;

TEST_F(FindProjectTest, IsTheNearestFolderAbove) {
  Write(root / "lean-toolchain", "");
  Write(project / "lakefile.lean", "");
  Write(project / "Sub" / "File.lean", "");
  EXPECT_EQ(FindProject(project / "Sub" / "File.lean"), project);
  EXPECT_EQ(FindProject(project / "Sub"), project);
  EXPECT_EQ(FindProject(project), project);
  EXPECT_EQ(FindProject(root / "elsewhere"), root);
}

TEST_F(FindProjectTest, APathThroughAnotherProjectIsNotInIt) {
  Write(project / "lakefile.lean", "");
  fs::create_directories(root / "other");
  EXPECT_EQ(FindProject(project / ".." / "other" / "File.lean"), fs::path());
  EXPECT_EQ(FindProject(root / "other" / ".." / "project" / "." / "File.lean"), project);
}

}  // namespace
}  // namespace zermelo::lean
