#include "kernel/files/export_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "kernel/files/check_file.h"

namespace zermelo::kernel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Exporting : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(library_ / "Init.olean")) GTEST_SKIP() << "the embedded Lean is not installed";
  }

  core::Result<ExportReport> Export(const std::vector<std::string>& names, std::string* text) {
    ExportRequest request{source_ / "src/kernel/testdata/kinds.olean", {library_}, names};
    return ExportFile(request, [&](std::string_view line) { *text += line; });
  }

  const fs::path source_ = ZERMELO_SOURCE_DIR;
  const fs::path library_ = source_ / "embedded/build/lib/lean";
};

TEST_F(Exporting, WithTheImportsNothingIsLeftOut) {
  ExportRequest request{source_ / "src/kernel/testdata/kinds.olean", {library_}, {}};
  const auto ignored = [](std::string_view) {};
  const auto alone = ExportFile(request, ignored);
  request.imports = true;
  const auto with_imports = ExportFile(request, ignored);
  ASSERT_TRUE(alone && with_imports);
  EXPECT_GT(with_imports->declarations, 100 * alone->declarations);
}

TEST_F(Exporting, AnExportStandsOnItsOwn) {
  std::string text;
  const auto report = Export({"second_of", "Tree"}, &text);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->missing, IsEmpty());
  const auto folder = core::TemporaryFolder::Create("export");
  const fs::path file = folder->path() / "second.ndjson";
  ASSERT_TRUE(core::WriteFileAtomically(file, text));
  FileCheckRequest request;
  request.files = {{"", file}};
  const auto checked = CheckFiles(request);
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->verdict.outcome, Decision::kAccepted)
      << checked->verdict.declaration << ": " << checked->verdict.reason;
  EXPECT_EQ(checked->declarations, report->declarations);
}

TEST_F(Exporting, ANameThatIsNotThereIsAnError) {
  std::string text;
  const auto report = Export({"nothing"}, &text);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("does not declare nothing"));
}

}  // namespace
}  // namespace zermelo::kernel
