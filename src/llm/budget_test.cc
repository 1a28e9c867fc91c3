#include "llm/budget.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "llm/testing/fake_model.h"

namespace zermelo::llm {
namespace {

using core::ErrorCode;
using core::Result;
using core::testing::Await;
using core::testing::Generous;
using core::testing::RunUntil;
using core::testing::Soon;
using core::testing::Started;
using testing::Answer;
using testing::Ask;
using testing::FakeModel;
using testing::Within;

const Price kPrice{.prompt = 2, .cached_prompt = 0.5, .completion = 10};

class BudgetTest : public ::testing::Test {
 protected:
  void Make(BudgetLimits total, BudgetLimits own = {}) {
    std::map<std::string, ModelBudget> models;
    models["m"] = {kPrice, own};
    budget = std::make_unique<Budget>(io.get_executor(), total, models);
    limited = budget->Limit(model);
  }
  Request Small(int n = 1) {
    Request request = Ask("a", n);
    request.sampling.max_tokens = 100;
    return request;
  }
  Result<Reply> Call(int n = 1) {
    return Await(io, limited->Generate(Small(n), Within(Generous())));
  }
  std::unique_ptr<Started<Result<Reply>>> Start(core::Deadline deadline = Generous(),
                                                core::Cancellation* cancellation = nullptr) {
    CallContext context = Within(deadline);
    context.cancellation = cancellation;
    return std::make_unique<Started<Result<Reply>>>(io, limited->Generate(Small(), context));
  }
  void Settle() {
    io.restart();
    io.poll();
  }

