#include "serve/opaque.h"

#include <nlohmann/json.hpp>

namespace zermelo::serve {

using nlohmann::json;

namespace {

json Logged(VerificationStatus outcome, const std::vector<std::string>& reasons) {
  json logged;
  logged["verdict"] = Name(outcome);
  logged["reasons"] = reasons;
  return logged;
}

}  // namespace

void HideReasons(Verification& verification) {
  verification.messages.clear();
  verification.sorries.clear();
  switch (verification.outcome) {
    case VerificationStatus::kSorry:
      verification.sorries.emplace_back();
      break;
    case VerificationStatus::kRejected:
      verification.messages.emplace_back().text = Name(verification.outcome);
      break;
    case VerificationStatus::kCrashed:
      verification.error = "Lean crashed";
      break;
    default:
      break;
  }
}

void HideReasons(Judgement& judgement) {
  judgement.reasons.clear();
  judgement.axioms.clear();
  judgement.kernels.clear();
}

json LoggedReasons(const Verification& verification) {
  std::vector<std::string> reasons;
  if (!verification.error.empty()) reasons.push_back(verification.error);
  for (const Message& message : verification.messages) reasons.push_back(message.text);
  return Logged(verification.outcome, reasons);
}

json LoggedReasons(const Judgement& judgement) {
  return Logged(judgement.outcome, judgement.reasons);
}

}  // namespace zermelo::serve
