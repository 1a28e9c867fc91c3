#include "trust/verdict.h"

#include <algorithm>
#include <future>
#include <map>
#include <unordered_set>
#include <utility>

#include "kernel/olean/declarations.h"
#include "trust/candidate_review.h"
#include "trust/read_module.h"

namespace zermelo::trust {

using enum ReasonCode;

std::optional<Reason> ReasonAgainst(const KernelVerdict& kernel, KernelUse use) {
  const std::string what =
      kernel.declaration.empty() ? "the compiled candidate" : "`" + kernel.declaration + "`";
  if (kernel.outcome == Decision::kRejected) {
    return Reason{kKernelRejected,
                  DisplayName(kernel) + " rejects " + what + ": " + kernel.reason + "."};
  }
  if (kernel.outcome != Decision::kDeclined) return std::nullopt;
  if (use == KernelUse::kRequired) {
    return Reason{kKernelDeclined, DisplayName(kernel) +
                                       ", whose verdict is required, declines to judge " + what +
                                       ": " + kernel.reason + "."};
  }
  if (kernel.meant_by_name.empty() || kernel.declines_only_the_original) return std::nullopt;
  return Reason{kKernelDeclined,
                DisplayName(kernel) + " declines to judge " + what + ": " + kernel.reason +
                    ". Lean's kernel cannot judge it instead, since the candidate declares `" +
                    kernel.meant_by_name +
                    "` itself, which Lean takes by its name for what it usually is."};
}

class Judging::Impl {
 public:
  explicit Impl(JudgeRequest request) : request_(std::move(request)) {}

  core::Status Begin(Library& library) {
    OleanImage image;
    if (auto opened = image.Open(request_.original); !opened) return opened;
    const auto own = PrivatePrefixes(image, terms_);
    if (!own) return core::Fail(own.error());
    auto original = ReadComplete(image, terms_, {});
    if (!original) return core::Fail(original.error());
    lean_ = original->header;
    if (request_.kernel == KernelUse::kOff) StartCheckingImports(library, *original);

    if (const auto opened = image.Open(request_.candidate); !opened)
      return Unreadable(opened.error());
    const auto theirs = PrivatePrefixes(image, terms_);
    if (!theirs) return Unreadable(theirs.error());
    // If the modules have different names, their private names get the same prefix, so that equal
    // names are equal.
    ReadOptions options;
    if (const NameId prefix = MostFrequent(*own); !own->empty() && !theirs->contains(prefix)) {
      options = {MostFrequent(*theirs), prefix};
    }
    auto candidate = ReadComplete(image, terms_, options);
    if (!candidate) return Unreadable(candidate.error());
    const auto violation = kernel::FindFalsePart(image, terms_, *candidate, options);
    if (!violation) return Unreadable(violation.error());
    candidate_.emplace(*std::move(candidate));
    CompareTerms(*original);
    auto review = ReviewCandidate(request_, library, terms_, IndexedModule(*std::move(original)),
                                  *candidate_);
    if (!review) return core::Fail(review.error());
    review_ = *std::move(review);
    if (*violation) {
      review_->verdict.reasons.push_back(
          {kPartsDiffer, "The compiled candidate contradicts itself about `" +
                             terms_.Print((*violation)->name) + "`: " + (*violation)->reason +
                             "."});
    }
    if (request_.kernel == KernelUse::kOff || !review_->verdict.reasons.empty()) return {};
    kernel_.emplace(terms_, candidate_->module, core::Deadline::After(request_.kernel_time));
    return Continue(library);
  }

  core::Status Continue(Library& library) {
    return needs_kernel() ? kernel_->ReadImports(library) : core::Status();
  }

  std::unique_ptr<CandidateExport> Export() {
    if (!candidate_) return nullptr;
    return std::make_unique<CandidateExport>(terms_, candidate_->module);
  }

  bool needs_kernel() const { return kernel_ && kernel_->open(); }
  void RunKernel(const std::atomic<bool>* stop) { kernel_->Run(stop); }

