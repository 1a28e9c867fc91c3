#include "policy/ensemble_policy.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>

namespace zermelo::policy {

using core::Fail;
using core::Result;
using core::Task;

namespace {

template <class P>
std::vector<MemberReport> ReportsOn(const std::vector<Member<P>>& members, size_t free = 0) {
  const auto weights = WeightsOf(members);
  const double sum =
      std::accumulate(weights.begin() + static_cast<std::ptrdiff_t>(free), weights.end(), 0.0);
  std::vector<MemberReport> reports;
  for (const auto& member : members) {
    MemberReport report;
    report.name = member.name;
    report.weight = member.weight;
    report.share = reports.size() < free ? 0 : member.weight / sum;
    reports.push_back(std::move(report));
  }
  return reports;
}

template <class P>
std::vector<Member<P>> Joined(std::vector<Member<P>> first, std::vector<Member<P>> second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

/// Counts an answer or an error; `first_error` keeps the first error.
template <class Answer>
bool Note(const Result<Answer>& answer, MemberReport& report,
          std::optional<core::Error>* first_error) {
  if (answer) {
    report.spending += answer->spending;
    return true;
  }
  ++report.failures;
  report.last_error = answer.error().message;
  // What is wrong with a prompt for one member hides no error of another.
  if (!*first_error || (*first_error)->code == core::ErrorCode::kTooLong ||
      (*first_error)->code == core::ErrorCode::kRefused) {
    *first_error = answer.error();
  }
  return false;
}

void NoteSuccess(std::vector<MemberReport>& reports, const std::string& origin) {
  for (MemberReport& report : reports) {
    if (report.name == origin) ++report.succeeded;
  }
}

/// The call of one member, which also reports the cost of failed calls as the member's.
template <class P>
llm::CallContext CallOf(const Member<P>& member, const llm::CallContext& call,
                        MemberReport& report) {
  llm::CallContext own = call;
  own.on_lost_usage = [&report, price = member.price,
                       tell = call.on_lost_usage](const llm::Usage& usage) {
    report.spending += llm::Cost(price, usage, 0);
    if (tell) tell(usage);
  };
  return own;
}

template <class Answer>
Task<void> Into(Task<Result<Answer>> task, std::optional<Result<Answer>>& place) {
  place = co_await std::move(task);
}

}  // namespace

void to_json(nlohmann::json& json, const MemberReport& report) {
  json = {{"name", report.name},
          {"share", report.share},
          {"samples", report.spending.samples},
          {"proposed", report.proposed},
          {"succeeded", report.succeeded},
          {"failures", report.failures},
          {"dollars", report.spending.dollars}};
  if (!report.last_error.empty()) json["last_error"] = report.last_error;
}

Shares::Shares(std::vector<double> weights)
    : weights_(std::move(weights)),
      credit_(weights_.size(), 0),
      sum_(std::accumulate(weights_.begin(), weights_.end(), 0.0)) {}

std::vector<size_t> Shares::Take(size_t n) {
  std::vector<size_t> taken(weights_.size(), 0);
  if (weights_.empty()) return taken;
  for (size_t sample = 0; sample < n; ++sample) {
    for (size_t i = 0; i < weights_.size(); ++i) credit_[i] += weights_[i];
    const auto next = std::max_element(credit_.begin(), credit_.end());
    *next -= sum_;
    ++taken[static_cast<size_t>(next - credit_.begin())];
  }
  return taken;
}

EnsemblePolicy::EnsemblePolicy(std::vector<Member<Policy>> free,
                               std::vector<Member<Policy>> members, size_t samples_per_state)
    : free_(free.size()), samples_per_state_(samples_per_state), shares_(WeightsOf(members)) {
  members_ = Joined(std::move(free), std::move(members));
  reports_ = ReportsOn(members_, free_);
}
EnsemblePolicy::~EnsemblePolicy() = default;

Task<Result<Proposal>> EnsemblePolicy::Propose(StepContext context, size_t n,
                                               llm::CallContext call) {
  std::vector<size_t> wanted(free_, n);
  for (const size_t share : shares_.Take(std::min(n, samples_per_state_))) wanted.push_back(share);
  std::vector<std::optional<Result<Proposal>>> answers(members_.size());
  core::TaskGroup group(co_await boost::asio::this_coro::executor);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (wanted[i] == 0) continue;
    llm::CallContext own = CallOf(members_[i], call, reports_[i]);
    group.Spawn(Into(members_[i].policy->Propose(context, wanted[i], std::move(own)), answers[i]));
  }
  co_await group.Join();
  Proposal proposal;
  std::optional<core::Error> error;
  std::set<std::string> seen;
  bool any = false;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!answers[i] || !Note(*answers[i], reports_[i], &error)) continue;
    any = true;
    proposal.spending += (*answers[i])->spending;
    proposal.samples += (*answers[i])->samples;
    for (Candidate& candidate : (*answers[i])->candidates) {
      ++reports_[i].proposed;
      if (!seen.insert(candidate.tactic).second) continue;
      candidate.origin = members_[i].name;
      proposal.candidates.push_back(std::move(candidate));
    }
  }
  if (!any && error) co_return Fail(*error);
  std::stable_sort(proposal.candidates.begin(), proposal.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  co_return proposal;
}

