#include "core/files/file.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/testing/testing.h"

namespace zermelo::core {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  fs::path Write(const std::string& name, const std::string& content) {
    std::ofstream(folder.path() / name, std::ios::binary) << content;
    return folder.path() / name;
  }
  static std::string Read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static Error ReadError(const fs::path& path, size_t max_bytes = 64U << 20U) {
    const auto text = ReadTextFile(path, max_bytes);
    EXPECT_FALSE(text);
    return text ? Error{} : text.error();
  }
  size_t FilesInFolder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
  }

  TemporaryFolder folder = std::move(*TemporaryFolder::Create("zermelo-file-test-"));
};

using ReadTextFileTest = FileTest;

TEST_F(ReadTextFileTest, ReturnsTheBytesUnchanged) {
  const std::string text = "theorem α : 𝒜 := by\r\n  sorry\n\n";
  EXPECT_EQ(ReadTextFile(Write("a.lean", text)), text);
}

TEST_F(ReadTextFileTest, AnEmptyFileIsValid) { EXPECT_EQ(ReadTextFile(Write("a", "")), ""); }

TEST_F(ReadTextFileTest, AMissingFileIsReported) {
  const Error error = ReadError(folder.path() / "missing.lean");
  EXPECT_EQ(error.code, ErrorCode::kInput);
  EXPECT_EQ(error.message, "cannot read " + (folder.path() / "missing.lean").string() +
                               ": No such file or directory");
}

TEST_F(ReadTextFileTest, ADirectoryIsReported) {
  const Error error = ReadError(folder.path());
  EXPECT_EQ(error.code, ErrorCode::kInput);
  EXPECT_EQ(error.message, folder.path().string() + " is a directory");
}

TEST_F(ReadTextFileTest, ABinaryFileIsReported) {
  const Error error = ReadError(Write("a.olean", std::string("ab\0cd", 5)));
  EXPECT_EQ(error.code, ErrorCode::kInput);
  EXPECT_NE(error.message.find("is not a UTF-8 text file"), std::string::npos);
}

TEST_F(ReadTextFileTest, InvalidUtf8IsReported) {
  const Error error = ReadError(Write("latin1.lean", "caf\xE9\n"));
  EXPECT_EQ(error.code, ErrorCode::kInput);
  EXPECT_NE(error.message.find("is not a UTF-8 text file"), std::string::npos);
}

TEST_F(ReadTextFileTest, AFileThatIsTooLargeIsReported) {
  const Error error = ReadError(Write("big", std::string((1U << 20U) + 1, 'x')), 1U << 20U);
  EXPECT_EQ(error.code, ErrorCode::kInput);
  EXPECT_NE(error.message.find("is larger than 1 MiB"), std::string::npos);
}

TEST_F(ReadTextFileTest, ExactlyTheLimitIsRead) {
  EXPECT_TRUE(ReadTextFile(Write("a", std::string(100, 'x')), 100));
}

TEST_F(ReadTextFileTest, AFifoIsRefusedWithoutWaitingForAWriter) {
  const fs::path fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(ReadError(fifo).message, fifo.string() + " is not a regular file");
}

TEST_F(ReadTextFileTest, AnEndlessDeviceIsRefused) {
  EXPECT_EQ(ReadError("/dev/zero").message, "/dev/zero is not a regular file");
}

TEST_F(ReadTextFileTest, FollowsSymbolicLinks) {
  fs::create_symlink(Write("a", "text"), folder.path() / "link");
  EXPECT_EQ(ReadTextFile(folder.path() / "link"), "text");
}

using WriteFileAtomicallyTest = FileTest;

TEST_F(WriteFileAtomicallyTest, WritesANewFile) {
  const fs::path path = folder.path() / "new.lean";
  ASSERT_TRUE(WriteFileAtomically(path, "text"));
  EXPECT_EQ(Read(path), "text");
  EXPECT_EQ(FilesInFolder(), 1u) << "no temporary file is left";
}

TEST_F(WriteFileAtomicallyTest, KeepsThePermissions) {
  const fs::path path = Write("a", "old");
  ::chmod(path.c_str(), 0751);
  ASSERT_TRUE(WriteFileAtomically(path, "new"));
  struct stat info {};
  ::stat(path.c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777U, 0751U);
  EXPECT_EQ(Read(path), "new");
}

