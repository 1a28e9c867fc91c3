#include "train/sft.h"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "decoder/local_model.h"
#include "decoder/testing/models.h"
#include "train/model/average.h"
#include "train/testing/files.h"
#include "train/testing/full_disk.h"

namespace zermelo::train {
namespace {

using core::ErrorCode;
using decoder::testing::kModels;
using testing::Bytes;
using ::testing::HasSubstr;
using testing::Lines;
using testing::WriteLines;

namespace fs = std::filesystem;

class SftTest : public ::testing::Test {
 protected:
  SftTest() {
    std::vector<nlohmann::json> rows;
    for (int i = 0; i < 12; ++i) {
      rows.push_back({{"prompt", "n = " + std::to_string(i) + ":"},
                      {"completion", i % 2 == 0 ? " even" : " odd"}});
    }
    files_.model = kModels / "qwen3";
    files_.data = WriteLines(folder_.path() / "rows.jsonl", rows);
    files_.out = folder_.path() / "run";
  }
  SftSettings Settings(size_t steps) const {
    SftSettings settings;
    settings.steps = steps;
    settings.batch = 2;
    settings.context = 24;
    settings.learning_rate = 3e-3;
    settings.warmup = 0;
    settings.checkpoint_every = 2;
    return settings;
  }
  core::Status Train(const SftSettings& settings) {
    return TrainSft(
        files_, settings, {}, [this](const nlohmann::json& line) { steps_.push_back(line); },
        stop_);
  }
  std::string Model() const { return Bytes(files_.out / "model/model.safetensors"); }

