// `zermelo train`: makes, trains, averages and exports small models. Built on demand with libtorch
// (scripts/build.sh).
#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/terminal/help_format.h"
#include "cli/terminal/progress.h"
#include "core/files/file.h"
#include "core/json.h"
#include "llm/client.h"
#include "llm/http/http_client.h"
#include "train/model/average.h"
#include "train/model/bpe.h"
#include "train/model/gguf.h"
#include "train/model/new_model.h"
#include "train/model/transformer.h"
#include "train/reinforcement/grpo.h"
#include "train/reinforcement/lean_judge.h"
#include "train/reinforcement/patient_judge.h"
#include "train/reinforcement/rollouts/served_rollouts.h"
#include "train/reinforcement/rollouts/sketch_rollouts.h"
#include "train/reinforcement/rollouts/tool_rollouts.h"
#include "train/reinforcement/vapo.h"
#include "train/sft.h"

namespace zermelo::train {

using cli::Progress;
using core::ErrorCode;
using core::Fail;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

std::atomic<bool> stopped = false;

/// The first Ctrl-C ends the run after a checkpoint, the second at once.
void StopOnSignals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::signal(signal, [](int number) {
      stopped = true;
      std::signal(number, SIG_DFL);
    });
  }
}

struct Common {
  std::vector<std::string> set;
  size_t threads = 0;
  bool as_json = false;
  bool quiet = false;

  void AddTo(CLI::App& verb) {
    verb.add_option("--set", set,
                    "Change a setting, or choose a preset such as paper=dsv15 (docs/training.md)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb.add_option("--threads", threads,
                    "Number of threads for matrix products (default: one per core)")
        ->type_name("N");
    verb.add_flag("--json", as_json, "Print a JSON line for each step on stdout");
    verb.add_flag("-q,--quiet", quiet, "Print only errors");
  }
};

/// Shows the steps of a run: a line at its checkpoints, and on a terminal the newest always.
class Display {
 public:
  Display(const Common& common, size_t steps)
      : progress_(Progress::ModeFor(common.quiet)), as_json_(common.as_json), steps_(steps) {}

  void operator()(const json& line) {
    const auto step = line.at("step").get<size_t>();
    if (first_ == 0) first_ = step;
    const double each =
        core::Seconds(core::Clock::now() - started_) / static_cast<double>(step - first_ + 1);
    std::string text = fmt::format("step {}/{}", step, steps_);
    for (const char* key : {"loss", "validation_loss", "proved", "unequal_groups", "kl"}) {
      if (line.contains(key)) text += fmt::format("  {} {:.4g}", key, line.at(key).get<double>());
    }
    if (line.contains("tokens_per_second")) {
      text += fmt::format("  {:.0f} tokens/s", line.at("tokens_per_second").get<double>());
    }
    if (line.contains("lean_seconds")) {
      text += fmt::format("  sampling {:.1f} s, Lean {:.1f} s, update {:.1f} s",
                          line.at("sampling_seconds").get<double>(),
                          line.at("lean_seconds").get<double>(),
                          line.at("update_seconds").get<double>());
    }
    text += fmt::format("  {} left", cli::ShortDuration(each * static_cast<double>(steps_ - step)));
    const auto now = core::Clock::now();
    const bool due = now - printed_ > std::chrono::seconds(10) || step == steps_;
    if (due) {
      progress_.Print(text);
      printed_ = now;
    } else {
      progress_.Show(text);
    }
    if (as_json_) {
      fmt::print("{}\n", core::Dump(line));
      std::fflush(stdout);
    }
  }

 private:
  Progress progress_;
  const bool as_json_;
  const size_t steps_;
  size_t first_ = 0;
  const core::Clock::time_point started_ = core::Clock::now();
  core::Clock::time_point printed_;
};

int Finish(const core::Status& status, const fs::path& out, bool quiet) {
  if (!status) return cli::Report(status.error());
  if (!quiet) fmt::print(stderr, "zermelo: the model is in {}\n", (out / "model").string());
  return 0;
}

void UseThreads(size_t threads) {
  if (threads != 0) at::set_num_threads(static_cast<int>(threads));
}

