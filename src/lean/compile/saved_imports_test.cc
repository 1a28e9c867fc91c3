// A stand-in for Lean 4.32, which takes the options as Lean's sources describe them.
#include "lean/compile/saved_imports.h"

#include <fstream>
#include <gtest/gtest.h>
#include <thread>

#include "core/testing/testing.h"
#include "lean/compile/compiler.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::lean {
namespace {

namespace fs = std::filesystem;
using core::testing::Await;
using core::testing::Generous;

constexpr core::SandboxAbilities kAll = {.landlock_abi = 3, .seccomp = true};
const std::string kHeader = "import A\nimport B\n";

class SavedImportsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* module : {"A", "B"}) Write(module, "one");
    std::this_thread::sleep_for(std::chrono::milliseconds(150));  // until they count as settled
    toolchain_ = testing::FakeToolchain(folder_.path());
    toolchain_.version = "4.32.0";
    toolchain_.environment["FAKE_MODULES"] = folder_.path().string();
    toolchain_.sandbox.emplace();
    saved_ = SavedImports::For(toolchain_, kAll);
    toolchain_.sandbox.reset();  // the stand-in needs more than Lean does
    ASSERT_NE(saved_, nullptr);
  }
  void TearDown() override { EXPECT_TRUE(core::testing::Children().empty()); }

  void Write(const std::string& module, const std::string& content) {
    std::ofstream(folder_.path() / (module + ".olean")) << content;
  }
  fs::path Use(const std::string& header) {
    return saved_->Use(io_.get_executor(), toolchain_, header);
  }
  /// The image after as many compilations as make saving pay, or nothing.
  fs::path Saved(const std::string& header) {
    for (int i = 0; i <= SavedImports::kWorthSaving; ++i) EXPECT_EQ(Use(header), "");
    core::testing::RunUntil(io_, [this] { return !saved_->busy(); });
    return Use(header);
  }
  /// Whether Lean loads the image for a text with this header.
  bool Loads(const fs::path& image, const std::string& header) {
    const fs::path mark = folder_.path() / "loaded";
    fs::remove(mark);
    CompilerOptions options;
    options.image = image;
    auto compiler = Compiler::Start(io_.get_executor(), toolchain_, options);
    const std::string text = header + testing::Fake("touch-loaded " + mark.string());
    EXPECT_TRUE(Await(io_, (*compiler)->Compile(text, Generous())));
    return fs::exists(mark);
  }

  boost::asio::io_context io_;
  core::TemporaryFolder folder_ = *core::TemporaryFolder::Create("zermelo-test-");
  Toolchain toolchain_;
  std::shared_ptr<SavedImports> saved_;
};

TEST_F(SavedImportsTest, AreLoadedOnceTheyAreSaved) {
  const fs::path image = Saved(kHeader);
  ASSERT_NE(image, "");
  const auto mode = fs::status(image).permissions();
  EXPECT_EQ(mode, fs::perms::owner_read) << "nobody writes to it";
  EXPECT_TRUE(Loads(image, kHeader));
  EXPECT_FALSE(Loads(image, "import A\n"));
  EXPECT_EQ(Use("import A\n"), "");
}

TEST_F(SavedImportsTest, OfTwoHeadersAreKeptApart) {
  for (int i = 0; i <= SavedImports::kWorthSaving; ++i) {
    EXPECT_EQ(Use(kHeader), "");
    EXPECT_EQ(Use("import A\n"), "");
    core::testing::RunUntil(io_, [this] { return !saved_->busy(); });
  }
  const fs::path one = Use(kHeader), other = Saved("import B\n");
  EXPECT_NE(one, "");
  EXPECT_NE(other, "");
  EXPECT_NE(one, other);
  EXPECT_TRUE(Loads(one, kHeader));
  EXPECT_TRUE(Loads(other, "import B\n"));
}

TEST_F(SavedImportsTest, AreNotSavedForAFewTexts) {
  for (int i = 0; i < SavedImports::kWorthSaving; ++i) EXPECT_EQ(Use(kHeader), "");
  EXPECT_FALSE(saved_->busy());
}

TEST_F(SavedImportsTest, AreForgottenWhenAModuleChanges) {
  const fs::path image = Saved(kHeader);
  ASSERT_NE(image, "");
  EXPECT_TRUE(saved_->IsCurrent(image));
  Write("B", "two");
  EXPECT_FALSE(saved_->IsCurrent(image));
  EXPECT_EQ(Use(kHeader), "");
  EXPECT_FALSE(fs::exists(image));
}

TEST_F(SavedImportsTest, AreNotSavedWhileModulesAreBeingCompiled) {
  Write("B", "one");  // just now
  EXPECT_EQ(Saved(kHeader), "");
}

TEST_F(SavedImportsTest, AreForgottenWhenTheImageChanges) {
  const fs::path image = Saved(kHeader);
  ASSERT_NE(image, "");
  const auto time = fs::last_write_time(image);
  fs::permissions(image, fs::perms::owner_all);
  std::fstream(image, std::ios::in | std::ios::out).put('{');  // as long as before
  fs::last_write_time(image, time);
  EXPECT_EQ(Use(kHeader), "");
}

TEST_F(SavedImportsTest, AreNotUsedIfATextMeansSomethingElseWithThem) {
  const std::string header = "-- odd\nimport A\n";
  EXPECT_EQ(Saved(header), "");
  EXPECT_EQ(Saved(header), "") << "nor later";
}

TEST_F(SavedImportsTest, AreNotUsedIfTheModulesAreNotThere) {
  EXPECT_EQ(Saved("import Missing\n"), "");
}

TEST_F(SavedImportsTest, WhatIsBeingSavedEndsWithThem) {
  for (int i = 0; i <= SavedImports::kWorthSaving; ++i) Use(kHeader);
  EXPECT_TRUE(saved_->busy());
  saved_.reset();
  core::testing::RunOut(io_);
}

TEST_F(SavedImportsTest, AnOlderOrUnconfinedLeanSavesNone) {
  toolchain_.sandbox.emplace();
  EXPECT_EQ(SavedImports::For(toolchain_, {.landlock_abi = 2, .seccomp = true}), nullptr);
  toolchain_.version = "4.31.0";
  EXPECT_EQ(SavedImports::For(toolchain_, kAll), nullptr);
  toolchain_.version = "4.32.0";
  toolchain_.sandbox.reset();
  EXPECT_EQ(SavedImports::For(toolchain_, kAll), nullptr);
}

TEST_F(SavedImportsTest, ALeanThatDoesNotKnowTheOptionsIsNoError) {
  toolchain_.environment.clear();  // the stand-in fails to save
  EXPECT_EQ(Saved(kHeader), "");
}

}  // namespace
}  // namespace zermelo::lean