  boost::asio::io_context io;
  FakeModel model{
      io.get_executor(), "m", [](const Request& request, size_t) {
        return Answer(std::vector<std::string>(static_cast<size_t>(request.sampling.n), "x"));
      }};
  std::unique_ptr<Budget> budget;
  std::unique_ptr<Model> limited;
};

TEST(DollarsTest, CachedTokensHaveTheirOwnPrice) {
  EXPECT_DOUBLE_EQ(Dollars(kPrice, {1'000'000, 400'000, 100'000, false}), 1.2 + 0.2 + 1.0);
  EXPECT_DOUBLE_EQ(Dollars({.prompt = 2, .completion = 10}, {1'000'000, 400'000, 0, false}), 2.0);
}

TEST_F(BudgetTest, EverythingIsCounted) {
  Make({});
  ASSERT_TRUE(Call(2));
  ASSERT_TRUE(Call(1));
  const Spending& total = budget->total();
  EXPECT_EQ(total.calls, 2);
  EXPECT_EQ(total.samples, 3);
  EXPECT_EQ(total.prompt_tokens, 20);
  EXPECT_EQ(total.completion_tokens, 15);
  EXPECT_DOUBLE_EQ(total.dollars, (20 * 2 + 15 * 10) / 1e6);
  EXPECT_EQ(budget->models().at("m").samples, 3);
  EXPECT_FALSE(budget->exhausted());
}

TEST_F(BudgetTest, CallsAreCountedByRoleToo) {
  Make({});
  const auto prover = budget->Limit(model, "prover"), judge = budget->Limit(model, "judge");
  for (Model* asked : {prover.get(), judge.get(), prover.get(), limited.get()}) {
    ASSERT_TRUE(Await(io, asked->Generate(Small(), Within(Generous()))));
  }
  ASSERT_EQ(budget->roles().size(), 2U);
  EXPECT_EQ(budget->roles().at("prover").at("m").calls, 2);
  EXPECT_EQ(budget->roles().at("judge").at("m").tokens(), 15);
  EXPECT_EQ(budget->models().at("m").calls, 4);
}

TEST_F(BudgetTest, SamplesAreNeverExceeded) {
  Make({.samples = 5});
  ASSERT_TRUE(Call(3));
  ASSERT_TRUE(Call(3));
  EXPECT_EQ(model.requests.back().sampling.n, 2) << "the remaining samples";
  EXPECT_TRUE(budget->exhausted());
  const auto refused = Call();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(refused.error().message, "the budget of all models is used up");
  EXPECT_EQ(model.requests.size(), 2u);
}

TEST_F(BudgetTest, TokensAndMoneyStopTheNextCall) {
  Make({.tokens = 20});
  ASSERT_TRUE(Call());
  EXPECT_FALSE(budget->exhausted());
  ASSERT_TRUE(Call());
  EXPECT_FALSE(Call());
  EXPECT_EQ(budget->total().tokens(), 30);

  Make({.dollars = 0.0001});
  ASSERT_TRUE(Call());
  ASSERT_TRUE(Call());
  EXPECT_FALSE(Call());
}

TEST_F(BudgetTest, AModelHasItsOwnLimit) {
  Make({}, {.samples = 1});
  FakeModel other(io.get_executor(), "other", [](const Request&, size_t) { return Answer({"y"}); });
  const auto also = budget->Limit(other);
  ASSERT_TRUE(Call());
  EXPECT_EQ(Call().error().message, "the budget of m is used up");
  EXPECT_TRUE(Await(io, also->Generate(Small(), Within(Generous()))));
  EXPECT_FALSE(budget->exhausted());
}

TEST_F(BudgetTest, CallsInFlightCountWithTheirMaximumCost) {
  Make({.tokens = 150});  // one call may cost 101
  model.Hold();
  const auto first = Start();
  const auto second = Start();
  const auto third = Start();
  RunUntil(io, [&] { return model.requests.size() == 2; });
  Settle();
  EXPECT_EQ(model.requests.size(), 2u) << "the third waits for the reservations";
  model.Release();
  EXPECT_TRUE(third->Get()) << "the others cost less than they might have";
  EXPECT_TRUE(first->Get());
  EXPECT_TRUE(second->Get());
  EXPECT_EQ(budget->total().tokens(), 45);
}

TEST_F(BudgetTest, ManyCallsAtOnceExceedNothing) {
  Make({.samples = 10});
  std::vector<std::unique_ptr<Started<Result<Reply>>>> calls;
  for (int i = 0; i < 40; ++i) calls.push_back(Start());
  int answered = 0;
  for (const auto& call : calls) answered += call->Get() ? 1 : 0;
  EXPECT_EQ(answered, 10);
  EXPECT_EQ(budget->total().samples, 10);
}

TEST_F(BudgetTest, WaitingEndsAtTheDeadlineAndOnCancellation) {
  Make({.samples = 1});
  model.Hold();
  const auto running = Start();
  RunUntil(io, [&] { return model.requests.size() == 1; });
  EXPECT_EQ(Start(Soon())->Get().error().code, ErrorCode::kTimeout);
  core::Cancellation cancellation;
  const auto waiting = Start(Generous(), &cancellation);
  Settle();
  EXPECT_FALSE(waiting->done());
  cancellation.Request();
  EXPECT_EQ(waiting->Get().error().code, ErrorCode::kCancelled);
  model.Release();
  EXPECT_TRUE(running->Get());
}

TEST_F(BudgetTest, AFailedCallGivesItsReservationBack) {
  int left = 1;
  FakeModel failing(io.get_executor(), "m", [&](const Request&, size_t) -> Result<Reply> {
    if (left-- > 0) return core::Fail(ErrorCode::kEnvironment, "refused");
    return Answer({"x"});
  });
  Make({.samples = 1});
  limited = budget->Limit(failing);
  EXPECT_FALSE(Call());
  EXPECT_EQ(budget->total().calls, 0);
  EXPECT_TRUE(Call());
}

TEST_F(BudgetTest, ACallThatWasCutOffIsChargedItsPrompt) {
  Make({});
  model.Hold();
  Usage told;
  CallContext context = Within(Soon());
  context.on_lost_usage = [&](const Usage& usage) { told = usage; };
  EXPECT_FALSE(Await(io, limited->Generate(Small(), std::move(context))));
  EXPECT_EQ(budget->total().prompt_tokens, 1);
  EXPECT_TRUE(budget->total().estimated);
  EXPECT_EQ(told.prompt_tokens, 1);
}

/// Fails after tokens were paid for.
class LosingModel : public Model {
 public:
  core::Task<Result<Reply>> Generate(Request, CallContext context) override {
    Usage usage;
    usage.prompt_tokens = 7;
    usage.completion_tokens = 3;
    context.on_lost_usage(usage);
    co_return core::Fail(ErrorCode::kEnvironment, "gone");
  }
  const std::string& name() const override { return name_; }

 private:
  const std::string name_ = "m";
};

TEST_F(BudgetTest, TheCostOfAFailedCallIsCountedAndReported) {
  Make({});
  LosingModel losing;
  limited = budget->Limit(losing);
  Usage told;
  CallContext context = Within(Generous());
  context.on_lost_usage = [&](const Usage& usage) { told = usage; };
  EXPECT_FALSE(Await(io, limited->Generate(Small(), std::move(context))));
  EXPECT_EQ(told.prompt_tokens, 7);
  EXPECT_EQ(budget->total().prompt_tokens, 7);
  EXPECT_EQ(budget->total().completion_tokens, 3);
  EXPECT_EQ(budget->total().samples, 0);
}

TEST_F(BudgetTest, ASummaryForPeople) {
  Make({.samples = 64, .dollars = 1.0});
  EXPECT_EQ(budget->Summary(),
            "0 of 64 samples in 0 calls, 0 tokens (0 in, 0 out), $0.00 of $1.00");
  ASSERT_TRUE(Call(12));
  EXPECT_EQ(budget->Summary(),
            "12 of 64 samples in 1 calls, 70 tokens (10 in, 60 out), $0.0006 of $1.00");
  FakeModel other(io.get_executor(), "other", [](const Request&, size_t) {
    Reply reply = Answer({"y"});
    reply.usage = {41'000, 0, 200, true};
    return reply;
  });
  const auto also = budget->Limit(other);
  ASSERT_TRUE(Await(io, also->Generate(Small(), Within(Generous()))));
  EXPECT_EQ(budget->Summary(),
            "13 of 64 samples in 2 calls, ~41.3k tokens (41.0k in, 260 out), ~$0.0006 of $1.00: "
            "m 12 for $0.0006, other 1 for $0.00");
}

}  // namespace
}  // namespace zermelo::llm