/// What a preset's paper leaves open, with its value here.
void ShowOurs(const json& settings, bool quiet) {
  if (quiet || !settings.contains("ours")) return;
  std::vector<std::string> ours;
  for (const std::string key : settings.at("ours")) {
    ours.push_back(fmt::format("{}={}", key, settings.value(key, json(0)).dump()));
  }
  fmt::print(stderr, "zermelo: the paper does not give {}\n", fmt::join(ours, ", "));
}

// --- the verbs

void AddTokenizer(CLI::App& app, int& exit_code) {
  struct Options {
    std::vector<fs::path> data;
    fs::path out;
    size_t size = 2048;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("tokenizer", "Learn a tokenizer (byte-level BPE) from rows or texts");
  verb->footer(
      "Example:\n  zermelo train tokenizer --data rows.jsonl --size 2048 --out tokenizer.json");
  verb->add_option("--data", options->data, "Rows of `zermelo export sft` (.jsonl), or any text")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  verb->add_option("--size", options->size, "Maximum number of tokens")
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--out", options->out, "File to write")->required()->type_name("FILE");
  verb->callback([options, &exit_code] {
    std::vector<std::string> texts;
    for (const fs::path& path : options->data) {
      auto read = TextsOf(path);
      if (!read) {
        exit_code = cli::Report(read.error());
        return;
      }
      texts.insert(texts.end(), std::make_move_iterator(read->begin()),
                   std::make_move_iterator(read->end()));
    }
    const auto tokenizer = LearnTokenizer(texts, options->size);
    if (!tokenizer) {
      exit_code = cli::Report(tokenizer.error());
      return;
    }
    const auto written = core::WriteFileAtomically(options->out, tokenizer->dump(1) + "\n");
    exit_code = written ? 0 : cli::Report(written.error());
    if (written) {
      fmt::print(stderr, "zermelo: {} tokens in {}\n", tokenizer->at("model").at("vocab").size(),
                 options->out.string());
    }
  });
}

void AddInit(CLI::App& app, int& exit_code) {
  struct Options {
    ModelShape shape;
    fs::path tokenizer, out;
    uint64_t seed = 1;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("init", "Create a model with random weights");
  verb->footer(
      "Example:\n  zermelo train init --tokenizer tokenizer.json --layers 6 --hidden 256 --out "
      "small");
  verb->add_option("--tokenizer", options->tokenizer, "tokenizer.json of the model")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  verb->add_option("--kind", options->shape.kind, "Architecture")
      ->check(CLI::IsMember({"llama", "qwen2", "qwen3"}))
      ->capture_default_str();
  const auto count = [&](const char* name, size_t& value, const char* help) {
    verb->add_option(name, value, help)
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str()
        ->type_name("N");
  };
  count("--layers", options->shape.layers, "Number of layers");
  count("--hidden", options->shape.hidden, "Hidden size: values of a state between two layers");
  count("--heads", options->shape.heads, "Number of attention heads");
  count("--kv-heads", options->shape.kv_heads, "Number of key and value heads");
  count("--context", options->shape.context, "Maximum context length, in tokens");
  verb->add_option("--seed", options->seed, "Seed of the weights")->capture_default_str();
  verb->add_option("--out", options->out, "Folder to create")->required()->type_name("DIR");
  verb->callback([options, &exit_code] {
    const auto make = [&]() -> core::Status {
      const auto tokenizer = decoder::Tokenizer::Read(options->tokenizer);
      if (!tokenizer) return Fail(tokenizer.error());
      options->shape.vocabulary = tokenizer->size();
      const auto model = Transformer::Random(ConfigOf(options->shape), options->seed);
      if (!model) return Fail(model.error());
      std::error_code error;
      fs::create_directories(options->out, error);
      fs::copy_file(options->tokenizer, options->out / "tokenizer.json",
                    fs::copy_options::overwrite_existing, error);
      if (error) return Fail(ErrorCode::kEnvironment, "cannot write to " + options->out.string());
      fmt::print(stderr, "zermelo: {} parameters\n", model->size());
      return model->Save(options->out);
    };
    const auto made = make();
    exit_code = made ? 0 : cli::Report(made.error());
  });
}

void AddSft(CLI::App& app, int& exit_code) {
  struct Options {
    SftFiles files;
    Common common;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("sft", "Train a model on rows of `zermelo export sft`");
  verb->footer(
      "Example:\n  zermelo train sft --model small --data rows.jsonl --out runs/sft --set "
      "steps=500\n\n"
      "Run the same command again to continue a run that ended early.");
  verb->add_option("--model", options->files.model, "Initial model")
      ->required()
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  verb->add_option("--data", options->files.data, "Rows to train on")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  verb->add_option("--validation", options->files.validation,
                   "Validation rows, whose loss is reported at each checkpoint")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  verb->add_option("--out", options->files.out, "Folder of the run")->required()->type_name("DIR");
  options->common.AddTo(*verb);
  verb->callback([options, &exit_code] {
    const auto settings = ReadSftSettings(options->common.set);
    if (!settings) {
      exit_code = cli::Report(settings.error());
      return;
    }
    UseThreads(options->common.threads);
    ShowOurs(ToJson(*settings), options->common.quiet);
    Display display(options->common, settings->steps);
    const auto show_rows = [quiet = options->common.quiet](const RowFile& data) {
      if (quiet) return;
      fmt::print(stderr, "zermelo: {} rows", data.rows.size());
      if (data.dropped > 0) fmt::print(stderr, ", {} too long are left out", data.dropped);
      if (data.rejected > 0) {
        fmt::print(stderr, ", {} judged to be wrong are left out", data.rejected);
      }
      fmt::print(stderr, "\n");
    };
    exit_code = Finish(TrainSft(options->files, *settings, show_rows, std::ref(display), stopped),
                       options->files.out, options->common.quiet);
  });
}

struct RlOptions {
  RlFiles files;
  Common common;
  cli::LeanOptions lean;
  fs::path project = ".";
  size_t workers = 0;
  std::string judge, config, sampler, renew;
  double sampler_seconds = 600;

  void AddTo(CLI::App& verb) {
    verb.add_option("--model", files.model, "Initial model")
        ->required()
        ->check(CLI::ExistingDirectory)
        ->type_name("DIR");
    verb.add_option("--data", files.data, "Problems of `zermelo export rl`")
        ->required()
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
    verb.add_option("--out", files.out, "Folder of the run")->required()->type_name("DIR");
    verb.add_option("--project", project, "Lake project that the problems may import from")
        ->check(CLI::ExistingDirectory)
        ->capture_default_str()
        ->type_name("DIR");
    verb.add_option("--workers", workers, "Number of Lean processes (default: one per core)")
        ->check(CLI::Range(1, 1024));
    verb.add_option(
            "--judge", judge,
            "Model of zermelo.toml, or GGUF file, that judges sketches and writes proofs in\n"
            "words (default: [roles])")
        ->type_name("NAME");
    auto* server = verb.add_option(
        "--sampler", sampler,
        "Model of zermelo.toml that writes the samples, with the weights that --renew gives it\n"
        "(default: this program writes them)");
    server->type_name("NAME");
    auto* command = verb.add_option(
        "--renew", renew,
        "Command that makes the server of --sampler use new weights, before each step;\n"
        "{model} in it stands for their folder");
    command->type_name("COMMAND");
    server->needs(command);
    command->needs(server);
    verb.add_option("--sampler-seconds", sampler_seconds,
                    "Limit for the whole proofs of a step, and for the command")
        ->capture_default_str()
        ->check(CLI::PositiveNumber)
        ->type_name("S");
    verb.add_option("--config", config, "Configuration (default: the nearest zermelo.toml)")
        ->type_name("FILE");
    common.AddTo(verb);
    lean.AddTo(verb);
  }

  /// The model of --sampler.
  core::Result<std::unique_ptr<llm::Client>> Server(llm::HttpClient& http) const {
    const auto found = cli::FindConfig(config, fs::absolute(project));
    if (!found) return Fail(found.error());
    auto client = engine::ClientConfigFor(*found, sampler);
    if (!client) return Fail(client.error());
    return llm::Client::Create(http, *std::move(client));
  }

  /// The models of all roles but the policy's: --judge, else those of [roles]. What they answer is
  /// kept in the run's folder, so that a run that goes on reads the same.
  core::Result<std::unique_ptr<engine::Models>> OtherModels(boost::asio::io_context& io) const {
    auto found = cli::FindConfig(config, fs::absolute(project));
    if (!found) return Fail(found.error());
    engine::ModelsRequest request;
    request.config = *std::move(found);
    request.roles = true;
    request.builtin = false;
    std::error_code ignored;  // the record says if the folder cannot be written
    fs::create_directories(files.out, ignored);
    request.record = files.out / "calls.db";
    request.cache = true;
    if (!judge.empty()) {
      request.config.roles.clear();
      request.names = {judge};
      cli::AddModelFiles(request.names, request.config);
    }
    return engine::Models::Create(io.get_executor(), request);
  }
};

/// Says why, and waits in parts, so that a signal ends it.
bool WaitUnlessStopped(double seconds, const core::Error& why, bool quiet) {
  if (!quiet) {
    fmt::print(stderr, "zermelo: {}; trying again in {:.0f} s\n", why.message, seconds);
  }
  const core::Deadline end = core::Deadline::After(core::FromSeconds(seconds));
  while (!stopped && !end.Passed()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return !stopped;
}

/// A verb that trains with Lean's verdicts. `read`: its settings; `train`: TrainGrpo or TrainVapo.
template <class Read, class Train>
void AddRl(CLI::App& app, const char* name, const char* help, Read read, Train train,
           int& exit_code) {
  auto options = std::make_shared<RlOptions>();
  CLI::App* verb = app.add_subcommand(name, help);
  verb->footer(
      fmt::format("Example:\n  zermelo train {0} --model runs/sft/model --data problems.jsonl "
                  "--out runs/{0}\n\n"
                  "With --set tools=true, samples are conversations of the strategy `agent`;\n"
                  "tool_calls, tool_tokens and tool_seconds limit them. With --set sketches=true,\n"
                  "samples are sketches of lemmas (docs/training.md).\n"
                  "Run the same command again to continue a run that ended early.",
                  name));
  options->AddTo(*verb);
  verb->callback([options, read, train, &exit_code] {
    const auto run = [&]() -> core::Status {
      const auto settings = read(options->common.set);
      if (!settings) return Fail(settings.error());
      UseThreads(options->common.threads);
      ShowOurs(ToJson(*settings), options->common.quiet);
      boost::asio::io_context io;
      auto toolchain =
          core::RunToEnd(io, cli::FindLean(options->lean, fs::absolute(options->project)));
      if (!toolchain) return Fail(toolchain.error());
      const size_t workers = options->workers != 0
                                 ? options->workers
                                 : std::max(1U, std::thread::hardware_concurrency());
      const std::string version = toolchain->version;
      LeanJudge judge(io, std::move(*toolchain), workers, settings->check_seconds);
      if (auto started = judge.Start(); !started) return started;
      Display display(options->common, settings->steps);
      const auto wait = [quiet = options->common.quiet](double seconds, const core::Error& why) {
        return WaitUnlessStopped(seconds, why, quiet);
      };
      Environment environment(Patient(Judge(std::ref(judge)), settings->patience, wait));
      environment.early_judge = Judge(std::ref(judge));
      environment.names["lean"] = version;
      llm::HttpClient http(io.get_executor());
      std::unique_ptr<llm::Client> server;
      WriterOf writer = [&io](const ModelAndTokenizer& policy) {
        return OwnWriter(io.get_executor(), policy);
      };
      if (!options->sampler.empty()) {
        auto made = options->Server(http);
        if (!made) return Fail(made.error());
        server = *std::move(made);
        environment.names["sampler"] = options->sampler;
        const auto limit = core::FromSeconds(options->sampler_seconds);
        const auto renew = [&io, options, limit](const ModelAndTokenizer& policy) {
          return RenewByCommand(io, policy.model, options->files.model / "tokenizer.json",
                                options->files.out / "served", options->renew, limit);
        };
        environment.sample =
            Patient(Sampler(ServedRollouts(io, *server, limit, renew)), settings->patience, wait);
        writer = [&server, renew](const ModelAndTokenizer& policy) -> core::Result<PolicyWriter> {
          if (auto renewed = renew(policy); !renewed) return Fail(renewed.error());
          return ServedWriter(*server, policy);
        };
      }
      if (settings->tools) {
        environment.sample =
            Patient(Sampler(ToolRollouts(io, judge.lean(), writer)), settings->patience, wait);
      }
      std::unique_ptr<engine::Models> others;
      if (settings->sketches) {
        auto models = options->OtherModels(io);
        if (!models) return Fail(models.error());
        others = *std::move(models);
        for (const std::string_view role : {strategy::role::kJudge, strategy::role::kInformal}) {
          const llm::Model* const model = others->chat(role);
          if (model != nullptr) environment.names[std::string(role)] = model->name();
        }
        environment.sample = Patient(Sampler(SketchRollouts(io, judge.lean(), *others, writer)),
                                     settings->patience, wait);
      }
      return train(options->files, *settings, environment, std::ref(display), stopped);
    };
    exit_code = Finish(run(), options->files.out, options->common.quiet);
  });
}

void AddAverage(CLI::App& app, int& exit_code) {
  struct Options {
    std::vector<fs::path> models;
    fs::path out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("average", "Average the weights of checkpoints");
  verb->footer("Example:\n  zermelo train average runs/sft/checkpoint-* --out averaged");
  verb->add_option("models", options->models, "Folders of models of one shape")
      ->required()
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  verb->add_option("--out", options->out, "Folder to create")->required()->type_name("DIR");
  verb->callback([options, &exit_code] {
    const auto averaged = AverageModels(options->models, options->out);
    exit_code = averaged ? 0 : cli::Report(averaged.error());
  });
}

void AddExport(CLI::App& app, int& exit_code) {
  struct Options {
    fs::path model, gguf;
    std::string type = "f32";
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("export", "Write a model as one file for llama.cpp");
  verb->footer("Example:\n  zermelo train export runs/sft/model --gguf small.gguf");
  verb->add_option("model", options->model, "Folder of the model")
      ->required()
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  verb->add_option("--gguf", options->gguf, "File to write")->required()->type_name("FILE");
  verb->add_option("--type", options->type, "Type of the matrices")
      ->check(CLI::IsMember({"f32", "f16"}))
      ->capture_default_str();
  verb->callback([options, &exit_code] {
    const auto type = options->type == "f16" ? GgufType::kF16 : GgufType::kF32;
    const auto written = WriteGguf(options->model, options->gguf, type);
    exit_code = written ? 0 : cli::Report(written.error());
  });
}

int Main(int argc, char** argv) {
  CLI::App app("Train small language models on the CPU, and let Lean judge what they write.",
               "zermelo train");
  app.formatter(std::make_shared<cli::HelpFormat>());
  app.require_subcommand(1);
  app.footer(
      "`zermelo train expert-iteration --help`: rounds in which a model proves and learns its "
      "proofs.\n`zermelo train select --help`: the checkpoint that proves most.\n"
      "See docs/training.md.");
  int exit_code = 0;
  AddTokenizer(app, exit_code);
  AddInit(app, exit_code);
  AddSft(app, exit_code);
  AddRl(app, "grpo", "Train a model by reinforcement: proofs that Lean accepts are rewarded",
        ReadGrpoSettings, TrainGrpo, exit_code);
  AddRl(app, "vapo", "The same with a critic, which learns how good unfinished proofs are",
        ReadVapoSettings, TrainVapo, exit_code);
  AddAverage(app, exit_code);
  AddExport(app, exit_code);
  StopOnSignals();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "zermelo: {}\n  see: zermelo train --help\n", error.what());
    return 2;
  }
  return exit_code;
}

}  // namespace

}  // namespace zermelo::train

int main(int argc, char** argv) {
  try {
    return zermelo::train::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "zermelo: internal error: {}\n", error.what());
    return 3;
  }
}