  const core::TemporaryFolder folder_ = core::TemporaryFolder::Create("zermelo-sft").value();
  SftFiles files_;
  std::vector<nlohmann::json> steps_;
  std::atomic<bool> stop_ = false;
};

TEST_F(SftTest, LearnsItsRows) {
  files_.validation = files_.data;
  const auto trained = Train(Settings(60));
  ASSERT_TRUE(trained) << trained.error().message;
  ASSERT_EQ(steps_.size(), 60U);
  EXPECT_LT(steps_.back().at("loss").get<double>(), 0.2 * steps_.front().at("loss").get<double>());
  EXPECT_LT(steps_.back().at("validation_loss").get<double>(), 1.0);
  EXPECT_EQ(Lines(files_.out / "curve.jsonl").size(), 60U);
  EXPECT_THAT(Bytes(files_.out / "curve.html"), HasSubstr("<polyline"));
  boost::asio::io_context io;
  const auto model = decoder::LocalModel::Load(io.get_executor(), "trained", files_.out / "model");
  ASSERT_TRUE(model) << model.error().message;
  llm::Request request;
  request.prompt = "n = 4:";
  request.sampling.temperature = 0;
  const auto reply = core::RunToEnd(io, (*model)->Generate(request, {}));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->completions[0].text, " even");
}

TEST_F(SftTest, ARunThatWasKilledEndsBitForBitAsOneThatWasNot) {
  ASSERT_TRUE(Train(Settings(6)));
  const std::string whole = Model();
  const auto curve = Lines(files_.out / "curve.jsonl");
  files_.out = folder_.path() / "killed";
  ASSERT_TRUE(Train(Settings(4)));
  // What a kill leaves in the middle of step 5 and its checkpoint.
  std::ofstream(files_.out / "curve.jsonl", std::ios::app) << R"({"step": 5, "loss": 9})"
                                                           << "\n{\"st";
  fs::create_directory(files_.out / ".unfinished");
  std::ofstream(files_.out / ".unfinished/model.safetensors") << "half";
  steps_.clear();
  ASSERT_TRUE(Train(Settings(6)));
  EXPECT_EQ(steps_.size(), 2U);
  EXPECT_EQ(Model(), whole);
  const auto resumed = Lines(files_.out / "curve.jsonl");
  ASSERT_EQ(resumed.size(), curve.size());
  for (size_t i = 0; i < curve.size(); ++i)
    EXPECT_EQ(resumed[i].at("loss"), curve[i].at("loss")) << i;
  EXPECT_FALSE(fs::exists(files_.out / ".unfinished"));
}

TEST_F(SftTest, StopsAfterACheckpoint) {
  stop_ = true;
  EXPECT_EQ(Train(Settings(5)).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(steps_.size(), 1U);
  EXPECT_TRUE(fs::exists(files_.out / "checkpoint-00000001/optimizer.safetensors"));
}

TEST_F(SftTest, KeepsTheNewestCheckpoints) {
  ASSERT_TRUE(Train(Settings(8)));
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(files_.out)) {
    if (entry.path().filename().string().starts_with("checkpoint-")) ++count;
  }
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(fs::read_symlink(files_.out / "model"), "checkpoint-00000008");
}

TEST_F(SftTest, AnotherRunIsNotContinued) {
  ASSERT_TRUE(Train(Settings(2)));
  SftSettings other = Settings(4);
  other.learning_rate = 1;
  EXPECT_THAT(Train(other).error().message, HasSubstr("another learning_rate"));
  const fs::path model = folder_.path() / "model";
  fs::copy(files_.model, model);
  std::ofstream(model / "tokenizer.json", std::ios::app) << "\n";
  const fs::path before = std::exchange(files_.model, model);
  EXPECT_THAT(Train(Settings(4)).error().message, HasSubstr("another tokenizer"));
  files_.model = before;
  WriteLines(files_.data, {{{"prompt", "a"}, {"completion", "b"}}});
  EXPECT_THAT(Train(Settings(4)).error().message, HasSubstr("another data"));
}

TEST_F(SftTest, ALossThatIsNotFiniteKeepsTheLastCheckpoint) {
  SftSettings settings = Settings(50);
  settings.learning_rate = 1e30;
  settings.checkpoint_every = 1;
  const auto trained = Train(settings);
  ASSERT_FALSE(trained);
  EXPECT_THAT(trained.error().message, HasSubstr("not finite"));
  EXPECT_EQ(trained.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(Lines(files_.out / "curve.jsonl").size(), steps_.size());
}

TEST_F(SftTest, ADamagedModelOrDataIsNamed) {
  const fs::path model = folder_.path() / "model";
  fs::copy(files_.model, model);
  fs::resize_file(model / "model.safetensors", 5000);
  files_.model = model;
  EXPECT_EQ(Train(Settings(2)).error().code, ErrorCode::kInput);
  fs::copy(kModels / "qwen3/model.safetensors", model / "model.safetensors",
           fs::copy_options::overwrite_existing);
  auto tokenizer = decoder::testing::ReadJson(model / "tokenizer.json");
  tokenizer["added_tokens"].push_back(
      {{"id", 900}, {"content", "<|more|>"}, {"special", true}, {"normalized", false}});
  std::ofstream(model / "tokenizer.json") << tokenizer;
  EXPECT_THAT(Train(Settings(2)).error().message, HasSubstr("901 tokens, but the model knows"));
  files_.model = kModels / "qwen3";
  files_.data = folder_.path() / "missing.jsonl";
  EXPECT_EQ(Train(Settings(2)).error().code, ErrorCode::kInput);
  files_.data = WriteLines(folder_.path() / "empty.jsonl", {});
  EXPECT_THAT(Train(Settings(2)).error().message, HasSubstr("no rows"));
}

TEST_F(SftTest, AveragesCheckpoints) {
  ASSERT_TRUE(Train(Settings(4)));
  const fs::path one = files_.out / "checkpoint-00000002";
  const fs::path two = files_.out / "checkpoint-00000004";
  const fs::path out = folder_.path() / "average";
  ASSERT_TRUE(AverageModels({one, two, two, two}, out));
  const auto value = [](const fs::path& folder) {
    return decoder::ReadSafetensors(folder / "model.safetensors")->at("lm_head.weight").values[17];
  };
  EXPECT_NEAR(value(out), 0.25 * value(one) + 0.75 * value(two), 1e-6);
  EXPECT_TRUE(fs::exists(out / "tokenizer.json"));
  EXPECT_THAT(AverageModels({one, kModels / "llama"}, out).error().message,
              HasSubstr("another shape"));
}

TEST_F(SftTest, AFullDiskKeepsTheLastCheckpointAndTheRunGoesOn) {
  ASSERT_TRUE(Train(Settings(6)));
  const std::string whole = Model();
  files_.out = folder_.path() / "full";
  ASSERT_TRUE(Train(Settings(2)));
  const std::string before = Model();
  {
    const testing::FullDisk full(20'000);  // enough for all but the weights
    const auto failed = Train(Settings(6));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kEnvironment);
    EXPECT_THAT(failed.error().message, HasSubstr("model.safetensors: "));
  }
  EXPECT_EQ(fs::read_symlink(files_.out / "model"), "checkpoint-00000002");
  EXPECT_EQ(Model(), before);
  ASSERT_TRUE(Train(Settings(6)));
  EXPECT_EQ(Model(), whole);
  EXPECT_EQ(Lines(files_.out / "curve.jsonl").size(), 6U);
}

TEST_F(SftTest, ARunningMeanOfTheWeightsIsAModelBesideThem) {
  const auto with_mean = [&](size_t steps) {
    SftSettings settings = Settings(steps);
    settings.ema = 0.5;
    settings.checkpoint_every = 1;
    settings.keep = 100;
    return settings;
  };
  ASSERT_TRUE(Train(with_mean(6)));
  const auto value = [](const fs::path& folder) {
    return decoder::ReadSafetensors(folder / "model.safetensors")->at("lm_head.weight").values[17];
  };
  double mean = value(files_.model);
  for (int step = 0; step < 6; ++step) {
    const double decay = std::min(0.5, (1.0 + step) / (10 + step));
    const double now = value(files_.out / ("checkpoint-0000000" + std::to_string(step + 1)));
    mean = decay * mean + (1 - decay) * now;
  }
  EXPECT_NEAR(value(files_.out / "model/ema"), mean, 1e-6);
  EXPECT_NE(value(files_.out / "model/ema"), value(files_.out / "model"));
  boost::asio::io_context io;
  EXPECT_TRUE(decoder::LocalModel::Load(io.get_executor(), "mean", files_.out / "model/ema"));
  const std::string whole = Bytes(files_.out / "model/ema/model.safetensors");
  files_.out = folder_.path() / "resumed";
  ASSERT_TRUE(Train(with_mean(3)));
  ASSERT_TRUE(Train(with_mean(6)));
  EXPECT_EQ(Bytes(files_.out / "model/ema/model.safetensors"), whole);
}

TEST_F(SftTest, RecomputingActivationsChangesNothing) {
  ASSERT_TRUE(Train(Settings(3)));
  const auto curve = Lines(files_.out / "curve.jsonl");
  files_.out = folder_.path() / "recomputed";
  SftSettings settings = Settings(3);
  settings.recompute = true;
  ASSERT_TRUE(Train(settings));
  const auto again = Lines(files_.out / "curve.jsonl");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(again[i].at("loss").get<double>(), curve[i].at("loss").get<double>(), 1e-5);
  }
}

}  // namespace
}  // namespace zermelo::train
