// What acceptance asks of Lean, with the stand-in of src/lean; verdicts are judged with real Lean,
// in tests/e2e.
#include "engine/acceptance/acceptance.h"

#include <fstream>
#include <gtest/gtest.h>
#include <thread>

#include "core/testing/testing.h"
#include "lean/compile/saved_imports.h"
#include "lean/testing/fake_lean.h"
#include "syntax/declarations.h"

namespace zermelo::engine {
namespace {

namespace fs = std::filesystem;
using core::SandboxAbilities;
using core::testing::Await;

TEST(DisplayNames, AnonymousDeclarationsOnOneLineAreToldApart) {
  const auto declarations = syntax::FindDeclarations(
      "example : p := by sorry example : q := by sorry\nexample : r := x\ntheorem t : p := x\n");
  EXPECT_EQ(DisplayNames(declarations),
            (std::vector<std::string>{"example (line 1)", "example (line 1, number 2)",
                                      "example (line 2)", "t"}));
}

TEST(Acceptance, ImportsThatAreNeededOftenAreLoadedFromOneFile) {
  const auto folder = *core::TemporaryFolder::Create("zermelo-test-");
  std::ofstream(folder.path() / "A.olean") << "a module";
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // until it counts as settled
  lean::Toolchain toolchain = lean::testing::FakeToolchain(folder.path());
  toolchain.version = "4.32.0";
  toolchain.environment["FAKE_MODULES"] = folder.path().string();
  toolchain.sandbox.emplace();
  toolchain.saved_imports =
      lean::SavedImports::For(toolchain, {.landlock_abi = 3, .seccomp = true});
  toolchain.sandbox.reset();  // the stand-in needs more than Lean does
  const fs::path mark = folder.path() / "loaded";
  const std::string original = "import A\n" + lean::testing::Fake("touch-loaded " + mark.string()) +
                               "theorem t : 1 := by\n  sorry\n";
  boost::asio::io_context io;
  int verdicts = 0;
  for (; verdicts < 10 && !fs::exists(mark); ++verdicts) {
    Acceptance acceptance(io.get_executor(), toolchain, original);
    Await(io, acceptance.CompileAhead({}));
    core::testing::RunUntil(io, [&] { return !toolchain.saved_imports->busy(); });
  }
  // Each starts a compiler for the original and one for a candidate.
  EXPECT_EQ(verdicts, lean::SavedImports::kWorthSaving / 2 + 2);
}

/// A candidate with a program, where everything allows it.
class ProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    toolchain_.sandbox.emplace();
    options_.only_judges = true;
    options_.allow_programs = true;
    options_.machine = {.landlock_abi = 3, .seccomp = true};
    options_.deadline = core::Deadline::After(std::chrono::seconds(20));
  }

  /// Whether the candidate is refused for its text. (The stand-in does not run in a sandbox, so
  /// what is not refused has no verdict.)
  bool AreRefused() const {
    boost::asio::io_context io;
    Acceptance acceptance(io.get_executor(), toolchain_, original_);
    const auto report = Await(
        io, acceptance.Judge("#eval 1\n" + original_ + "  trivial\n", std::nullopt, options_));
    return report && !report->reasons.empty() &&
           report->reasons[0].code == trust::ReasonCode::kForbiddenCommand;
  }

  const core::TemporaryFolder folder_ = *core::TemporaryFolder::Create("zermelo-test-");
  lean::Toolchain toolchain_ = lean::testing::FakeToolchain(folder_.path());
  AcceptanceOptions options_;
  std::string original_ = "theorem t : True := by\n  sorry\n";
};

TEST_F(ProgramsTest, AreAllowedInTheFullSandbox) {
  EXPECT_TRUE(CanAllowPrograms(options_, toolchain_));
  EXPECT_FALSE(AreRefused());
}

TEST_F(ProgramsTest, AreRefusedWhereTheMachineLacksAProtection) {
  for (const SandboxAbilities& machine : {SandboxAbilities{.landlock_abi = 0, .seccomp = true},
                                          SandboxAbilities{.landlock_abi = 2, .seccomp = true},
                                          SandboxAbilities{.landlock_abi = 3, .seccomp = false}}) {
    options_.machine = machine;
    const auto can = CanAllowPrograms(options_, toolchain_);
    ASSERT_FALSE(can) << machine.landlock_abi;
    EXPECT_EQ(can.error().code, core::ErrorCode::kEnvironment);
    EXPECT_TRUE(AreRefused()) << machine.landlock_abi;
  }
}

TEST_F(ProgramsTest, AreRefusedWhereLeanMayStartProcessesOrIsNotConfined) {
  toolchain_.sandbox->processes = true;
  EXPECT_FALSE(CanAllowPrograms(options_, toolchain_));
  EXPECT_TRUE(AreRefused());
  toolchain_.sandbox.reset();
  EXPECT_FALSE(CanAllowPrograms(options_, toolchain_));
  EXPECT_TRUE(AreRefused());
}

TEST_F(ProgramsTest, AreRefusedWithoutZermelosKernel) {
  options_.kernel = trust::KernelUse::kOff;
  options_.others.emplace();  // Lean's own kernels are not enough
  const auto can = CanAllowPrograms(options_, toolchain_);
  ASSERT_FALSE(can);
  EXPECT_EQ(can.error().code, core::ErrorCode::kUsage);
  EXPECT_TRUE(AreRefused());
}

TEST_F(ProgramsTest, AreRefusedUnlessTheyAreAskedForAndNothingIsDelivered) {
  options_.allow_programs = false;
  EXPECT_TRUE(AreRefused());
  options_.allow_programs = true;
  options_.only_judges = false;
  EXPECT_TRUE(AreRefused());
}

TEST_F(ProgramsTest, AreRefusedForATargetWithoutAName) {
  original_ = "example : True := by\n  sorry\n";
  EXPECT_TRUE(AreRefused());
}

}  // namespace
}  // namespace zermelo::engine