bool EnsemblePolicy::wants_library() const {
  return std::ranges::any_of(members_,
                             [](const auto& member) { return member.policy->wants_library(); });
}

size_t EnsemblePolicy::most_effort() const {
  size_t most = 0;
  for (const auto& member : members_) most = std::max(most, member.policy->most_effort());
  return most;
}

void EnsemblePolicy::Succeeded(const std::string& origin) { NoteSuccess(reports_, origin); }

/// The ensemble restricted to one member.
class CompletionEnsemble::OneMember : public CompletionPolicy {
 public:
  OneMember(CompletionEnsemble& ensemble, size_t index) : ensemble_(ensemble), index_(index) {}
  Task<Result<Samples>> Complete(CompletionInput input, size_t n, llm::CallContext call) override {
    std::vector<size_t> wanted(ensemble_.members_.size(), 0);
    wanted[index_] = n;
    return ensemble_.CompleteBy(std::move(wanted), std::move(input), std::move(call));
  }
  bool ContinuesProofs() const override { return ensemble_.ContinuesProofs(); }
  void Succeeded(const std::string& origin) override { ensemble_.Succeeded(origin); }

 private:
  CompletionEnsemble& ensemble_;
  const size_t index_;
};

CompletionEnsemble::CompletionEnsemble(std::vector<Member<CompletionPolicy>> members)
    : members_(std::move(members)), shares_(WeightsOf(members_)), reports_(ReportsOn(members_)) {
  for (size_t i = 0; i < members_.size(); ++i) {
    alone_.push_back(std::make_unique<OneMember>(*this, i));
  }
}
CompletionEnsemble::~CompletionEnsemble() = default;

CompletionPolicy& CompletionEnsemble::ForTree(size_t tree) {
  Shares shares(WeightsOf(members_));
  shares.Take(tree);
  const auto next = shares.Take(1);
  const auto member = std::find(next.begin(), next.end(), 1U);
  if (member == next.end()) return *this;
  return *alone_[static_cast<size_t>(member - next.begin())];
}

bool CompletionEnsemble::ContinuesProofs() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const auto& member) { return member.policy->ContinuesProofs(); });
}

Task<Result<Samples>> CompletionEnsemble::Complete(CompletionInput input, size_t n,
                                                   llm::CallContext call) {
  return CompleteBy(shares_.Take(n), std::move(input), std::move(call));
}

Task<Result<Samples>> CompletionEnsemble::CompleteBy(std::vector<size_t> wanted,
                                                     CompletionInput input, llm::CallContext call) {
  std::vector<std::optional<Result<Samples>>> answers(members_.size());
  core::TaskGroup group(co_await boost::asio::this_coro::executor);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (wanted[i] == 0) continue;
    llm::CallContext own = CallOf(members_[i], call, reports_[i]);
    group.Spawn(Into(members_[i].policy->Complete(input, wanted[i], std::move(own)), answers[i]));
  }
  co_await group.Join();
  Samples samples;
  std::optional<core::Error> error;
  bool any = false;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!answers[i] || !Note(*answers[i], reports_[i], &error)) continue;
    any = true;
    samples.spending += (*answers[i])->spending;
    for (Sample& sample : (*answers[i])->samples) {
      reports_[i].proposed += sample.proof ? 1 : 0;
      sample.origin = members_[i].name;
      samples.samples.push_back(std::move(sample));
    }
  }
  if (!any && error) co_return Fail(*error);
  co_return samples;
}

void CompletionEnsemble::Succeeded(const std::string& origin) { NoteSuccess(reports_, origin); }

}  // namespace zermelo::policy
