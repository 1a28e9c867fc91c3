#include "policy/model_policy.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::policy {

using core::Fail;
using core::Result;
using core::Task;

namespace {

std::optional<double> SumOfLogprobs(const llm::Completion& completion) {
  if (completion.logprobs.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& token : completion.logprobs) sum += token.logprob;
  if (!std::isfinite(sum)) return std::nullopt;
  return sum;
}

llm::Spending SpendingOf(const llm::Reply& reply, const llm::Price& price) {
  return llm::Cost(price, reply.usage, static_cast<int64_t>(reply.completions.size()));
}

/// The draws of examples of successive calls.
class Draws {
 public:
  explicit Draws(uint64_t seed) : next_(seed << 20U) {}
  uint64_t Next() { return next_++; }

 private:
  uint64_t next_;
};

class ModelCompletionPolicy : public CompletionPolicy {
 public:
  explicit ModelCompletionPolicy(ModelSetup setup)
      : setup_(std::move(setup)), draws_(setup_.seed) {}

  Task<Result<Samples>> Complete(CompletionInput input, size_t n, llm::CallContext call) override {
    auto prompt = PromptOf(input);
    prompt.draw = draws_.Next();
    auto request = setup_.format.Build(prompt);
    if (!request) co_return Fail(request.error());
    request->sampling.n = static_cast<int>(n);
    auto reply = co_await setup_.model->Generate(*std::move(request), std::move(call));
    if (!reply) co_return Fail(reply.error());
    Samples samples;
    samples.spending = SpendingOf(*reply, setup_.price);
    for (auto& completion : reply->completions) {
      samples.samples.push_back(Read(input, std::move(completion)));
    }
    co_return samples;
  }

  bool ContinuesProofs() const override { return setup_.format.ContinuesProofs(); }

 private:
  Sample Read(const CompletionInput& input, llm::Completion completion) const {
    return {.proof = ReadProof(setup_.format.reply, input.theorem, completion.text, input.prefix,
                               setup_.format.keeps_auxiliary),
            .reply = std::move(completion.text),
            .finish = completion.finish,
            .logprob = SumOfLogprobs(completion),
            .origin = setup_.origin};
  }

  const ModelSetup setup_;
  Draws draws_;
};

/// The first tactic of a proof after its prefix; empty if it does not begin with the prefix.
std::string NextTactic(const std::string& proof, const std::string& prefix) {
  const auto done = syntax::WordsOf(prefix), all = syntax::WordsOf(proof);
  const auto [end, first] = std::mismatch(done.begin(), done.end(), all.begin(), all.end());
  if (end != done.end() || first == all.end()) return "";
  const auto at = static_cast<size_t>(first->data() - proof.data());
  for (const auto& segment : syntax::SplitTactics(proof)) {
    if (segment.code_begin >= at) {
      return proof.substr(segment.code_begin, segment.end - segment.code_begin);
    }
  }
  return "";
}

CompletionInput InputOf(const StepContext& context) {
  CompletionInput input;
  input.theorem = context.theorem;
  input.prefix = context.prefix;
  input.state = context.printed;
  return input;
}

class ModelStepPolicy : public Policy {
 public:
  explicit ModelStepPolicy(ModelSetup setup) : setup_(std::move(setup)), draws_(setup_.seed) {
    setup_.format.sampling.logprobs = IsStep();
  }

  Task<Result<Proposal>> Propose(StepContext context, size_t n, llm::CallContext call) override {
    auto prompt = PromptOf(InputOf(context));
    prompt.draw = draws_.Next();
    auto request = setup_.format.Build(prompt);
    if (!request) co_return Fail(request.error());
    request->sampling.n = static_cast<int>(n);
    const auto reply = co_await setup_.model->Generate(*std::move(request), std::move(call));
    if (!reply) co_return Fail(reply.error());
    Proposal proposal;
    proposal.spending = SpendingOf(*reply, setup_.price);
    proposal.samples = reply->completions.size();
    proposal.candidates = Read(context, reply->completions);
    co_return proposal;
  }

 private:
  bool IsStep() const { return setup_.format.reply == llm::ReplyKind::kTactic; }

  std::string TacticOf(const StepContext& context, const llm::Completion& completion) const {
    if (IsStep()) return ReadTactic(completion.text).value_or("");
    const auto proof = ReadProof(setup_.format.reply, context.theorem, completion.text,
                                 context.prefix, setup_.format.keeps_auxiliary);
    return proof ? NextTactic(proof->tactics, context.prefix) : "";
  }

  std::vector<Candidate> Read(const StepContext& context,
                              const std::vector<llm::Completion>& completions) const {
    struct Seen {
      size_t times = 0;
      std::optional<double> cost;
    };
    std::map<std::string, Seen> tactics;
    for (const auto& completion : completions) {
      const std::string tactic = TacticOf(context, completion);
      if (tactic.empty() || syntax::UsesSorry(tactic)) continue;
      Seen& seen = tactics[tactic];
      ++seen.times;
      const auto logprob = IsStep() ? SumOfLogprobs(completion) : std::nullopt;
      if (!logprob) continue;
      const double cost = -*logprob / static_cast<double>(completion.logprobs.size());
      seen.cost = std::min(seen.cost.value_or(cost), cost);
    }
    std::vector<Candidate> candidates;
    for (const auto& [tactic, seen] : tactics) {
      const double share =
          static_cast<double>(seen.times) / static_cast<double>(completions.size());
      Candidate candidate;
      candidate.tactic = tactic;
      candidate.cost = std::max(0.0, seen.cost.value_or(-std::log(share)));
      candidate.origin = setup_.origin;
      candidate.sampled = true;
      candidates.push_back(std::move(candidate));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    return candidates;
  }

  ModelSetup setup_;
  Draws draws_;
};

}  // namespace

llm::PromptInput PromptOf(const CompletionInput& input) {
  llm::PromptInput prompt;
  prompt.header = input.theorem.header;
  prompt.informal = input.theorem.doc;
  prompt.statement = input.theorem.Opening();
  prompt.name = input.theorem.name;
  prompt.prefix = input.prefix;
  prompt.state = input.state;
  prompt.failed = input.failed;
  return prompt;
}

std::string PrefixOf(std::string_view tactics) {
  std::string prefix = core::Indented(tactics, 2);
  if (!prefix.empty() && prefix.back() != '\n') prefix += '\n';
  return prefix;
}

std::unique_ptr<CompletionPolicy> MakeModelCompletionPolicy(ModelSetup setup) {
  return std::make_unique<ModelCompletionPolicy>(std::move(setup));
}

std::unique_ptr<Policy> MakeModelStepPolicy(ModelSetup setup) {
  return std::make_unique<ModelStepPolicy>(std::move(setup));
}

}  // namespace zermelo::policy
