#include "llm/seeding_model.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "llm/testing/fake_model.h"

namespace zermelo::llm {
namespace {

TEST(SeedingModelTest, EverySampleOfAPromptHasItsOwnSeed) {
  boost::asio::io_context io;
  testing::FakeModel model(io.get_executor(), "fake",
                           [](const Request&, size_t) { return testing::Answer({"a"}); });
  SeedingModel seeding(model, 100);
  Request seeded = testing::Ask("a");
  seeded.sampling.seed = 7;
  for (const Request& request :
       {testing::Ask("a", 2), testing::Ask("a"), testing::Ask("b"), seeded}) {
    EXPECT_TRUE(core::testing::Await(io, seeding.Generate(request, CallContext())));
  }
  std::vector<uint64_t> seeds;
  for (const Request& request : model.requests) seeds.push_back(request.sampling.seed.value());
  EXPECT_EQ(seeds, (std::vector<uint64_t>{100, 102, 100, 7}));
}

}  // namespace
}  // namespace zermelo::llm
