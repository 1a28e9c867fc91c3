#include "core/names.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace zermelo::core {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("ab", "ba"), 2u);
}

TEST(DidYouMean, NamesTheNearest) {
  EXPECT_EQ(DidYouMean("prov", {"check", "prove", "doctor"}), "did you mean `prove`?");
  EXPECT_EQ(DidYouMean("--wrokers", {"--workers", "--time"}), "did you mean `--workers`?");
}

TEST(DidYouMean, SaysNothingWhenNoneIsNear) {
  EXPECT_EQ(DidYouMean("frobnicate", {"check", "prove"}), "");
  EXPECT_EQ(DidYouMean("x", {}), "");
}

TEST(ModulePath, DotsSeparateFoldersExceptInQuotes) {
  EXPECT_EQ(ModulePath("Init.Data.List"), "Init/Data/List");
  EXPECT_EQ(ModulePath("«my-pkg».Foo"), "my-pkg/Foo");
  EXPECT_EQ(ModulePath("A.«b.c».D"), "A/b.c/D");
  for (const char* elsewhere : {"", "«/etc/x»", "A.«../b»", "«..».B", "A.«.»", "A..B", "A."})
    EXPECT_EQ(ModulePath(elsewhere), "") << elsewhere;
}

TEST(ExitCode, DependsOnTheKindOfError) {
  EXPECT_EQ(ExitCode(ErrorCode::kUsage), 2);
  EXPECT_EQ(ExitCode(ErrorCode::kInput), 2);
  EXPECT_EQ(ExitCode(ErrorCode::kTooLong), 2);
  EXPECT_EQ(ExitCode(ErrorCode::kEnvironment), 3);
  EXPECT_EQ(ExitCode(ErrorCode::kCancelled), 130);
}

TEST(ErrorCodeName, IsTheNameInJson) {
  EXPECT_STREQ(Name(ErrorCode::kTimeout), "timeout");
  EXPECT_STREQ(Name(ErrorCode::kTooLong), "too_long");
  EXPECT_STREQ(Name(ErrorCode::kCrashed), "crashed");
}

}  // namespace
}  // namespace zermelo::core
