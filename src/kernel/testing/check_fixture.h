// Judges what a test states, and compares the verdict.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "kernel/testing/lean_text.h"

namespace zermelo::kernel::testing {

class CheckTest : public ::testing::Test {
 protected:
  void Accepts() {
    const CheckReport verdict = env_.Judge();
    EXPECT_EQ(verdict.outcome, Decision::kAccepted) << env_.Print(verdict);
  }
  void Refuses(Decision outcome, const std::string& reason) {
    const CheckReport verdict = env_.Judge();
    EXPECT_EQ(verdict.outcome, outcome) << env_.Print(verdict);
    EXPECT_NE(verdict.reason.find(reason), std::string::npos) << env_.Print(verdict);
  }
  void Rejects(const std::string& reason) { Refuses(Decision::kRejected, reason); }
  /// `a` and `b` are equal by definition, or not.
  void Equal(const std::string& type, const std::string& a, const std::string& b) {
    Claim(type, a, b);
    Accepts();
  }
  void Different(const std::string& type, const std::string& a, const std::string& b) {
    Claim(type, a, b);
    Rejects("does not have the declared type");
  }
  void Claim(const std::string& type, const std::string& a, const std::string& b) {
    const std::string sort = type == "A" ? "u" : "1";
    env_.Prove("claim.{u}", context_ + "Eq.{" + sort + "} (" + type + ") (" + a + ") (" + b + ")",
               Function() + "Eq.refl.{" + sort + "} (" + type + ") (" + a + ")");
  }
  std::string Function() const {
    if (context_.empty()) return "";
    return "fun " + context_.substr(0, context_.size() - 3) + "=> ";
  }

  TestEnvironment env_;
  std::string context_;  // binders before the claim, ending in "-> "
};

}  // namespace zermelo::kernel::testing
