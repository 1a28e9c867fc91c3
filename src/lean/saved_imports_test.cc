// A stand-in for Lean 4.32, which takes the options as Lean's sources describe them.
#include "lean/saved_imports.h"

#include <fstream>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "lean/compiler.h"
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
  /// Compiles as often as makes saving pay.
  void UseOften(const std::string& header) {
    for (int i = 0; i < SavedImports::kWorthSaving; ++i) EXPECT_EQ(saved_->Use(header), "");
  }
  void Save(const std::string& header) {
    Await(io_, saved_->Save(io_.get_executor(), toolchain_, header, Generous(), nullptr));
  }
  fs::path Saved(const std::string& header) {
    UseOften(header);
    Save(header);
    return saved_->Use(header);
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
  UseOften(kHeader);
  Save(kHeader);
  const fs::path image = saved_->Use(kHeader);
  ASSERT_NE(image, "");
  const auto mode = fs::status(image).permissions();
  EXPECT_EQ(mode, fs::perms::owner_read) << "nobody writes to it";
  EXPECT_TRUE(Loads(image, kHeader));
  EXPECT_FALSE(Loads(image, "import A\n"));
  EXPECT_EQ(saved_->Use("import A\n"), "");
}

TEST_F(SavedImportsTest, AreNotSavedForAFewTexts) {
  EXPECT_EQ(saved_->Use(kHeader), "");
  Save(kHeader);
  EXPECT_EQ(saved_->Use(kHeader), "");
}

TEST_F(SavedImportsTest, AreForgottenWhenAModuleChanges) {
  ASSERT_NE(Saved(kHeader), "");
  Write("B", "two");
  EXPECT_EQ(saved_->Use(kHeader), "");
  EXPECT_NE(Saved(kHeader), "") << "saved again";
  fs::remove(folder_.path() / "A.olean");
  EXPECT_EQ(saved_->Use(kHeader), "");
}

TEST_F(SavedImportsTest, AreForgottenWhenTheImageChanges) {
  const fs::path image = Saved(kHeader);
  ASSERT_NE(image, "");
  const auto time = fs::last_write_time(image);
  fs::permissions(image, fs::perms::owner_all);
  std::fstream(image, std::ios::in | std::ios::out).put('{');  // as long as before
  fs::last_write_time(image, time);
  EXPECT_EQ(saved_->Use(kHeader), "");
}

TEST_F(SavedImportsTest, AreNotUsedIfATextMeansSomethingElseWithThem) {
  const std::string header = "-- odd\nimport A\n";
  EXPECT_EQ(Saved(header), "");
  EXPECT_EQ(Saved(header), "") << "nor later";
}

TEST_F(SavedImportsTest, AreNotUsedIfTheModulesAreNotThere) {
  EXPECT_EQ(Saved("import Missing\n"), "");
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
