// Language models behind a server that corrupts a third of its replies: problems end as behind a
// faultless server, only later, and nothing is paid for twice.
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "core/files/file.h"
#include "llm/client.h"
#include "llm/seeding_model.h"
#include "llm/testing/sim_model.h"
#include "policy/model_policy.h"

namespace zermelo::policy {
namespace {

using nlohmann::json;

constexpr size_t kMostSamples = 40;
constexpr int kPerCall = 2;

struct TestProblem {
  CompletionInput input;
  std::string proof;  // known to the server; stands for a proof that Lean accepts
};

/// The 60 problems of minif2f-core, each with its own proof.
std::vector<TestProblem> Problems() {
  std::ifstream lines(ZERMELO_SOURCE_DIR "/bench/data/minif2f-core-valid.jsonl");
  std::vector<TestProblem> problems;
  for (std::string line; std::getline(lines, line);) {
    const json row = json::parse(line);
    TestProblem problem;
    const std::string statement = row.at("formal_statement");
    problem.input.theorem = syntax::TheoremOf(statement.substr(0, statement.rfind(" := by")));
    problem.input.theorem.header = row.at("header");
    problem.input.theorem.doc = row.at("informal_prefix");
    problem.proof = "have h := the_lemma_for_" + problem.input.theorem.name + "\nsimp at h\nomega";
    problems.push_back(std::move(problem));
  }
  return problems;
}

/// How a problem ended, and at what cost.
struct End {
  std::string proof;              // accepted; empty: none
  std::set<std::string> refused;  // whole proofs that are wrong
  size_t samples = 0;
  size_t broken = 0;  // samples whose stream broke
  llm::Spending spending;
  std::string error;
};

/// One dialect is enough for faults that take seconds.
bool HasSlowFaults(llm::DialectKind dialect) { return dialect == llm::DialectKind::kGeneric; }

/// These faults, and `slow` where slow ones are tried.
std::vector<std::string> And(std::vector<std::string> faults, const char* slow,
                             llm::DialectKind dialect) {
  if (HasSlowFaults(dialect)) faults.emplace_back(slow);
  return faults;
}

class ModelFaultsTest : public llm::testing::SimModelTest {
 protected:
  ModelFaultsTest() {
    std::ofstream table(table_);
    for (const TestProblem& problem : problems_) {
      const std::string& statement = problem.input.theorem.head;
      std::string proof = "  " + problem.proof;
      for (size_t at = 0; (at = proof.find('\n', at)) != std::string::npos;) {
        proof.replace(at, 1, "\n  ");
        at += 3;
      }
      table << json{{"name", problem.input.theorem.name},
                    {"statement", statement},
                    {"proof", proof}}
                   .dump()
            << '\n';
    }
  }

  /// Requests samples until one is the proof that the server knows; each sample has its own seed.
  core::Task<bool> Prove(CompletionPolicy& policy, const TestProblem& problem, End& end) {
    while (end.proof.empty() && end.samples < kMostSamples && end.error.empty()) {
      llm::CallContext call;
      call.deadline = core::testing::Generous();
      const auto samples = co_await policy.Complete(problem.input, kPerCall, std::move(call));
      if (!samples) {
        end.error = samples.error().message;
        co_return true;
      }
      end.spending += samples->spending;
      for (const Sample& sample : samples->samples) Judge(problem, sample, end);
    }
    co_return true;
  }

  static void Judge(const TestProblem& problem, const Sample& sample, End& end) {
    ++end.samples;
    if (sample.finish == llm::FinishReason::kBroken) {
      ++end.broken;
    } else if (sample.proof && sample.proof->tactics == problem.proof) {
      end.proof = sample.proof->tactics;
    } else if (sample.proof) {
      end.refused.insert(sample.proof->tactics);
    }
  }

  static core::Task<void> Into(core::Task<bool> task) { co_await std::move(task); }

