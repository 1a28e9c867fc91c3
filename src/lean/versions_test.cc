// Stand-ins for Leans that cannot be run here: what each version writes, laid out as its sources
// say.
#include "lean/versions.h"

#include <gtest/gtest.h>
#include <set>

#include "core/files/file.h"
#include "lean/diagnostic.h"
#include "lean/import_errors.h"
#include "lean/probe.h"
#include "lean/toolchain.h"

namespace zermelo::lean {
namespace {

/// The entries of one version, of one kind.
std::vector<const Interface*> Of(VersionNumbers version, InterfaceKind kind) {
  std::vector<const Interface*> found;
  for (const Interface& interface : Interfaces()) {
    if (interface.kind == kind && interface.IsIn(version)) found.push_back(&interface);
  }
  return found;
}

/// 4.9.0 to 4.35.0.
std::vector<VersionNumbers> Covered() {
  std::vector<VersionNumbers> versions;
  for (int minor = kFirstCovered[1]; minor <= kLastCovered[1]; ++minor) {
    versions.push_back({4, minor, 0});
  }
  return versions;
}

Diagnostic Warning(std::string_view text) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kWarning;
  diagnostic.message = text;
  return diagnostic;
}

TEST(Versions, NumbersAreRead) {
  EXPECT_EQ(NumbersOf("4.28.0-pre"), (VersionNumbers{4, 28, 0}));
  EXPECT_EQ(NumbersOf("4.35.0-rc3"), (VersionNumbers{4, 35, 0}));
  for (const char* version : {"", "four", "4", "4.28", "4.x.1"}) {
    EXPECT_FALSE(NumbersOf(version)) << version;
  }
}

TEST(Versions, EveryEntryHasASourceAndAUse) {
  std::set<std::string_view> names;
  for (const Interface& interface : Interfaces()) {
    EXPECT_TRUE(names.insert(interface.name).second) << interface.name;
    EXPECT_FALSE(interface.source.empty() || interface.use.empty()) << interface.name;
    EXPECT_LE(kFirstCovered, interface.first) << interface.name;
    EXPECT_LT(interface.first, interface.end) << interface.name;
    if (interface.run) {
      EXPECT_TRUE(interface.IsIn(*NumbersOf(kRunVersion))) << interface.name;
    }
  }
}

TEST(Versions, NothingThatIsNeededIsMissingFrom414On) {
  for (const VersionNumbers& version : Covered()) {
    const size_t expected = version[1] == 9 ? 2 : version[1] < 14 ? 1 : 0;
    EXPECT_EQ(Lacking(version).size(), expected) << "4." << version[1];
  }
  EXPECT_EQ(Lacking({4, 9, 0}).front()->name, "debug.skipKernelTC");
  EXPECT_EQ(Lacking({4, 13, 0}).front()->name, ".olean, version 2");
}

TEST(Versions, EveryVersionsWarningAboutSorryIsUnderstood) {
  for (const VersionNumbers& version : Covered()) {
    size_t forms = 0;
    for (const Interface* message : Of(version, InterfaceKind::kMessage)) {
      if (!message->name.starts_with("declaration uses")) continue;
      ++forms;
      EXPECT_TRUE(SaysSorry(Warning(message->example))) << message->example;
    }
    EXPECT_GE(forms, 1U) << "4." << version[1];
  }
}

TEST(Versions, EveryVersionsOtherMessagesAreUnderstood) {
  size_t read = 0;
  for (const Interface& message : Interfaces()) {
    if (message.kind != InterfaceKind::kMessage) continue;
    if (message.name == "unsolved goals") {
      EXPECT_EQ(UnsolvedGoals(std::string(message.example)).size(), 1U);
      ++read;
    } else if (message.name.starts_with("unknown")) {
      EXPECT_NE(ImportHint(Warning(message.example), Toolchain()), "") << message.example;
      ++read;
    }
  }
  EXPECT_EQ(read, 3U);
}

TEST(Versions, TheBarForKnownBugsIsTheLastFix) {
  EXPECT_TRUE(KnownProblems(kNoKnownProblems).empty());
  EXPECT_FALSE(KnownProblems("4.34.0").empty());
}

TEST(Versions, ThePageListsEveryEntry) {
  const auto page = core::ReadTextFile(ZERMELO_SOURCE_DIR "/docs/versions.md");
  ASSERT_TRUE(page);
  for (const Interface& interface : Interfaces()) {
    EXPECT_NE(page->find(interface.name), std::string::npos) << interface.name;
    EXPECT_NE(page->find(interface.source), std::string::npos) << interface.source;
  }
}

}  // namespace
}  // namespace zermelo::lean
