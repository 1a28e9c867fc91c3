#include "engine/acceptance/objections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kOriginal = "theorem t : p := by\n  sorry\n";
const std::string kSwitched = "set_option debug.skipKernelTC true in\ntheorem t : p := by rfl\n";

TEST(Objections, AnHonestTextHasNone) {
  const Objections found = ObjectionsInSource(kOriginal, "theorem t : p := by\n  rfl\n");
  EXPECT_THAT(found.reasons, IsEmpty());
  EXPECT_THAT(found.hints, IsEmpty());
}

TEST(Objections, ASwitchOfLeansKernelMayBeAHint) {
  const Objections found = ObjectionsInSource(kOriginal, kSwitched);
  EXPECT_THAT(found.reasons, SizeIs(2));
  ASSERT_THAT(found.hints, SizeIs(1));
  EXPECT_THAT(found.hints[0].message, StartsWith("line 1: The option `debug.skipKernelTC` can "));
  EXPECT_EQ(found.hints[0].code, trust::ReasonCode::kForbiddenOption);
}

TEST(Objections, AnythingElseIsRefusedWithIt) {
  const Objections found = ObjectionsInSource(kOriginal, kSwitched + "#eval x\n");
  EXPECT_THAT(found.reasons, SizeIs(3));
  EXPECT_THAT(found.hints, IsEmpty());
}

TEST(Objections, AProgramMayBeAHintIfItIsAllowed) {
  const std::string program = "elab \"m\" : tactic => f\ntheorem t : p := by m\n";
  EXPECT_THAT(ObjectionsInSource(kOriginal, program).hints, IsEmpty());
  EXPECT_FALSE(ObjectionsInSource(kOriginal, program).has_programs);
  const Objections found = ObjectionsInSource(kOriginal, program, true);
  EXPECT_THAT(found.reasons, SizeIs(1));
  ASSERT_THAT(found.hints, SizeIs(1));
  EXPECT_THAT(found.hints[0].message, StartsWith("line 1: `elab` runs code inside Lean"));
  EXPECT_TRUE(found.has_programs);
  const Objections both = ObjectionsInSource(kOriginal, kSwitched + program, true);
  EXPECT_THAT(both.hints, SizeIs(2));
  EXPECT_TRUE(both.has_programs);
  EXPECT_FALSE(ObjectionsInSource(kOriginal, program + "axiom x : p\n", true).has_programs);
}

// `≠'"'`: what follows may be a string or not.
TEST(Objections, WhatComesAfterASwitchIsStillLookedForInWhatLooksLikeAString) {
  const std::string hidden = "theorem a : 'a' ≠'\"' := b\n#eval x\ntheorem c : 'a' ≠'\"' := b\n";
  const Objections found = ObjectionsInSource(kOriginal, kSwitched + hidden);
  ASSERT_THAT(found.reasons, SizeIs(3));  // nothing twice
  EXPECT_THAT(found.reasons[2].message, HasSubstr("#eval"));
  EXPECT_THAT(found.reasons[2].message, HasSubstr("It looks like a comment or string"));
  EXPECT_THAT(found.hints, IsEmpty());
}

TEST(Objections, ASwitchInWhatLooksLikeAStringMayBeAHintToo) {
  const std::string hidden =
      "theorem a : 'a' ≠'\"' := b\n" + kSwitched + "theorem c : 'a' ≠'\"' := b\n";
  const Objections found = ObjectionsInSource(kOriginal, hidden);
  EXPECT_THAT(found.reasons, SizeIs(2));
  ASSERT_THAT(found.hints, SizeIs(1));
  EXPECT_THAT(found.hints[0].message, StartsWith("line 2: "));
}

}  // namespace
}  // namespace zermelo::engine