  core::Task<bool> ProveAll(CompletionPolicy& policy, std::map<std::string, End>& ends) {
    core::TaskGroup group(executor);
    for (const TestProblem& problem : problems_) {
      group.Spawn(Into(Prove(policy, problem, ends[problem.input.theorem.name])));
    }
    co_await group.Join();
    co_return true;
  }

  struct Run {
    std::map<std::string, End> ends;  // by problem
    json log;
  };

  Run ProveAll(const char* format_name, llm::DialectKind dialect,
               std::vector<std::string> options) {
    options.insert(options.end(), {"--proofs", table_.string()});
    auto server = Start(options);
    llm::ClientConfig config;
    config.name = "sim";
    config.endpoints = {{.url = server.Url(), .model = "sim", .dialect = dialect}};
    if (HasSlowFaults(dialect)) {  // else a server that is held up would be asked, and paid, twice
      config.endpoints[0].timeouts.first_byte = std::chrono::seconds(3);
      config.endpoints[0].timeouts.idle = std::chrono::seconds(3);
    }
    config.retry.first_delay = std::chrono::milliseconds(5);
    config.retry.max_delay = std::chrono::milliseconds(50);
    config.retry.max_failures = 30;
    const auto client = llm::Client::Create(http, config).value();
    llm::SeedingModel seeding(*client, 0);
    ModelSetup setup;
    setup.model = &seeding;
    setup.format = llm::FindFormat(formats_, format_name).value();
    setup.origin = "sim";
    const auto policy = MakeModelCompletionPolicy(std::move(setup));
    Run run;
    core::testing::Await(io, ProveAll(*policy, run.ends));
    run.log = server.Log();
    return run;
  }

