#include "engine/learning.h"

#include <gtest/gtest.h>

#include "core/files/file.h"

namespace zermelo::engine {
namespace {

namespace fs = std::filesystem;

class LearningTest : public ::testing::Test {
 protected:
  LearningTest() {
    fs::create_directories(file.parent_path());
    Write("zermelo.toml", "");
  }
  void Write(const fs::path& name, const std::string& text) {
    ASSERT_TRUE(core::WriteFileAtomically(project.path() / name, text));
  }
  void Teach() {
    fs::create_directories(learned.parent_path());
    learn::Knowledge teacher;
    teacher.KeepIn(learned);
    ASSERT_TRUE(teacher.Save({learn::MakeExample("⊢ foo = 1", "simp", true, {}).value()}));
  }

  const core::TemporaryFolder project = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const fs::path file = project.path() / "Sub" / "A.lean";
  const fs::path learned = project.path() / ".zermelo" / "learned";
};

TEST_F(LearningTest, AFileHasTheExamplesOfItsProject) {
  Teach();
  const Learning learning = LearningFor({.file = file});
  ASSERT_NE(learning.knowledge, nullptr);
  EXPECT_EQ(learning.knowledge->size(), 1u);
  EXPECT_EQ(learning.knowledge->kept_in(), learned);
  EXPECT_EQ(learning.place, "Sub/A.lean");
  EXPECT_EQ(learning.note, "");
  ProveRequest request;
  learning.ApplyTo(request);
  EXPECT_EQ(request.learned, learning.knowledge.get());
  EXPECT_EQ(request.place, "Sub/A.lean");
}

TEST_F(LearningTest, ARecordingKnowsAndKeepsNothing) {
  Teach();
  const Learning learning = LearningFor({.file = file, .reads = false});
  ASSERT_NE(learning.knowledge, nullptr);
  EXPECT_EQ(learning.knowledge->size(), 0u);
  EXPECT_TRUE(learning.knowledge->kept_in().empty());
}

TEST_F(LearningTest, ProofsAreKeptInANewFolderOnlyIfWanted) {
  const LearningRequest request{.file = file, .makes_folder = false};
  EXPECT_EQ(LearningFor({.file = file}).knowledge->kept_in(), learned);
  EXPECT_TRUE(LearningFor(request).knowledge->kept_in().empty());
  fs::create_directories(learned.parent_path());
  EXPECT_EQ(LearningFor(request).knowledge->kept_in(), learned);
}

TEST_F(LearningTest, AnotherFileInItsPlaceIsLeftAlone) {
  fs::create_directories(learned.parent_path());
  Write(".zermelo/learned", "my notes");
  const Learning learning = LearningFor({.file = file});
  EXPECT_NE(learning.note, "");
  EXPECT_EQ(learning.knowledge->size(), 0u);
  EXPECT_TRUE(learning.knowledge->kept_in().empty());
}

}  // namespace
}  // namespace zermelo::engine
