// strategy::Trace on real Lean: known proofs, cut at every tactic. Not one of the unit tests, which
// need no Lean: a program of its own (test e2e.trace), with the embedded Lean in $ZERMELO_EMBEDDED.
#include <boost/asio/this_coro.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "lean/pool.h"
#include "strategy/proof/proof_segments.h"
#include "syntax/proof/proof_cuts.h"
#include "syntax/testing/sites.h"

namespace zermelo::strategy {
namespace {

using core::Result;
using core::Task;
using syntax::CutPoint;
using syntax::kNowhere;

struct KnownProof {
  std::string name;
  std::string opening;    // commands before the theorem
  std::string statement;  // "theorem t : p"
  std::string proof;      // as in the file: indented

  syntax::ProofSite Site() const {
    return syntax::testing::LastSite(opening + statement + " := by\n  sorry\n");
  }
};

std::string WithoutIndent(const std::string& proof) {
  std::string out;
  for (size_t at = 0; at < proof.size();) {
    const size_t end = std::min(proof.find('\n', at), proof.size());
    const size_t begin = std::min(at + (proof.compare(at, 2, "  ") == 0 ? 2 : 0), end);
    out += proof.substr(begin, end - begin) + "\n";
    at = end + 1;
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

const std::string kOpening = "set_option autoImplicit false\nopen Nat Rat\n\n";

/// The proofs of bench/data: minif2f-core-proofs.jsonl, minif2f-core-found.jsonl and
/// stepwise-proofs.lean.
std::vector<KnownProof> KnownProofs() {
  std::vector<KnownProof> known;
  for (const char* file : {"minif2f-core-proofs.jsonl", "minif2f-core-found.jsonl"}) {
    std::ifstream lines(std::string(ZERMELO_SOURCE_DIR "/bench/data/") + file);
    for (std::string line; std::getline(lines, line);) {
      const auto entry = nlohmann::json::parse(line);
      known.push_back({entry["name"], kOpening, entry["statement"], WithoutIndent(entry["proof"])});
    }
  }
  std::string text =
      core::ReadTextFile(ZERMELO_SOURCE_DIR "/bench/data/stepwise-proofs.lean", 1U << 20U).value();
  const std::string by = " := by\n";
  for (size_t at = text.find("\ntheorem "); at != std::string::npos;) {
    const size_t next = text.find("\ntheorem ", at + 1);
    const std::string theorem = text.substr(at + 1, next - at - 1);
    const size_t proof = theorem.find(by);
    known.push_back({theorem.substr(8, theorem.find(' ', 8) - 8) + " (stepwise)", kOpening,
                     theorem.substr(0, proof), WithoutIndent(theorem.substr(proof + by.size()))});
    at = next;
  }
  return known;
}

/// A state with single blanks: Lean breaks a long line at column 119 or 120, depending on what asks
/// for the state.
std::string OnOneLine(const std::string& state) {
  std::istringstream words(state);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

/// The proof with a tactic before the one at `next`, on a line of its own if that begins a line:
/// the columns of what follows must not change.
std::string With(const std::string& proof, size_t next, const std::string& tactic) {
  const size_t line = proof.rfind('\n', next) + 1;  // 0 if there is none
  const bool begins_line = proof.find_first_not_of(' ', line) == next;
  std::string with = proof;
  with.insert(next, tactic + (begins_line ? "\n" + std::string(next - line, ' ') : "; "));
  return with;
}

/// All of them with ZERMELO_TEST_ALL, as `./zermelo test --all` sets it; in the gate, every tenth.
std::vector<KnownProof> SomeKnownProofs() {
  std::vector<KnownProof> known = KnownProofs();
  if (std::getenv("ZERMELO_TEST_ALL") != nullptr) return known;
  std::vector<KnownProof> some;
  for (size_t i = 0; i < known.size(); i += 10) some.push_back(known[i]);
  return some;
}

class TraceOnLean : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* embedded = std::getenv("ZERMELO_EMBEDDED");
    ASSERT_NE(embedded, nullptr) << "the folder `embedded`";
    lean::ToolchainRequest request;
    request.lean = std::filesystem::path(embedded) / "bin" / "lean";
    auto toolchain = core::testing::Await(
        io_,
        lean::FindToolchain(std::move(request), core::Deadline::After(std::chrono::seconds(60))));
    ASSERT_TRUE(toolchain) << toolchain.error().message;
    lean::PoolOptions options;
    options.workers = 1;
    options.worker.skip_kernel = true;
    pool_ = std::make_unique<lean::Pool>(io_.get_executor(), *toolchain, options);
  }
  static void TearDownTestSuite() {
    pool_.reset();
    core::testing::RunOut(io_);
  }

  static TracedProof Of(const KnownProof& known, std::string tactics, size_t from = 0) {
    TraceLimits limits;
    limits.deadline = core::Deadline::After(std::chrono::seconds(60));
    auto traced =
        core::testing::Await(io_, Trace(*pool_, known.Site(), std::move(tactics), from, limits));
    EXPECT_TRUE(traced) << known.name << ": " << traced.error().message;
    return traced.value_or(TracedProof());
  }

  /// What `trace_state` before each tactic prints: the states by another way than the one that
  /// Trace takes.
  static std::vector<std::string> StatesByTraceState(const KnownProof& known,
                                                     const std::vector<CutPoint>& cuts) {
    std::string text = known.proof;
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      if (cut->next != kNowhere) text = With(text, cut->next, "trace_state");
    }
    lean::CheckRequest request;
    const auto document = known.Site().ForSearch(text);
    request.text = document.text;
    request.deadline = core::Deadline::After(std::chrono::seconds(60));
    auto checked = core::testing::Await(io_, pool_->Check(std::move(request)));
    EXPECT_TRUE(checked) << known.name;
    std::vector<std::string> states;
    if (!checked) return states;
    std::ranges::stable_sort(checked->diagnostics, {}, [](const lean::Diagnostic& d) {
      return std::pair(d.begin.line, d.begin.character);
    });
    for (const auto& d : checked->diagnostics) {
      if (d.severity == lean::Severity::kInformation) states.push_back(d.message);
    }
    return states;
  }

  inline static boost::asio::io_context io_;
  inline static std::unique_ptr<lean::Pool> pool_;
};

TEST_F(TraceOnLean, ThereAreKnownProofs) { EXPECT_GE(KnownProofs().size(), 60U); }

TEST_F(TraceOnLean, CompleteProofsAreDividedIntoTacticsWithLeansStates) {
  size_t compared = 0;
  const auto proofs = SomeKnownProofs();
  for (const KnownProof& known : proofs) {
    SCOPED_TRACE(known.name);
    const auto traced = Of(known, known.proof);
    EXPECT_TRUE(traced.complete) << traced.error;
    EXPECT_EQ(traced.proof, known.proof);
    const auto cuts = syntax::CutPoints(known.proof);
    ASSERT_EQ(traced.segments.size(), cuts.size());
    std::string together;
    for (const Segment& segment : traced.segments) together += segment.tactics;
    EXPECT_EQ(together, known.proof);
    EXPECT_EQ(traced.segments.back().state, "");
    const auto states = StatesByTraceState(known, cuts);
    ASSERT_EQ(states.size() + 1, cuts.size());
    for (size_t i = 0; i < states.size(); ++i, ++compared) {
      EXPECT_EQ(OnOneLine(traced.segments[i].state), OnOneLine(states[i]))
          << "after " << traced.segments[i].tactics;
    }
  }
  EXPECT_GT(compared, 2 * proofs.size());
}

TEST_F(TraceOnLean, AProofWithAnErrorIsCutBeforeIt) {
  size_t cut_proofs = 0;
  const auto proofs = SomeKnownProofs();
  for (const KnownProof& known : proofs) {
    SCOPED_TRACE(known.name);
    const auto whole = Of(known, known.proof);
    const auto cuts = syntax::CutPoints(known.proof);
    ASSERT_EQ(whole.segments.size(), cuts.size());
    for (size_t i = 0; i + 1 < cuts.size(); ++i, ++cut_proofs) {
      const std::string wrong = With(known.proof, cuts[i].next, "exact no_such_theorem");
      const auto traced = Of(known, wrong);
      EXPECT_FALSE(traced.complete) << wrong;
      EXPECT_EQ(traced.proof, known.proof.substr(0, cuts[i].end)) << wrong;
      ASSERT_EQ(traced.segments.size(), i + 1) << wrong;
      EXPECT_EQ(traced.segments[i].tactics, whole.segments[i].tactics);
      EXPECT_EQ(OnOneLine(traced.segments[i].state), OnOneLine(whole.segments[i].state)) << wrong;
      EXPECT_EQ(traced.segments[i].context, whole.segments[i].context) << wrong;
    }
  }
  EXPECT_GT(cut_proofs, 2 * proofs.size());
}

TEST_F(TraceOnLean, AResumedProofHasOnlyItsNewSegments) {
  size_t resumed = 0;
  const auto proofs = SomeKnownProofs();
  for (const KnownProof& known : proofs) {
    const auto cuts = syntax::CutPoints(known.proof);
    if (cuts.size() < 3) continue;
    SCOPED_TRACE(known.name);
    const size_t middle = cuts.size() / 2;
    const auto whole = Of(known, known.proof), rest = Of(known, known.proof, cuts[middle].end);
    EXPECT_TRUE(rest.complete);
    ASSERT_EQ(rest.segments.size() + middle + 1, whole.segments.size());
    EXPECT_EQ(rest.segments.front().tactics, whole.segments[middle + 1].tactics);
    EXPECT_EQ(rest.segments.front().state, whole.segments[middle + 1].state);
    ++resumed;
  }
  EXPECT_GT(resumed, proofs.size() / 4);
}

}  // namespace
}  // namespace zermelo::strategy