  core::Result<Verdict> Finish(const Library& library) {
    Verdict verdict = review_ ? std::move(review_->verdict) : std::move(unreadable_);
    verdict.lean_version = lean_.lean_version;
    verdict.lean_commit = lean_.commit;
    if (review_ && review_->closure) {
      const bool is_checked = check_.valid() && review_->closure == checked_;
      auto same = is_checked ? check_.get() : library.CheckUnchanged(*review_->closure);
      if (!same) return core::Fail(same.error());
    }
    if (kernel_) AddKernel(kernel_->verdict(), &verdict);
    verdict.accepted = verdict.reasons.empty() && !verdict.targets.empty();
    for (TargetVerdict& target : verdict.targets) {
      target.accepted = verdict.reasons.empty() && target.reasons.empty();
      verdict.accepted = verdict.accepted && target.accepted;
    }
    return verdict;
  }

 private:
  core::Status Unreadable(const core::Error& error) {
    unreadable_.reasons.push_back(
        {kCandidateUnreadable, "The compiled candidate cannot be read: " + error.message + "."});
    for (const std::string& name : request_.targets)
      unreadable_.targets.push_back({name, false, {}, {}});
    return {};
  }

  /// Begins to check that the imports are still what was hashed. Lean has ended, so it has read
  /// them already; Zermelo's kernel would still read some.
  void StartCheckingImports(Library& library, const Module& original) {
    const auto closure = library.ClosureOf(NamesOfImports(original, terms_));
    if (!closure) return;
    checked_ = *closure;
    check_ = library.StartCheck(*checked_);
  }

  /// Both modules are in one arena, so equal terms have equal ids.
  void CompareTerms(const Module& original) {
    for (const Constant& constant : original.constants) {
      const Constant* now = candidate_->Find(constant.name);
      const bool same = now != nullptr && *now == constant;
      if (same) kept_.insert(constant.name);
      if (!same && constant.kind != ConstantKind::kTheorem) keeps_definitions_ = false;
    }
  }

  void AddKernel(const KernelVerdict& found, Verdict* verdict) const {
    verdict->kernel = found;
    const auto& refused = kernel_->refused();
    verdict->kernel->declines_only_the_original =
        found.outcome == Decision::kDeclined && keeps_definitions_ && !refused.empty() &&
        std::ranges::all_of(refused, [&](NameId name) { return kept_.contains(name); });
    verdict->kernel_seconds = kernel_->seconds();
    if (auto reason = ReasonAgainst(*verdict->kernel, request_.kernel))
      verdict->reasons.push_back(*std::move(reason));
  }

  const JudgeRequest request_;
  Terms terms_;
  kernel::OleanHeader lean_;
  Verdict unreadable_;  // without a review_
  std::optional<IndexedModule> candidate_;
  std::shared_ptr<const kernel::Closure> checked_;  // the imports that check_ looks at
  std::future<core::Status> check_;
  std::optional<CandidateReview> review_;  // nullopt: the candidate cannot be read
  std::optional<SecondKernel> kernel_;
  std::unordered_set<NameId> kept_;  // constants of the original that the candidate has unchanged
  bool keeps_definitions_ = true;    // whatever is no theorem is one of them
};

Judging::Judging(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Judging::Judging(Judging&&) noexcept = default;
Judging& Judging::operator=(Judging&&) noexcept = default;
Judging::~Judging() = default;

core::Result<Judging> Judging::Begin(const JudgeRequest& request, Library& library) {
  auto impl = std::make_unique<Impl>(request);
  if (auto begun = impl->Begin(library); !begun) return core::Fail(begun.error());
  return Judging(std::move(impl));
}

bool Judging::needs_kernel() const { return impl_->needs_kernel(); }
void Judging::RunKernel(const std::atomic<bool>* stop) { impl_->RunKernel(stop); }
core::Status Judging::Continue(Library& library) { return impl_->Continue(library); }
core::Result<Verdict> Judging::Finish(const Library& library) { return impl_->Finish(library); }

std::unique_ptr<CandidateExport> Judging::Export() { return impl_->Export(); }

core::Result<Verdict> Judge(const JudgeRequest& request, Library& library) {
  auto judging = Judging::Begin(request, library);
  if (!judging) return core::Fail(judging.error());
  while (judging->needs_kernel()) {
    judging->RunKernel();
    if (auto continued = judging->Continue(library); !continued)
      return core::Fail(continued.error());
  }
  return judging->Finish(library);
}

}  // namespace zermelo::trust
