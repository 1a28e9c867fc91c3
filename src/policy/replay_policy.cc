#include "policy/replay_policy.h"

#include <deque>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace zermelo::policy {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

class RecordingPolicy : public Policy {
 public:
  RecordingPolicy(Policy& inner, std::vector<RecordedProposal>& log) : inner_(inner), log_(log) {}

  Task<Result<Proposal>> Propose(StepContext context, size_t n, llm::CallContext call) override {
    RecordedProposal record;
    record.state = context.theorem.state;
    record.prefix = context.theorem.prefix;
    record.n = n;
    auto proposal = co_await inner_.Propose(std::move(context), n, std::move(call));
    if (!proposal) co_return proposal;
    record.candidates = proposal->candidates;
    log_.push_back(std::move(record));
    co_return proposal;
  }

  bool wants_library() const override { return inner_.wants_library(); }
  void Succeeded(const std::string& origin) override { inner_.Succeeded(origin); }

 private:
  Policy& inner_;
  std::vector<RecordedProposal>& log_;
};

class ReplayPolicy : public Policy {
 public:
  explicit ReplayPolicy(std::vector<RecordedProposal> log) {
    for (auto& record : log) {
      const Key key(record.state, record.prefix, record.n);
      answers_[key].push_back(std::move(record.candidates));
    }
  }

  Task<Result<Proposal>> Propose(StepContext context, size_t n, llm::CallContext) override {
    const auto found = answers_.find(KeyOf(context, n));
    if (found == answers_.end() || found->second.empty()) {
      co_return Fail(ErrorCode::kInput,
                     fmt::format("{} proposals for this state were recorded{}:\n{}", n,
                                 found == answers_.end() ? " never" : ", but not so often",
                                 context.theorem.state));
    }
    Proposal proposal;
    proposal.candidates = std::move(found->second.front());
    found->second.pop_front();
    co_return proposal;
  }

 private:
  using Key = std::tuple<std::string, std::string, size_t>;
  static Key KeyOf(const StepContext& context, size_t n) {
    return {context.theorem.state, context.theorem.prefix, n};
  }

  std::map<Key, std::deque<std::vector<Candidate>>> answers_;
};

Candidate CandidateFrom(const json& value) {
  Candidate candidate;
  value.at("tactic").get_to(candidate.tactic);
  value.at("cost").get_to(candidate.cost);
  value.at("closing").get_to(candidate.closing);
  value.at("origin").get_to(candidate.origin);
  return candidate;
}

RecordedProposal ProposalFrom(const json& value) {
  RecordedProposal record;
  value.at("state").get_to(record.state);
  value.at("prefix").get_to(record.prefix);
  value.at("n").get_to(record.n);
  for (const json& candidate : value.at("candidates")) {
    record.candidates.push_back(CandidateFrom(candidate));
  }
  return record;
}

}  // namespace

std::string ToJsonLine(const RecordedProposal& proposal) {
  json candidates = json::array();
  for (const Candidate& c : proposal.candidates) {
    candidates.push_back(
        {{"tactic", c.tactic}, {"cost", c.cost}, {"closing", c.closing}, {"origin", c.origin}});
  }
  const json line{{"state", proposal.state},
                  {"prefix", proposal.prefix},
                  {"n", proposal.n},
                  {"candidates", std::move(candidates)}};
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<std::vector<RecordedProposal>> ReadProposals(std::string_view lines) {
  std::vector<RecordedProposal> log;
  for (size_t number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    try {
      log.push_back(ProposalFrom(json::parse(line)));
    } catch (const json::exception& e) {
      return Fail(ErrorCode::kInput,
                  fmt::format("line {} is no recorded proposal: {}", number, e.what()));
    }
  }
  return log;
}

std::unique_ptr<Policy> MakeRecordingPolicy(Policy& inner, std::vector<RecordedProposal>& log) {
  return std::make_unique<RecordingPolicy>(inner, log);
}

std::unique_ptr<Policy> MakeReplayPolicy(std::vector<RecordedProposal> log) {
  return std::make_unique<ReplayPolicy>(std::move(log));
}

}  // namespace zermelo::policy
