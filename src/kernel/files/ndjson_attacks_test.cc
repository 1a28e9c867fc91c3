// Exports that no Lean writes, each beside an honest one that differs from it in one place
// (testdata/ndjson). The first line of an attack says what is wrong with it.
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

#include "kernel/files/check_file.h"

namespace zermelo::kernel {
namespace {

namespace fs = std::filesystem;

struct Attack {
  const char* file;
  const char* refusal;  // "declaration: reason"
};

const Attack kAttacks[] = {
    {"constructor_fields", "Pair: the record of the constructor Pair.mk is wrong"},
    {"constructor_number", "Two: the record of the constructor Two.a is wrong"},
    {"eta_of_a_proof", "l: its value does not have the declared type"},
    {"eta_of_a_unit", "l: its value does not have the declared type"},
    {"inductive_all", "Two: its block has no type P"},
    {"inductive_is_rec", "Nat: the record of the type Nat is wrong"},
    {"inductive_negative", "Bad: there is a non-positive occurrence in field 1 of Bad.mk"},
    {"inductive_not_uniform", "Bad: there is an invalid occurrence in field 1 of Bad.mk"},
    {"inductive_phantom_parameter", "E: an argument has the wrong type (number 2 of L)"},
    {"literal_nat", "l: its value does not have the declared type"},
    {"literal_string", "l: its value does not have the declared type"},
    {"mention_of_unsafe", "l: it mentions u, which is unsafe or partial"},
    {"name_twice", ": line 17: l is declared twice"},
    {"projection_index", "d: a projection refers to a field that does not exist"},
    {"projection_of_a_proof", "d: a projection extracts data from a proof"},
    {"projection_structure", "d: a projection names the wrong structure"},
    {"quotient_lift", "Quot.lift: the type of a quotient constant differs from Lean's"},
    {"quotient_proof", "d: an argument has the wrong type (number 5 of Quot.lift)"},
    {"recursor_into_data", "Two: its recursor has the wrong universe parameters"},
    {"recursor_k", "Two: the record of the recursor Two.rec is wrong"},
    {"recursor_minors", "Two: the record of the recursor Two.rec is wrong"},
    {"recursor_motives", "Two: the record of the recursor Two.rec is wrong"},
    {"recursor_parameters", "Pair: the record of the recursor Pair.rec is wrong"},
    {"recursor_rule_missing", "Two: the record of the recursor Two.rec is wrong"},
    {"recursor_rules_swapped", "Two: rule 1 of the recursor Two.rec is wrong"},
    {"statement_of_a_theorem", "l: it is a theorem, but its type is not a proposition"},
    {"theorem_of_itself", "l: it mentions m, which is not declared before it"},
    {"universe_imax", "d: its value does not have the declared type"},
    {"universe_of_a_field", "Box: field 1 of Box.mk lives in a larger universe than the type"},
    {"universe_twice", "d: a universe parameter is declared twice"},
    {"universe_type_in_type", "d: its value does not have the declared type"},
    {"universe_undeclared", "d: the universe parameter v is not declared"},
    {"value_of_a_definition", "d: its value does not have the declared type"},
    {"variable_loose", "l: a bound variable has no binder"},
};

const fs::path kFolder = fs::path(ZERMELO_SOURCE_DIR) / "src/kernel/testdata/ndjson";

class NdjsonAttacks : public ::testing::TestWithParam<Attack> {
 protected:
  static FileVerdict VerdictOn(const char* folder) {
    FileCheckRequest request;
    request.files = {{"", kFolder / folder / (std::string(GetParam().file) + ".ndjson")}};
    const auto report = CheckFiles(request);
    if (report) return report->verdict;
    return {Decision::kDeclined, "", report.error().message};
  }
};

TEST_P(NdjsonAttacks, AreRejected) {
  const FileVerdict verdict = VerdictOn("attacks");
  EXPECT_EQ(verdict.outcome, Decision::kRejected);
  EXPECT_EQ(verdict.declaration + ": " + verdict.reason, GetParam().refusal);
}

TEST_P(NdjsonAttacks, HaveAnHonestTwin) {
  const FileVerdict verdict = VerdictOn("honest");
  EXPECT_EQ(verdict.outcome, Decision::kAccepted) << verdict.declaration << ": " << verdict.reason;
}

INSTANTIATE_TEST_SUITE_P(Kernel, NdjsonAttacks, ::testing::ValuesIn(kAttacks),
                         [](const auto& info) { return info.param.file; });

TEST(NdjsonAttackFiles, AreAllInTheTable) {
  std::set<std::string> expected;
  for (const Attack& attack : kAttacks) expected.insert(std::string(attack.file) + ".ndjson");
  for (const char* folder : {"attacks", "honest"}) {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(kFolder / folder))
      found.insert(entry.path().filename());
    EXPECT_EQ(found, expected) << folder;
  }
}

}  // namespace
}  // namespace zermelo::kernel
