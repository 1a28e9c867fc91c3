#include "learn/record_file.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/file.h"

namespace zermelo::learn {
namespace {

class RecordFileTest : public ::testing::Test {
 protected:
  std::vector<std::string> Read() const {
    const auto file = RecordFile::Open(path);
    if (!file) return {"error: " + file.error().message};
    std::vector<std::string> records;
    for (size_t i = 0; i < file->size(); ++i) records.emplace_back(file->record(i));
    return records;
  }
  std::string Bytes() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Overwrite(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::filesystem::path path = folder.path() / "learned";
  using Records = std::vector<std::string>;
};

TEST_F(RecordFileTest, AFileThatDoesNotExistIsEmpty) {
  EXPECT_EQ(Read(), Records());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RecordFileTest, RecordsAreReadInTheirOrder) {
  EXPECT_EQ(AppendRecords(path, {"one", "", "three"}), 3u);
  EXPECT_EQ(AppendRecords(path, {std::string(1000, 'x')}), 1u);
  EXPECT_EQ(Read(), (Records{"one", "", "three", std::string(1000, 'x')}));
}

TEST_F(RecordFileTest, WhatIsThereIsNotAppendedAgain) {
  EXPECT_EQ(AppendRecords(path, {"one", "two", "one"}), 2u);
  const std::string before = Bytes();
  EXPECT_EQ(AppendRecords(path, {"two", "one"}), 0u);
  EXPECT_EQ(Bytes(), before);
}

TEST_F(RecordFileTest, ATornTailIsNotSeenAndTheNextAppendRemovesIt) {
  ASSERT_TRUE(AppendRecords(path, {"one", "two"}));
  const std::string whole = Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    Overwrite(whole.substr(0, size));
    const Records seen = Read();
    EXPECT_TRUE(seen.empty() || seen == Records{"one"}) << size;
    ASSERT_TRUE(AppendRecords(path, {"one", "two"})) << size;
    EXPECT_EQ(Bytes(), whole) << size;
  }
}

TEST_F(RecordFileTest, ADamagedRecordIsPassedOver) {
  ASSERT_TRUE(AppendRecords(path, {"one", "damaged", "three"}));
  std::string bytes = Bytes();
  bytes[bytes.find("damaged")] = 'D';
  Overwrite(bytes);
  EXPECT_EQ(Read(), (Records{"one", "three"}));
  ASSERT_TRUE(AppendRecords(path, {"four"}));
  EXPECT_EQ(Read(), (Records{"one", "three", "four"}));
}

TEST_F(RecordFileTest, WhatFollowsADamagedHeadIsKept) {
  ASSERT_TRUE(AppendRecords(path, {"one", "damaged", "three"}));
  std::string bytes = Bytes();
  bytes[bytes.find("damaged") - 16] = '?';
  Overwrite(bytes);
  EXPECT_EQ(Read(), (Records{"one", "three"}));
  ASSERT_TRUE(AppendRecords(path, {"four"}));
  EXPECT_EQ(Read(), (Records{"one", "three", "four"}));
}

TEST_F(RecordFileTest, AFileThatIsCutWhileItIsOpenStaysReadable) {
  ASSERT_TRUE(AppendRecords(path, {std::string(100'000, 'x')}));
  const auto file = RecordFile::Open(path);
  Overwrite("");
  EXPECT_EQ(file->record(0), std::string(100'000, 'x'));
}

TEST_F(RecordFileTest, AnotherFileIsLeftAlone) {
  for (const std::string& text :
       {std::string("theorem foo : 1 = 1 := rfl\n"), std::string(1000, '\0')}) {
    Overwrite(text);
    EXPECT_FALSE(RecordFile::Open(path));
    EXPECT_FALSE(AppendRecords(path, {"one"}));
    EXPECT_EQ(Bytes(), text);
  }
  EXPECT_FALSE(RecordFile::Open(folder.path())) << "a folder";
}

TEST_F(RecordFileTest, LengthsThatLieAreNoRecords) {
  ASSERT_TRUE(AppendRecords(path, {"one", "two"}));
  std::string bytes = Bytes();
  bytes[bytes.find("two") - 12] = '\x7f';  // the low byte of its length
  Overwrite(bytes);
  EXPECT_EQ(Read(), Records{"one"});
}

TEST_F(RecordFileTest, AnOpenFileDoesNotChangeWhenOthersAppend) {
  ASSERT_TRUE(AppendRecords(path, {"one"}));
  const auto file = RecordFile::Open(path);
  ASSERT_TRUE(AppendRecords(path, {"two"}));
  EXPECT_EQ(file->size(), 1u);
  EXPECT_EQ(file->record(0), "one");
}

TEST_F(RecordFileTest, ProcessesAppendAtOnce) {
  constexpr size_t kProcesses = 4, kEach = 25;
  std::vector<pid_t> children;
  for (size_t child = 0; child < kProcesses; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (size_t i = 0; i < kEach; ++i) {
        const bool done = AppendRecords(path, {std::to_string(child * 1000 + i)}).has_value();
        if (!done) ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Read().size(), kProcesses * kEach);
}

}  // namespace
}  // namespace zermelo::learn
