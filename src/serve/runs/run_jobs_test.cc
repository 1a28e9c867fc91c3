#include "serve/runs/run_jobs.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "core/testing/testing.h"
#include "serve/http/json_fields.h"

namespace zermelo::serve {
namespace {

namespace fs = std::filesystem;
using core::testing::RunOut;
using core::testing::RunUntil;
using nlohmann::json;
using ::testing::HasSubstr;

/// Jobs of a program that writes its arguments to a file and then waits for its end.
class RunJobsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("prove", "#!/bin/sh\necho \"$@\" > " + Path("arguments") + "\ntrap 'echo stopped > " +
                       Path("stopped") + "; exit 130' INT\nwhile true; do sleep 0.05; done\n");
    fs::permissions(folder.path() / "prove", fs::perms::owner_all);
    Write("project/Some.lean", "theorem t : True := sorry\n");
    Write("Outside.lean", "theorem t : True := sorry\n");
    RunJobsOptions options;
    options.program = folder.path() / "prove";
    options.project = folder.path() / "project";
    options.database = folder.path() / "project/.zermelo/runs.db";
    options.arguments = {"--model", "sim"};
    jobs = std::make_unique<RunJobs>(io.get_executor(), options);
  }
  void TearDown() override {
    core::testing::Started<bool> closing(io, core::testing::ThenTrue(jobs->Close()));
    EXPECT_TRUE(closing.Get());
    jobs.reset();
    RunOut(io);
    EXPECT_TRUE(core::testing::Children().empty());
  }

  std::string Path(const std::string& name) const { return (folder.path() / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }
  HttpResponse Post(const std::string& path, const json& body) {
    HttpRequest request;
    request.method = "POST";
    request.path = path;
    request.body = body.dump();
    return jobs->Handle(request);
  }
  HttpResponse Get(const std::string& path) {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    return jobs->Handle(request);
  }
  json List() { return json::parse(Get("/api/jobs").body); }
  std::string Arguments() {
    RunUntil(io,
             [&] { return fs::exists(Path("arguments")) && fs::file_size(Path("arguments")) > 0; });
    return *core::ReadTextFile(Path("arguments"));
  }

  boost::asio::io_context io;
  const core::TemporaryFolder folder = std::move(*core::TemporaryFolder::Create("zermelo-test-"));
  std::unique_ptr<RunJobs> jobs;
};

TEST_F(RunJobsTest, ATextIsProvedInTheProjectWithTheServersModels) {
  const json job = json::parse(Post("/api/jobs", {{"text", "theorem t : True := sorry"},
                                                  {"strategy", "rmaxts"},
                                                  {"samples", 64},
                                                  {"dollars", 0.5}})
                                   .body);
  EXPECT_EQ(job["state"], "running");
  EXPECT_EQ(*core::ReadTextFile(job["file"].get<std::string>()), "theorem t : True := sorry");
  const std::string arguments = Arguments();
  EXPECT_THAT(arguments, HasSubstr("prove " + job["file"].get<std::string>()));
  EXPECT_THAT(arguments, HasSubstr("--strategy rmaxts --time 60s --run-db"));
  EXPECT_THAT(arguments, HasSubstr("--samples 64 --dollars 0.500000 --model sim"));
  EXPECT_EQ(List()["jobs"].size(), 1u);
}

TEST_F(RunJobsTest, CancellingInterruptsTheRun) {
  const json job = json::parse(Post("/api/jobs", {{"file", "Some.lean"}}).body);
  Arguments();
  EXPECT_EQ(Post("/api/jobs/" + job["job"].get<std::string>(), json::object()).status, 200);
  RunUntil(io, [&] { return List()["jobs"][0]["state"] == "cancelled"; });
  EXPECT_EQ(List()["jobs"][0]["message"], "");
  EXPECT_TRUE(fs::exists(Path("stopped")));
  EXPECT_EQ(Post("/api/jobs/other", json::object()).status, 404);
}

TEST_F(RunJobsTest, AJobThatEndsHasFinishedOrFailed) {
  const auto end = [&](const std::string& script) {
    std::ofstream(folder.path() / "prove") << "#!/bin/sh\n" << script;
    Post("/api/jobs", {{"file", "Some.lean"}});
    RunUntil(io, [&] { return List()["jobs"][0]["state"] != "running"; });
    return List()["jobs"][0];
  };
  const json open = end("exit 1\n");  // not everything is proved
  EXPECT_EQ(open["state"], "finished");
  EXPECT_EQ(open["message"], "");
  EXPECT_TRUE(open["run"].is_null());
  const json failed = end("echo first >&2; echo no Lean >&2; exit 2\n");
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_EQ(failed["message"], "no Lean");
  EXPECT_GT(failed["seconds"], 0);
}

TEST_F(RunJobsTest, NoMoreThanAllowedRunAtOnce) {
  EXPECT_EQ(Post("/api/jobs", {{"file", "Some.lean"}}).status, 200);
  EXPECT_EQ(Post("/api/jobs", {{"file", "Some.lean"}}).status, 429);
}

TEST_F(RunJobsTest, TheFilesOfTheProjectAreListed) {
  Write("project/Part/Other.lean", "theorem t : True := sorry\n");
  const json listed = json::parse(Get("/api/jobs/files").body);
  EXPECT_EQ(listed["files"], json::array({"Part/Other.lean", "Some.lean"}));
  EXPECT_EQ(listed["more"], false);
  EXPECT_EQ(Get("/api/jobs/other").status, 404);
}

TEST_F(RunJobsTest, OnlyFilesOfTheProjectAndKnownStrategies) {
  for (const char* file : {"../Outside.lean", "Missing.lean", "/etc/passwd", "."}) {
    EXPECT_THROW(Post("/api/jobs", {{"file", file}}), BadRequest) << file;
  }
  EXPECT_THROW(Post("/api/jobs", json::object()), BadRequest);
  EXPECT_THROW(Post("/api/jobs", {{"file", "Some.lean"}, {"text", "x"}}), BadRequest);
  EXPECT_THROW(Post("/api/jobs", {{"file", "Some.lean"}, {"strategy", "--help"}}), BadRequest);
  for (const json& wrong : {json(-1), json("1"), json(0)}) {
    EXPECT_THROW(Post("/api/jobs", {{"file", "Some.lean"}, {"dollars", wrong}}), BadRequest);
  }
}

}  // namespace
}  // namespace zermelo::serve