  const core::TemporaryFolder folder_ = *core::TemporaryFolder::Create("zermelo-faults-");
  const std::filesystem::path table_ = folder_.path() / "proofs.jsonl";
  const std::vector<TestProblem> problems_ = Problems();
  const llm::Formats formats_ =
      llm::LoadFormats(std::filesystem::path(ZERMELO_SOURCE_DIR) / "prompts").value();
};

/// Options that corrupt a third of the replies, with equal parts of the faults.
std::vector<std::string> AThirdOf(const std::vector<std::string>& faults) {
  std::vector<std::string> options{"--spoil", "0.3"};
  for (const std::string& fault : faults) {
    options.emplace_back("--fault");
    options.push_back(fault + "=" + std::to_string(1.0 / 3 / static_cast<double>(faults.size())));
  }
  return options;
}

/// The samples of a request: its prompt and its seeds.
std::vector<std::pair<std::string, uint64_t>> Asked(const json& entry) {
  const json& body = entry.at("body");
  const std::string prompt =
      body.contains("prompt") ? body.at("prompt").get<std::string>() : body.at("messages").dump();
  std::vector<std::pair<std::string, uint64_t>> asked;
  for (int i = 0; i < body.value("n", 1); ++i) {
    asked.emplace_back(prompt, body.at("seed").get<uint64_t>() + static_cast<uint64_t>(i));
  }
  return asked;
}

/// Checks that each sample arrived only once, whole or in part. Returns the tokens that were sent
/// for them.
int64_t TokensPaid(const json& log, const std::set<std::string>& lost) {
  std::set<std::pair<std::string, uint64_t>> paid;
  int64_t tokens = 0;
  for (const json& entry : log) {
    if (entry.at("tokens") == 0 || lost.contains(entry.at("fault"))) continue;
    tokens += entry.at("tokens").get<int64_t>();
    for (const auto& sample : Asked(entry)) {
      EXPECT_TRUE(paid.insert(sample).second)
          << "paid twice: " << sample.first << ", seed " << sample.second << ", fault "
          << entry.at("fault") << ", " << entry.at("end") << ", " << entry.at("tokens");
    }
  }
  return tokens;
}

/// A stream that breaks or is cut at its fence has no usage at its end, so the client counts or
/// estimates the cost. The server may have sent more than the client has read.
void ExpectNear(const llm::Spending& told, int64_t paid) {
  EXPECT_GE(told.completion_tokens, paid * 8 / 10);
  EXPECT_LE(told.completion_tokens, paid * 14 / 10);
}

class EachDialect : public ModelFaultsTest,
                    public ::testing::WithParamInterface<std::pair<const char*, llm::DialectKind>> {
};

// Faults instead of an answer, and unusable answers: nothing was paid for.
TEST_P(EachDialect, SixtyProblemsEndExactlyAsWithoutFaults) {
  const auto [format, dialect] = GetParam();
  const Run calm = ProveAll(format, dialect, {"--spoil", "0.3"});
  const Run rough =
      ProveAll(format, dialect,
               AThirdOf(And({"429", "429:0", "429-reset:10ms", "500", "503", "502", "408", "reset",
                             "close", "refused", "empty", "html", "error-200", "array-200",
                             "invalid-json", "wrong-types", "empty-choices", "no-choices"},
                            "stall", dialect)));
  ASSERT_EQ(calm.ends.size(), 60u);
  llm::Spending calm_cost, rough_cost;
  for (const auto& [name, end] : calm.ends) {
    const End& other = rough.ends.at(name);
    EXPECT_EQ(end.error + other.error, "") << name;
    EXPECT_NE(end.proof, "") << name;
    EXPECT_EQ(other.proof, end.proof) << name;
    EXPECT_EQ(other.refused, end.refused) << name;
    EXPECT_EQ(other.samples, end.samples) << name;
    calm_cost += end.spending;
    rough_cost += other.spending;
  }
  const auto faults = std::count_if(rough.log.begin(), rough.log.end(), [](const json& entry) {
    return !entry.at("fault").get_ref<const std::string&>().empty();
  });
  EXPECT_GT(static_cast<double>(faults), 0.25 * static_cast<double>(rough.log.size()));
  EXPECT_EQ(rough_cost.samples, calm_cost.samples);
  const std::set<std::string> lost{"wrong-types", "empty-choices", "no-choices"};
  const int64_t calm_paid = TokensPaid(calm.log, {}), rough_paid = TokensPaid(rough.log, lost);
  ExpectNear(calm_cost, calm_paid);
  ExpectNear(rough_cost, rough_paid);
  if (!rough_cost.estimated && !calm_cost.estimated) {  // the server reports usage with each token
    EXPECT_EQ(rough_paid, calm_paid);
    EXPECT_EQ(rough_cost.prompt_tokens, calm_cost.prompt_tokens);
    EXPECT_EQ(rough_cost.completion_tokens, calm_cost.completion_tokens);
    // The last event of each sample has no token.
    EXPECT_EQ(rough_cost.completion_tokens + rough_cost.samples, rough_paid);
  }
  EXPECT_GT(rough.log.size(), calm.log.size());
}

// Streams that break in the middle: partial replies are kept, paid for and not requested again; the
// problem gets its proof from a later sample.
TEST_P(EachDialect, BrokenStreamsAreKeptAndNotPaidForTwice) {
  const auto [format, dialect] = GetParam();
  const Run calm = ProveAll(format, dialect, {"--spoil", "0.3"});
  const Run rough = ProveAll(format, dialect, AThirdOf({"half", "half-garbage", "429:0", "500"}));
  size_t broken = 0;
  llm::Spending told;
  for (const auto& [name, end] : calm.ends) {
    const End& other = rough.ends.at(name);
    EXPECT_EQ(other.error, "") << name;
    EXPECT_EQ(other.proof, end.proof) << name;
    EXPECT_GE(other.samples, end.samples) << name;
    broken += other.broken;
    told += other.spending;
  }
  EXPECT_GT(broken, 10u);
  ExpectNear(told, TokensPaid(rough.log, {}));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, EachDialect,
    ::testing::Values(std::pair("deepseek-prover-v1.5", llm::DialectKind::kVllm),
                      std::pair("chat", llm::DialectKind::kOpenAi),
                      std::pair("goedel-prover-v2", llm::DialectKind::kGeneric)),
    [](const auto& info) { return std::string(llm::Describe(info.param.second).name); });

}  // namespace
}  // namespace zermelo::policy
