#include "lean/library/library_statements.h"

#include <gtest/gtest.h>

#include "core/testing/testing.h"
#include "lean/testing/fake_lean.h"

namespace zermelo::lean {
namespace {

using core::ErrorCode;
using core::testing::Await;

/// A Lean that prints a line for each module; `begin` is Python that runs before each.
constexpr const char* kFake = R"(#!/usr/bin/python3 -IS
import os, sys, time
open('starts', 'a').write('x')
print('{"ready":true}', flush=True)
for module in sys.argv[3:]:
    BEGIN
    print('{"header":"import A\\n","import_all":false,"left_out":{"private":["p"]},"module":"' + module + '","problems":[{"name":"t",'
          '"statement":"theorem t : True := by"}]}', flush=True)
)";

class LibraryStatementsTest : public ::testing::Test {
 protected:
  core::Status Print(const std::string& program, std::vector<std::string> modules) {
    testing::WriteExecutable(folder.path() / "lean.py", program);
    Toolchain toolchain = testing::FakeToolchain(folder.path());
    toolchain.lean = folder.path() / "lean.py";
    return Await(*io, PrintLibraryStatements(
                          toolchain, std::move(modules), options,
                          [&](ModuleStatements module, const std::string& line) -> core::Status {
                            EXPECT_EQ(line.empty(), !module.error.empty());
                            printed.push_back(std::move(module));
                            if (stop_after == printed.size()) cancellation.Request();
                            return core::Status();
                          },
                          cancellation));
  }
  static std::string Fake(const std::string& begin) {
    std::string program = kFake;
    return program.replace(program.find("BEGIN"), 5, begin);
  }

  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  const std::unique_ptr<boost::asio::io_context> io = std::make_unique<boost::asio::io_context>();
  LibraryStatementsOptions options{.modules_per_process = 2};
  core::Cancellation cancellation;
  std::vector<ModuleStatements> printed;
  size_t stop_after = SIZE_MAX;
};

TEST_F(LibraryStatementsTest, ALineForEachModule) {
  ASSERT_TRUE(Print(Fake("pass"), {"A", "B", "C", "D.E"}));
  ASSERT_EQ(printed.size(), 4U);
  EXPECT_EQ(printed[3].module, "D.E");
  EXPECT_EQ(printed[3].header, "import A\n");
  ASSERT_EQ(printed[3].statements.size(), 1U);
  EXPECT_EQ(printed[3].statements[0].text, "theorem t : True := by");
  EXPECT_EQ(printed[3].left_out.at("private"), std::vector<std::string>{"p"});
}

TEST_F(LibraryStatementsTest, ADeathLosesNoOtherModule) {
  ASSERT_TRUE(
      Print(Fake("if module == 'B': print('INTERNAL PANIC'), sys.exit(1)"), {"A", "B", "C", "D"}));
  ASSERT_EQ(printed.size(), 4U);
  EXPECT_NE(printed[1].error.find("INTERNAL PANIC"), std::string::npos) << printed[1].error;
  EXPECT_EQ(printed[2].error, "");
  EXPECT_EQ(printed[3].error, "");
}

TEST_F(LibraryStatementsTest, WhatAProcessHadLoadedIsNotHeldAgainstAModule) {
  // Dies unless the module is alone.
  ASSERT_TRUE(Print(Fake("if module == 'B' and len(sys.argv) > 4: os._exit(1)"), {"A", "B", "C"}));
  ASSERT_EQ(printed.size(), 3U);
  EXPECT_EQ(printed[1].error, "");
}

TEST_F(LibraryStatementsTest, AModuleThatTakesTooLongOrTooMuchIsGivenUp) {
  options.module_limit = std::chrono::milliseconds(600);
  ASSERT_TRUE(Print(Fake("if module == 'A': time.sleep(1000)"), {"A", "B"}));
  options.module_limit = std::chrono::minutes(10);
  options.max_resident_bytes = uint64_t{200} << 20U;
  ASSERT_TRUE(Print(Fake("if module == 'C': x = b'x' * 400_000_000; time.sleep(1000)"), {"C"}));
  ASSERT_EQ(printed.size(), 3U);
  EXPECT_EQ(printed[0].error, "Lean took too long");
  EXPECT_EQ(printed[1].error, "");
  EXPECT_EQ(printed[2].error, "Lean used too much memory");
}

TEST_F(LibraryStatementsTest, AProcessThatHasGrownIsReplacedBetweenModules) {
  options.modules_per_process = 3;
  options.max_growth_bytes = uint64_t{50} << 20U;
  ASSERT_TRUE(Print(Fake("if module == 'A': x = b'x' * 200_000_000"), {"A", "B", "C"}));
  EXPECT_EQ(printed.size(), 3U);
  EXPECT_EQ(*core::ReadTextFile(folder.path() / "starts"), "xx");
}

TEST_F(LibraryStatementsTest, ALineThatIsNoneIsADeath) {
  ASSERT_TRUE(Print(Fake("if module == 'B': print('{\"header\":\"\\\\u')"), {"A", "B", "C"}));
  ASSERT_EQ(printed.size(), 3U);
  EXPECT_EQ(printed[1].error, "Lean wrote something else");
  EXPECT_EQ(printed[2].error, "");
}

TEST_F(LibraryStatementsTest, ALeanThatCannotRunTheProgramIsAnError) {
  const auto status = Print("#!/bin/sh\necho no such option --run; exit 1\n", {"A"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(status.error().message.find("no such option"), std::string::npos)
      << status.error().message;
}

TEST_F(LibraryStatementsTest, StopsWhenItIsAsked) {
  stop_after = 1;
  const auto status = Print(Fake("pass"), {"A", "B", "C", "D"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
}

TEST_F(LibraryStatementsTest, OtherTextIsNoModule) {
  EXPECT_FALSE(ParseModuleStatements(R"({"module":"A"})"));
  EXPECT_FALSE(ParseModuleStatements(R"({"module":"A","header":1,"import_all":false})"));
  EXPECT_FALSE(ParseModuleStatements("{"));
  const auto failed = ParseModuleStatements(R"({"module":"A.B","error":"it died"})");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->module, "A.B");
  EXPECT_EQ(failed->error, "it died");
}

}  // namespace
}  // namespace zermelo::lean
