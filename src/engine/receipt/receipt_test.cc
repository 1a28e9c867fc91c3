#include "engine/receipt/receipt.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "engine/receipt/project.h"

namespace zermelo::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Receipts : public ::testing::Test {
 protected:
  Receipts() {
    proof_.original = "theorem t : 1 = 1 := by sorry\n";
    proof_.candidate = "theorem t : 1 = 1 := by rfl\n";
    proof_.targets.emplace().emplace_back("t");
    proof_.allowed_axioms = {"propext"};
    proof_.kernel = trust::KernelUse::kRequired;
    report_.accepted = true;
    report_.targets.emplace_back();
    report_.targets[0].name = "t";
    report_.targets[0].accepted = true;
    report_.kernels = {{"zermelo", trust::Decision::kAccepted, "", ""}};
    report_.library_modules = 3;
    report_.library_fingerprint = std::string(64, 'a');
    toolchain_.version = "4.28.0";
    toolchain_.commit = std::string(40, 'c');
  }

  json Receipt() const { return MakeReceipt(proof_, report_, toolchain_); }

  JudgedProof proof_;
  AcceptanceReport report_;
  lean::Toolchain toolchain_;
};

TEST_F(Receipts, SayWhatWasJudgedWithWhat) {
  const json receipt = Receipt();
  EXPECT_EQ(receipt["outcome"], "accepted");
  EXPECT_EQ(receipt["statement"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(receipt["kernels"][0]["version"], ProgramVersion());
  EXPECT_EQ(receipt["imports"], (json{{"modules", 3}, {"sha256", std::string(64, 'a')}}));
  EXPECT_TRUE(receipt["project"].is_null());
}

TEST_F(Receipts, NameTheVersionsOfOtherKernelsAndThatTheyWereAsked) {
  EXPECT_FALSE(Receipt()["rules"].contains("paranoid"));
  EXPECT_FALSE(ProofOf(Receipt())->paranoid);
  proof_.paranoid = true;
  report_.kernels.push_back({"nanoda", trust::Decision::kDeclined, "", "too large", "4.28.0"});
  EXPECT_EQ(Receipt()["kernels"][1], (json{{"kernel", "nanoda"},
                                           {"version", "4.28.0"},
                                           {"verdict", "declined"},
                                           {"declaration", nullptr},
                                           {"reason", "too large"}}));
  EXPECT_TRUE(ProofOf(Receipt())->paranoid);
}

TEST_F(Receipts, SayWhatOfTheImportsWasChecked) {
  EXPECT_FALSE(Receipt()["imports"].contains("checked"));
  proof_.kernel = trust::KernelUse::kAll;
  report_.imports.emplace();
  report_.imports->outcome = trust::Decision::kDeclined;
  report_.imports->reason = "the library has only its public parts";
  report_.imports->checked = 20;
  report_.imports->hidden = 4;
  report_.imports->axioms = {"propext"};
  EXPECT_EQ(Receipt()["imports"]["checked"],
            (json{{"verdict", "declined"},
                  {"declarations", 20},
                  {"not_accepted", 0},
                  {"hidden", 4},
                  {"axioms", json::array({"propext"})},
                  {"declaration", nullptr},
                  {"reason", "the library has only its public parts"}}));
  EXPECT_EQ(ProofOf(Receipt())->kernel, trust::KernelUse::kAll);
}

TEST_F(Receipts, AreReadBack) {
  const auto proof = ProofOf(Receipt());
  ASSERT_TRUE(proof) << proof.error().message;
  EXPECT_EQ(proof->original, proof_.original);
  EXPECT_EQ(proof->candidate, proof_.candidate);
  EXPECT_EQ(proof->targets, proof_.targets);
  EXPECT_EQ(proof->allowed_axioms, proof_.allowed_axioms);
  EXPECT_EQ(proof->kernel, trust::KernelUse::kRequired);
}

TEST_F(Receipts, AreRefusedWhenTheyWereChanged) {
  json receipt = Receipt();
  receipt["proof"]["text"] = "theorem t : 1 = 1 := by sorry\n";
  EXPECT_THAT(ProofOf(receipt).error().message, HasSubstr("proof's text has another hash"));
  receipt = Receipt();
  receipt["receipt"] = 2;
  EXPECT_THAT(ProofOf(receipt).error().message, HasSubstr("version is 2"));
  for (const char* field : {"statement", "proof", "targets", "rules", "receipt"}) {
    receipt = Receipt();
    receipt.erase(field);
    EXPECT_FALSE(ProofOf(receipt)) << field;
  }
  EXPECT_FALSE(ProofOf(json::array()));
}

TEST_F(Receipts, TellWhatChanged) {
  const json before = Receipt();
  EXPECT_TRUE(ReceiptChanges(before, Receipt()).empty());
  report_.kernels[0] = {"zermelo", trust::Decision::kDeclined, "t", "too large"};
  toolchain_.version = "4.34.1";
  std::vector<std::string> changed;
  for (const json& change : ReceiptChanges(before, Receipt())) changed.push_back(change["what"]);
  EXPECT_THAT(changed, ElementsAre("kernels", "lean"));
}

TEST_F(Receipts, OfOlderVersionsDidNotNameAnotherKernel) {
  json old = Receipt();
  const json compiled = {{"kernel", "lean"}, {"verdict", "accepted"}, {"version", "4.28.0"}};
  old["kernels"].insert(old["kernels"].begin(), compiled);
  EXPECT_TRUE(ProofOf(old));
  EXPECT_TRUE(ReceiptChanges(old, Receipt()).empty());
}

TEST(ReceiptProject, HasTheCommitsOfTheProjectAndItsPackages) {
  const auto folder = core::TemporaryFolder::Create("project");
  ASSERT_TRUE(folder);
  const fs::path root = folder->path();
  fs::create_directories(root / ".git");
  const std::string commit(40, 'b');
  std::ofstream(root / ".git/HEAD") << commit << "\n";
  std::ofstream(root / "lean-toolchain") << "leanprover/lean4:v4.28.0\n";
  std::ofstream(root / "lake-manifest.json")
      << R"({"packages": [{"name": "mathlib", "url": "https://x/mathlib4", "rev": "abc"}, 3]})";
  const json project = DescribeProject(root);
  EXPECT_EQ(project["commit"], commit);
  EXPECT_EQ(project["toolchain"], "leanprover/lean4:v4.28.0");
  EXPECT_EQ(project["packages"][0]["rev"], "abc");
  EXPECT_EQ(project["packages"].size(), 1U);
  EXPECT_EQ(project["manifest_sha256"].get<std::string>().size(), 64U);
  EXPECT_TRUE(DescribeProject(core::TemporaryFolder::Create("bare")->path())["commit"].is_null());
}

}  // namespace
}  // namespace zermelo::engine