TEST_F(WriteFileAtomicallyTest, WritesThroughASymbolicLink) {
  const fs::path target = Write("target", "old");
  fs::create_symlink("target", folder.path() / "link");
  ASSERT_TRUE(WriteFileAtomically(folder.path() / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(Read(target), "new");
}

TEST_F(WriteFileAtomicallyTest, WritesToTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const auto written = WriteFileAtomically("plain.lean", "text");
  fs::current_path(before);
  ASSERT_TRUE(written);
  EXPECT_EQ(Read(folder.path() / "plain.lean"), "text");
}

TEST_F(WriteFileAtomicallyTest, OverADirectoryFailsAndLeavesNothing) {
  fs::create_directory(folder.path() / "sub");
  const auto written = WriteFileAtomically(folder.path() / "sub", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kInput);
  EXPECT_FALSE(written.error().hint.empty());
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(WriteFileAtomicallyTest, IntoAMissingFolderFailsAndNamesTheFile) {
  const auto written = WriteFileAtomically(folder.path() / "no" / "file", "text");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find((folder.path() / "no" / "file").string()),
            std::string::npos);
}

TEST_F(WriteFileAtomicallyTest, AFullDiskLeavesTheOldFile) {
  const fs::path path = Write("a", "old");
  // A file size limit makes the write fail half-way, as a full disk does.
  const pid_t child = ::fork();
  if (child == 0) {
    const struct rlimit small {
      1000, 1000
    };
    ::setrlimit(RLIMIT_FSIZE, &small);
    ::signal(SIGXFSZ, SIG_IGN);
    ::_exit(WriteFileAtomically(path, std::string(5000, 'x')) ? 0 : 42);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(Read(path), "old");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST(FindFolderWith, TheNearestWinsAndAPublicFolderAboveEndsTheSearch) {
  namespace fs = std::filesystem;
  const auto folder = TemporaryFolder::Create("zermelo-find-");
  ASSERT_TRUE(folder);
  const fs::path top = folder->path(), middle = top / "a", bottom = middle / "b";
  fs::create_directories(bottom);
  const auto find = [&] { return FindFolderWith({"mark.toml", "mark"}, bottom); };
  EXPECT_EQ(find(), std::nullopt);
  std::ofstream(top / "mark") << "x";
  EXPECT_EQ(find(), top);
  fs::permissions(middle, fs::perms::all);
  EXPECT_EQ(find(), std::nullopt);
  fs::permissions(middle, fs::perms::owner_all);
  std::ofstream(middle / "mark.toml") << "x";
  EXPECT_EQ(find(), middle);
  fs::permissions(bottom, fs::perms::all);
  std::ofstream(bottom / "mark") << "x";
  EXPECT_EQ(find(), bottom) << "the user chose the starting folder";
}

TEST(TemporaryFolder, IsRemovedWithItsContents) {
  fs::path path;
  {
    const auto folder = TemporaryFolder::Create("zermelo-test-");
    ASSERT_TRUE(folder);
    path = folder->path();
    fs::create_directories(path / "a" / "b");
    std::ofstream(path / "a" / "file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(CheckCreatable, LeavesNothingBehindAndDetectsWhatPermissionsDoNotShow) {
  const auto folder = TemporaryFolder::Create("zermelo-test-");
  ASSERT_TRUE(folder);
  EXPECT_TRUE(CheckCreatable(folder->path() / "new.lean"));
  EXPECT_TRUE(fs::is_empty(folder->path()));
  EXPECT_FALSE(CheckCreatable(folder->path() / "missing" / "new.lean"));
  EXPECT_FALSE(CheckCreatable("/proc/new.lean"));
}

TEST(TemporaryFolder, MovedFromRemovesNothing) {
  auto first = TemporaryFolder::Create("zermelo-test-");
  ASSERT_TRUE(first);
  const TemporaryFolder second = std::move(*first);
  first = Fail(ErrorCode::kInternal, "gone");
  EXPECT_TRUE(fs::exists(second.path()));
}

TEST(TemporaryFolder, AMissingParentIsAnEnvironmentError) {
  const char* old = std::getenv("TMPDIR");
  const std::string saved = old == nullptr ? "" : old;
  const auto parent = TemporaryFolder::Create("zermelo-test-");
  ASSERT_TRUE(parent);
  fs::permissions(parent->path(), fs::perms::owner_all);
  ::setenv("TMPDIR", parent->path().c_str(), 1);
  const auto folder = TemporaryFolder::Create("no/such/folder-");
  old == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", saved.c_str(), 1);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(folder.error().hint.find("TMPDIR"), std::string::npos);
}

}  // namespace
}  // namespace zermelo::core
