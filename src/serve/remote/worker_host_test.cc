#include "serve/remote/worker_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "lean/lsp/lsp_frame.h"
#include "serve/testing/pipe.h"

namespace zermelo::serve {
namespace {

using ::testing::HasSubstr;

TEST(WorkerHostTest, AnExceptionIsARefusalAndNotTheEndOfTheProgram) {
  boost::asio::io_context io;
  testing::Pipe in, out;
  WorkerHostOptions options;
  options.find_lean = [](const lean::remote::Order&) -> core::Task<core::Result<lean::Toolchain>> {
    throw std::runtime_error("a disk that cannot be read");
    co_return core::Fail(core::ErrorCode::kInternal, "");
  };
  const std::string order =
      lean::EncodeFrame(lean::remote::Body(lean::remote::kStart, lean::remote::Order()));
  ASSERT_TRUE(testing::WriteWhileServed(in.write, order, io));
  const bool served =
      core::testing::Await(io, HostWorker(std::move(options), in.read.get(), out.write.get()));
  EXPECT_FALSE(served);
  std::string said(4096, '\0');
  const ssize_t size = ::read(out.read.get(), said.data(), said.size());
  ASSERT_GT(size, 0);
  said.resize(static_cast<size_t>(size));
  EXPECT_THAT(said, HasSubstr(lean::remote::kRefused));
  EXPECT_THAT(said, HasSubstr("a disk that cannot be read"));
}

}  // namespace
}  // namespace zermelo::serve
