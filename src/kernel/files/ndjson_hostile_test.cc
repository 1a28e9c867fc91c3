// Exports that no exporter writes: each ends in a verdict, whatever it says.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "core/testing/sanitizers.h"
#include "kernel/files/ndjson_writer.h"
#include "kernel/testing/fuzz_input.h"
#include "kernel/testing/lean_text.h"

namespace zermelo::kernel {
namespace {

class HostileNdjson : public ::testing::Test {
 protected:
  HostileNdjson() {
    testing::TestEnvironment prelude;
    prelude.AddPrelude().AddQuotient();
    std::vector<NameId> names;
    for (const Declaration& declaration : prelude.environment().declarations())
      names.push_back(declaration.name);
    WriteNdjson(prelude.environment(), names, {"4.28.0", ""},
                [&](std::string_view line) { lines_.emplace_back(line); });
  }

  static std::string Joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  }

  std::vector<std::string> lines_;
};

TEST_F(HostileNdjson, UnchangedItIsAccepted) {
  EXPECT_EQ(JudgeExport(Joined(lines_)), Decision::kAccepted);
}

TEST_F(HostileNdjson, CutWithinALineItIsRejected) {
  const std::string text = Joined(lines_);
  constexpr size_t kStep = 23;
  for (size_t size = 1; size < text.size(); size += kStep) {
    const bool within = text[size - 1] != '\n' && text[size] != '\n';
    const Decision outcome = JudgeExport(text.substr(0, size));
    if (within) {
      EXPECT_EQ(outcome, Decision::kRejected) << size;
    }
  }
}

TEST_F(HostileNdjson, RandomMutations) {
  std::mt19937 random(20261126);
  constexpr size_t kRounds = core::testing::Rounds(4000);
  size_t rejected = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    std::vector<std::string> changed = lines_;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      std::string& line = changed[random() % changed.size()];
      const size_t digit = line.find_first_of("0123456789", random() % line.size());
      switch (random() % 4) {
        case 0:
          line.swap(changed[random() % changed.size()]);
          break;
        case 1:
          line = changed[random() % changed.size()];
          break;
        case 2:
          line[random() % line.size()] = static_cast<char>(random());
          break;
        default:  // another name, level, term or count
          if (digit != std::string::npos)
            line.replace(digit, 1, std::to_string(random() % changed.size()));
      }
    }
    if (JudgeExport(Joined(changed)) == Decision::kRejected) ++rejected;
  }
  EXPECT_GT(rejected, kRounds / 2);
}

}  // namespace
}  // namespace zermelo::kernel
