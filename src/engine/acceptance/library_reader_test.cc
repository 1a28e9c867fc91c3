#include "engine/acceptance/library_reader.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"

namespace zermelo::engine {
namespace {

using core::testing::Await;

TEST(LibraryReader, GetWaitsForTheReadingAndTheJudgeReportsWhatCouldNotBeRead) {
  boost::asio::io_context io;
  const auto reader = LibraryReader::Create(io.get_executor(), {"/nowhere"});
  reader->ReadAhead({"No.Such.Module"});
  trust::Library* const library = Await(io, reader->Get());
  const auto closure = library->ClosureOf({"No.Such.Module"});
  ASSERT_FALSE(closure);
  EXPECT_EQ(closure.error().code, core::ErrorCode::kEnvironment);
}

TEST(LibraryReader, WithoutAReadingGetReturnsAtOnce) {
  boost::asio::io_context io;
  const auto reader = LibraryReader::Create(io.get_executor(), {});
  EXPECT_EQ(Await(io, reader->Get()), Await(io, reader->Get()));
}

TEST(LibraryReader, CanReadAgainWhenAReadingHasEnded) {
  boost::asio::io_context io;
  const auto reader = LibraryReader::Create(io.get_executor(), {"/nowhere"});
  for (int i = 0; i < 3; ++i) {
    reader->ReadAhead({"A"});
    reader->ReadAhead({"B"});  // while the first is under way: nothing
    EXPECT_NE(Await(io, reader->Get()), nullptr);
  }
}

TEST(LibraryReader, AReadingOutlivesItsOwnerAndEndsByItself) {
  boost::asio::io_context io;
  auto reader = LibraryReader::Create(io.get_executor(), {"/nowhere"});
  const std::weak_ptr<LibraryReader> watched = reader;
  reader->ReadAhead({"No.Such.Module"});
  reader.reset();
  EXPECT_FALSE(watched.expired());
  core::testing::RunOut(io);
  EXPECT_TRUE(watched.expired());
}

TEST(LibraryReader, AnIoContextCanEndBeforeAReadingDoes) {
  boost::asio::io_context io;
  LibraryReader::Create(io.get_executor(), {"/nowhere"})->ReadAhead({"No.Such.Module"});
}

}  // namespace
}  // namespace zermelo::engine
