#include "serve/project_files.h"

#include <fstream>
#include <gtest/gtest.h>

#include "core/files/file.h"

namespace zermelo::serve {
namespace {

namespace fs = std::filesystem;

class ProjectFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"project/Main.lean", "project/Some/Deep/Part.lean", "project/Some/Part.lean",
          "project/Some/notes.txt", "project/.lake/packages/Other.lean", "project/build/Copy.lean",
          "outside/Outside.lean"}) {
      fs::create_directories((folder.path() / name).parent_path());
      std::ofstream(folder.path() / name) << "theorem t : True := sorry\n";
    }
  }
  fs::path project() const { return folder.path() / "project"; }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
};

TEST_F(ProjectFilesTest, SourcesAreListedInOrder) {
  const ProjectFiles found = LeanFilesBelow(project());
  EXPECT_EQ(found.files,
            (std::vector<std::string>{"Main.lean", "Some/Deep/Part.lean", "Some/Part.lean"}));
  EXPECT_FALSE(found.more);
}

TEST_F(ProjectFilesTest, LinksAreNotFollowed) {
  fs::create_directory_symlink(folder.path() / "outside", project() / "Linked");
  fs::create_symlink(folder.path() / "outside/Outside.lean", project() / "Linked.lean");
  fs::create_directory_symlink(project(), project() / "Some/Round");
  EXPECT_EQ(LeanFilesBelow(project()).files.size(), 3u);
}

TEST_F(ProjectFilesTest, TheListIsBounded) {
  const ProjectFiles two = LeanFilesBelow(project(), 2);
  EXPECT_EQ(two.files.size(), 2u);
  EXPECT_TRUE(two.more);
  EXPECT_FALSE(LeanFilesBelow(project(), 4).more);
  const ProjectFiles none = LeanFilesBelow(project(), 4, 0);
  EXPECT_TRUE(none.files.empty());
  EXPECT_TRUE(none.more);
}

TEST_F(ProjectFilesTest, AMissingFolderHasNone) {
  EXPECT_TRUE(LeanFilesBelow(folder.path() / "missing").files.empty());
}

}  // namespace
}  // namespace zermelo::serve
