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

}  // namespace
}  // namespace zermelo::engine
