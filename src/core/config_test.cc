#include "core/config.h"

#include <fstream>
#include <gtest/gtest.h>

#include "core/files/file.h"

namespace zermelo::core {
namespace {

constexpr const char* kWhole = R"toml(
[budget]
dollars = 5

[models.kimina]
endpoints = ["http://one:8000/v1", "https://two/v1"]
model = "AI-MO/Kimina-Prover-72B"
dialect = "vllm"
format = "kimina"
weight = 2
key_env = "KIMINA_KEY"
headers = { X-Team = "proofs" }
ca_file = "/etc/team.pem"

[models.kimina.sampling]
temperature = 1
top_p = 0.95
max_tokens = 2048

[models.kimina.price]
prompt = 0.5
cached_prompt = 0.05
completion = 1.5

[trust]
axioms = ["propext", "Choice.mine"]

[models.kimina.budget]
samples = 64
tokens = 1_000_000

[models.kimina.limits]
concurrency = 8
requests_per_minute = 60
tokens_per_minute = 90_000
timeout = 30

[roles]
reasoner = "kimina"
prover = ["kimina", "v15"]

[models.v15]
endpoint = "http://localhost:8000/v1"
formats = { "deepseek-prover-v1.5-cot" = 3, "deepseek-prover-v1.5" = 1 }
)toml";

TEST(ParseConfigTest, ARoleIsAModelOrAListOfModels) {
  const auto error = [](const char* text) {
    const auto config = ParseConfig("z.toml", text);
    return config ? std::string("none") : config.error().message;
  };
  EXPECT_EQ(error("[roles]\njudge = \"a\"\n"), "none");
  EXPECT_EQ(error("[roles]\njudge = 3\n"),
            "z.toml:2: `judge` must be a model or a list of models, not a whole number");
  EXPECT_EQ(error("[roles]\njudge = []\n"), "z.toml:2: `judge` has no model");
  EXPECT_EQ(error("[roles]\njudge = [\"a\", 1]\n"),
            "z.toml:2: `judge` must be a list of models, not a whole number");
}

TEST(ParseConfigTest, LearningCanBeSwitchedOff) {
  EXPECT_TRUE(ParseConfig("z.toml", "")->learning.enabled);
  EXPECT_FALSE(ParseConfig("z.toml", "[learning]\nenabled = false\n")->learning.enabled);
  EXPECT_EQ(ParseConfig("z.toml", "[learning]\nenabled = 0\n").error().message,
            "z.toml:2: `enabled` must be true or false, not a whole number");
}

TEST(ParseConfigTest, TheStateServerIsOnOrOffOrAsTested) {
  EXPECT_EQ(ParseConfig("z.toml", "")->lean.states, "off");
  EXPECT_EQ(ParseConfig("z.toml", "[lean]\nstates = \"auto\"\n")->lean.states, "auto");
  EXPECT_EQ(ParseConfig("z.toml", "[lean]\nstates = \"yes\"\n").error().message,
            "z.toml:2: `states` must be \"on\", \"auto\" or \"off\", not \"yes\"");
  EXPECT_EQ(ParseConfig("z.toml", "[lean]\nstates = true\n").error().message,
            "z.toml:2: `states` must be \"on\", \"auto\" or \"off\", not true or false");
}

TEST(ParseConfigTest, ReadsEveryKey) {
  const auto config = ParseConfig("zermelo.toml", kWhole);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->trust.axioms, (std::vector<std::string>{"propext", "Choice.mine"}));
  EXPECT_EQ(config->budget, (BudgetConfig{.samples = {}, .tokens = {}, .dollars = 5}));
  const std::vector<RoleConfig> roles{{.role = "prover", .models = {"kimina", "v15"}, .line = 40},
                                      {.role = "reasoner", .models = {"kimina"}, .line = 39}};
  EXPECT_EQ(config->roles, roles);
  const ModelConfig& kimina = config->models.at("kimina");
  EXPECT_EQ(kimina.name, "kimina");
  EXPECT_EQ(kimina.endpoints, (std::vector<std::string>{"http://one:8000/v1", "https://two/v1"}));
  EXPECT_EQ(kimina.model, "AI-MO/Kimina-Prover-72B");
  EXPECT_EQ(kimina.dialect, "vllm");
  EXPECT_EQ(kimina.formats, (std::vector<FormatShare>{{"kimina", 1}}));
  EXPECT_EQ(kimina.weight, 2);
  EXPECT_EQ(kimina.key_env, "KIMINA_KEY");
  EXPECT_EQ(kimina.headers.at("X-Team"), "proofs");
  EXPECT_EQ(kimina.ca_file, "/etc/team.pem");
  EXPECT_EQ(kimina.sampling, (SamplingConfig{1.0, 0.95, 2048}));
  EXPECT_EQ(kimina.price, (PriceConfig{0.5, 0.05, 1.5}));
  EXPECT_EQ(kimina.budget, (BudgetConfig{64, 1'000'000, {}}));
  EXPECT_EQ(kimina.limits, (LimitConfig{8, 60, 90'000, 30}));
}

TEST(ParseConfigTest, MostKeysAreOptional) {
  const auto config = ParseConfig("zermelo.toml", kWhole);
  ASSERT_TRUE(config);
  const ModelConfig& v15 = config->models.at("v15");
  EXPECT_EQ(v15.model, "v15");
  EXPECT_EQ(v15.dialect, "generic");
  EXPECT_EQ(v15.formats, (std::vector<FormatShare>{{"deepseek-prover-v1.5", 1},
                                                   {"deepseek-prover-v1.5-cot", 3}}));
  EXPECT_EQ(v15.sampling, SamplingConfig()) << "the format's defaults";
  EXPECT_EQ(v15.limits, LimitConfig());
  EXPECT_EQ(ParseConfig("zermelo.toml", ""), Config());
}

std::string Complaint(const std::string& text) {
  const auto config = ParseConfig("zermelo.toml", text);
  if (config) return "fine";
  EXPECT_EQ(config.error().code, ErrorCode::kUsage);
  return config.error().message + (config.error().hint.empty() ? "" : " | " + config.error().hint);
}
std::string ComplaintOf(const std::string& lines) {
  return Complaint("[models.m]\nendpoint = \"http://h/v1\"\nformat = \"chat\"\n" + lines);
}

TEST(ParseConfigTest, UnknownKeysAreErrorsWithTheNearestNameAndTheLine) {
  EXPECT_EQ(Complaint("[model.m]\n"),
            "zermelo.toml:1: there is no key `model` | did you mean `models`?");
  EXPECT_EQ(ComplaintOf("wieght = 2\n"),
            "zermelo.toml:4: there is no key `wieght` in [models.m] | did you mean `weight`?");
  EXPECT_EQ(ComplaintOf("[models.m.sampling]\ntemprature = 1\n"),
            "zermelo.toml:5: there is no key `temprature` in [models.m.sampling] | "
            "did you mean `temperature`?");
  EXPECT_EQ(ComplaintOf("zzz = 1\n"), "zermelo.toml:4: there is no key `zzz` in [models.m]");
}

TEST(ParseConfigTest, TheTopmostProblemIsReported) {
  EXPECT_EQ(ComplaintOf("zz = 1\naa = 2\n"), "zermelo.toml:4: there is no key `zz` in [models.m]");
}

TEST(ParseConfigTest, WrongTypesAndRangesAreErrors) {
  EXPECT_EQ(ComplaintOf("weight = \"2\"\n"),
            "zermelo.toml:4: `weight` must be a number, not a string");
  EXPECT_EQ(ComplaintOf("model = 3\n"),
            "zermelo.toml:4: `model` must be a string, not a whole number");
  EXPECT_EQ(ComplaintOf("sampling = 3\n"),
            "zermelo.toml:4: `sampling` must be a table, not a whole number");
  EXPECT_EQ(ComplaintOf("[models.m.sampling]\ntemperature = 3\n"),
            "zermelo.toml:5: `temperature` must be from 0 to 2");
  EXPECT_EQ(ComplaintOf("[models.m.sampling]\ntemperature = nan\n"),
            "zermelo.toml:5: `temperature` must be from 0 to 2");
  EXPECT_EQ(ComplaintOf("[models.m.sampling]\nmax_tokens = 1.5\n"),
            "zermelo.toml:5: `max_tokens` must be a whole number, not a number");
  EXPECT_EQ(ComplaintOf("[models.m.limits]\nconcurrency = 0\n"),
            "zermelo.toml:5: `concurrency` must be from 1 to 100000");
  EXPECT_EQ(ComplaintOf("formats = { chat = 0 }\n").substr(0, 15), "zermelo.toml:1:");
  EXPECT_EQ(Complaint("models = 3\n"),
            "zermelo.toml:1: `models` must be a table, not a whole number");
  EXPECT_EQ(Complaint("[models]\nm = 3\n"),
            "zermelo.toml:2: `m` must be a table, not a whole number");
}

TEST(ParseConfigTest, AModelNeedsAnEndpoint) {
  EXPECT_EQ(
      Complaint("[models.m]\nformat = \"chat\"\n"),
      "zermelo.toml:1: [models.m] has no endpoint | add endpoint = \"http://localhost:8000/v1\"");
  EXPECT_EQ(Complaint("[models.m]\nendpoint = \"http://h\"\n"), "fine") << "for embeddings";
  EXPECT_EQ(Complaint("[models.m]\nformat = \"chat\"\nendpoint = \"localhost\"\n"),
            "zermelo.toml:3: `endpoint` must be a URL that begins with http:// or https://");
  EXPECT_EQ(Complaint("[models.m]\nformat = \"chat\"\nendpoints = []\n").substr(0, 42),
            "zermelo.toml:1: [models.m] has no endpoint");
}

TEST(ParseConfigTest, SecretsAreRejectedAndNotEchoed) {
  const std::string hint =
      " | API keys do not belong in files: name the environment variable with key_env = \"NAME\"";
  EXPECT_EQ(ComplaintOf("api_key = \"sk-1234\"\n"),
            "zermelo.toml:4: there is no key `api_key` in [models.m]" + hint);
  EXPECT_EQ(
      ComplaintOf("key_env = \"sk-1234\"\n"),
      "zermelo.toml:4: `key_env` must be the name of an environment variable, such as PROVER_KEY" +
          hint);
  EXPECT_EQ(ComplaintOf("headers = { Authorization = \"Bearer 1234\" }\n"),
            "zermelo.toml:4: `Authorization` is a secret" + hint);
  EXPECT_EQ(Complaint("[models.m]\nformat = \"chat\"\nendpoints = [\"http://a/\", "
                      "\"http://me:1234@h/v1\"]\n"),
            "zermelo.toml:3: `endpoint` contains a user name or password" + hint);
}

TEST(ParseConfigTest, SyntaxErrorsNameTheirLine) {
  EXPECT_EQ(Complaint("[models.m]\nformat = chat\n").substr(0, 15), "zermelo.toml:2:");
  EXPECT_EQ(Complaint("a = 1\na = 2\n").substr(0, 15), "zermelo.toml:2:");
  EXPECT_EQ(Complaint("\xff = 1").substr(0, 15), "zermelo.toml:1:");
}

TEST(ParseConfigTest, StrategySettingsAreKeptAsText) {
  const auto config = ParseConfig("zermelo.toml",
                                  "[strategy]\nname = \"rmaxts\"\nall = true\n"
                                  "[strategy.rmaxts]\nworkers = 16\ngamma = 0.5\n");
  ASSERT_TRUE(config) << config.error().message;
  const std::vector<StrategySetting> expected{{"name", "rmaxts", 2},
                                              {"all", "true", 3},
                                              {"rmaxts.workers", "16", 5},
                                              {"rmaxts.gamma", "0.5", 6}};
  EXPECT_EQ(config->strategy, expected);
  EXPECT_EQ(Complaint("[strategy]\nname = [1]\n"),
            "zermelo.toml:2: `name` must be a number, a word, true or false, not a list");
}

TEST(ParseConfigTest, WorkersAreReadInOrder) {
  const auto config = ParseConfig("z.toml", R"toml(
[[workers]]
launch = ["ssh", "-o", "BatchMode=yes", "node7"]
count = 8
program = "/opt/zermelo/zermelo"
project = "/scratch/project"
lean = "/opt/lean"
memory_gb = 6.5
silence = 30

[[workers]]
launch = ["srun", "--ntasks=1"]
)toml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->workers.size(), 2u);
  const WorkersConfig ssh{.launch = {"ssh", "-o", "BatchMode=yes", "node7"},
                          .count = 8,
                          .program = "/opt/zermelo/zermelo",
                          .project = "/scratch/project",
                          .lean = "/opt/lean",
                          .memory_gb = 6.5,
                          .silence = 30};
  EXPECT_EQ(config->workers[0], ssh);
  EXPECT_EQ(config->workers[1], (WorkersConfig{.launch = {"srun", "--ntasks=1"}}));
}

TEST(ParseConfigTest, WorkersThatCannotBeStartedAreErrors) {
  const auto message = [](const std::string& text) {
    const auto config = ParseConfig("z.toml", text);
    return config ? "" : config.error().message;
  };
  EXPECT_EQ(message("[workers]\ncount = 2\n"), "z.toml:1: `workers` must be a list of tables");
  EXPECT_EQ(message("[[workers]]\ncount = 2\n"), "z.toml:1: [[workers]] has no `launch`");
  EXPECT_EQ(message("[[workers]]\nlaunch = []\n"), "z.toml:2: `launch` must begin with a program");
  EXPECT_EQ(message("[[workers]]\nlaunch = [\"A=1\", \"ssh\"]\n"),
            "z.toml:2: `launch` must begin with a program");
  EXPECT_EQ(message("[[workers]]\nlaunch = \"ssh\"\n"),
            "z.toml:2: `launch` must be a list of words, not a string");
  EXPECT_EQ(message("[[workers]]\nlaunch = [\"ssh\"]\nprogram = \"a; b\"\n"),
            "z.toml:3: `program` must be a path without spaces");
  EXPECT_EQ(message("[[workers]]\nlaunch = [\"ssh\"]\ncount = 0\n"),
            "z.toml:3: `count` must be from 1 to 4096");
}

TEST(ReadConfigTest, AFile) {
  const auto folder = TemporaryFolder::Create("zermelo-test-");
  const auto file = folder->path() / "zermelo.toml";
  EXPECT_EQ(ReadConfig(file).error().code, ErrorCode::kInput);
  std::ofstream(file) << kWhole;
  EXPECT_EQ(ReadConfig(file)->models.size(), 2u);
}

}  // namespace
}  // namespace zermelo::core
