#include "trust/kernels/second_kernel.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "trust/kernels/candidate_export.h"

namespace zermelo::trust {

namespace {

constexpr size_t kBytes = size_t{2} << 30U;

bool Declares(const Module& module, NameId name) {
  return std::any_of(module.constants.begin(), module.constants.end(),
                     [&](const Constant& constant) { return constant.name == name; });
}

/// Adds its life to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += core::Seconds(core::Clock::now() - begun_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  const core::Clock::time_point begun_ = core::Clock::now();
};

}  // namespace

std::string DisplayName(const KernelVerdict& kernel) {
  if (kernel.kernel == "lean-replay") return "Lean's kernel (replay)";
  return kernel.kernel == "zermelo" ? "Zermelo's kernel" : kernel.kernel;
}

SecondKernel::SecondKernel(Terms& terms, const Module& module, core::Deadline deadline)
    : terms_(terms), module_(module), deadline_(deadline) {}

void SecondKernel::End(Decision outcome, NameId declaration, std::string reason) {
  verdict_.outcome = outcome;
  verdict_.declaration = declaration == NameId::kAnonymous ? "" : terms_.Print(declaration);
  verdict_.reason = std::move(reason);
  if (outcome == Decision::kDeclined && environment_) {
    const NameId meant = kernel::MeantByName(*environment_);
    if (meant != NameId::kAnonymous) verdict_.meant_by_name = terms_.Print(meant);
  }
  environment_.reset();
  next_.reset();
}

core::Status SecondKernel::ReadImports(kernel::Library& library) {
  const Stopwatch stopwatch(seconds_);
  environment_ = std::make_unique<kernel::Environment>(terms_);
  if (auto violation = AddConstants(module_, terms_, *environment_)) {
    End(Decision::kRejected, violation->name, std::move(violation->reason));
    return {};
  }
  kernel::ImportOptions options;
  options.mode = *next_;
  const auto added = kernel::AddImports(ImportedModules(module_), library, options, *environment_);
  if (!added) return core::Fail(added.error());
  trusts_proofs_ = *next_ == Mode::kStatements && added->declarations > 0;
  if (added->violation) {
    const bool own = Declares(module_, added->violation->name);
    End(own ? Decision::kRejected : Decision::kDeclined, added->violation->name,
        added->violation->reason);
  }
  return {};
}

void SecondKernel::Run(const std::atomic<bool>* stop) {
  const Stopwatch stopwatch(seconds_);
  if (!environment_) return;
  kernel::CheckOptions options;
  options.order = kernel::Order::kByDependence;
  options.limits.time = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_.Left());
  options.limits.bytes = kBytes;
  options.stop = stop;
  options.keep_going = true;  // something declined must not hide what is wrong
  refused_.clear();
  options.on_verdict = [&](const kernel::CheckReport& one) { refused_.push_back(one.declaration); };
  const kernel::CheckReport found = kernel::Check(*environment_, options);
  if (found.outcome != Decision::kAccepted && trusts_proofs_) {
    next_ = Mode::kProofs;
    return;
  }
  End(found.outcome, found.declaration, found.reason);
}

}  // namespace zermelo::trust
