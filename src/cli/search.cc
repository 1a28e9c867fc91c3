#include <boost/asio/this_coro.hpp>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/context.h"
#include "cli/options/model_options.h"
#include "cli/verbs.h"
#include "core/files/file.h"
#include "core/json.h"
#include "engine/premise_source.h"
#include "engine/prove_file.h"
#include "lean/pool.h"
#include "lean/probe.h"
#include "retrieve/indexer.h"
#include "retrieve/library_modules.h"
#include "retrieve/ranking/embeddings.h"
#include "syntax/declarations.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Result;
using core::Task;
using nlohmann::json;
using retrieve::Premise;

namespace {

constexpr auto kLeanLimit = std::chrono::minutes(5);

struct SearchOptions {
  LeanOptions lean;
  std::string words;
  std::string goal;  // FILE:LINE
  std::vector<std::string> imports;
  size_t limit = 10;
  fs::path project = ".";
  std::string index;
  std::string config;
  bool as_json = false;
};

struct Place {
  fs::path file;
  size_t line = 0;
};

Result<Place> ParsePlace(const std::string& text) {
  const size_t colon = text.rfind(':');
  Place place;
  if (colon != std::string::npos) {
    place.file = text.substr(0, colon);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, place.line);
    if (error == std::errc() && stop == end && place.line > 0) return place;
  }
  return core::Fail(core::ErrorCode::kUsage, "--goal takes FILE:LINE, not '" + text + "'");
}

/// The goal at a `sorry`, from Lean. kInput if there is none.
Task<Result<std::string>> GoalAt(const lean::Toolchain& toolchain, std::string text,
                                 syntax::Declaration declaration, syntax::Hole hole) {
  const auto executor = co_await boost::asio::this_coro::executor;
  lean::Pool pool(executor, toolchain, engine::SearchPoolOptions(1));
  const syntax::ProofSite site(std::move(text), declaration, hole);
  auto found = co_await lean::GoalsAt(pool, site, core::Deadline::After(kLeanLimit));
  pool.Close();
  if (!found) co_return core::Fail(found.error());
  if (found->goals.empty()) co_return core::Fail(core::ErrorCode::kInput, found->message);
  co_return std::move(found->goals.front());
}

/// The query for a line of a file: the goal at the nearest `sorry` in the declaration there, or
/// else the declaration's signature.
Task<Result<retrieve::PremiseQuery>> QueryAt(const lean::Toolchain& toolchain, Place place) {
  auto text = core::ReadTextFile(place.file);
  if (!text) co_return core::Fail(text.error());
  retrieve::PremiseQuery query;
  query.formal = true;
  query.imports = syntax::ModulesToSearch(*text);
  const core::LineIndex lines(*text);
  const auto declarations = syntax::FindDeclarations(*text);
  for (const syntax::Declaration& declaration : declarations) {
    const size_t first = lines.LineOf(declaration.range.begin) + 1;
    const size_t last = lines.LineOf(declaration.range.end) + 1;
    if (place.line < first || place.line > last) continue;
    const syntax::DeclarationHole* nearest = nullptr;
    size_t distance = 0;
    for (const syntax::DeclarationHole& hole : declaration.holes) {
      const size_t line = lines.LineOf(hole.begin) + 1;
      const size_t away = line > place.line ? line - place.line : place.line - line;
      if (!hole.provable || (nearest != nullptr && away >= distance)) continue;
      nearest = &hole;
      distance = away;
    }
    if (nearest == nullptr) {
      const auto& signature = declaration.signature;
      query.text = text->substr(signature.begin, signature.end - signature.begin);
      co_return query;
    }
    auto goal = co_await GoalAt(toolchain, *text, declaration, *nearest);
    if (!goal) co_return core::Fail(goal.error());
    query.text = std::move(*goal);
    co_return query;
  }
  co_return core::Fail(
      core::ErrorCode::kInput,
      fmt::format("{}: there is no declaration at line {}", place.file.string(), place.line));
}

void Print(const std::vector<Premise>& premises) {
  if (premises.empty()) fmt::print("no premises found\n");
  for (const Premise& premise : premises) {
    fmt::print("{} {}\n  {}{}\n", premise.name, premise.signature, premise.kind,
               premise.module.empty() ? "" : ", " + premise.module);
    if (!premise.docstring.empty()) {
      fmt::print("  {}\n", premise.docstring.substr(0, premise.docstring.find('\n')));
    }
  }
}

Task<int> RunSearch(SearchOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  std::optional<Place> place;
  if (!options.goal.empty()) {
    auto parsed = ParsePlace(options.goal);
    if (!parsed) co_return Report(parsed.error());
    place = std::move(*parsed);
  }
  const fs::path near =
      place ? fs::absolute(place->file).parent_path() : fs::absolute(options.project);
  const auto toolchain = co_await FindLean(options.lean, near);
  if (!toolchain) co_return Report(toolchain.error());
  const fs::path file = options.index.empty() ? retrieve::DefaultIndexFile(toolchain->search_path)
                                              : fs::path(options.index);
  const auto index = retrieve::PremiseIndex::Open(file);
  if (!index) co_return Report(index.error());
  if (!retrieve::IsUpToDate(file, toolchain->search_path)) {
    fmt::print(stderr,
               "zermelo: note: the library has changed; run `zermelo index` to update the index\n");
  }
  retrieve::PremiseQuery query;
  query.text = options.words;
  if (!options.imports.empty()) query.imports = options.imports;
  if (place) {
    auto at = co_await QueryAt(*toolchain, *place);
    if (!at) co_return Report(at.error());
    query = std::move(*at);
  }
  query.limit = options.limit;
  std::unique_ptr<engine::EmbeddingModel> model;
  retrieve::Embed embed;
  if (!(*index)->embedding_model().empty()) {
    const auto config = FindConfig(options.config, near);
    if (!config) co_return Report(config.error());
    auto made = engine::EmbeddingModel::Create(executor, *config, (*index)->embedding_model());
    if (made) {
      model = std::move(*made);
      embed = model->Function();
    } else {
      fmt::print(stderr, "zermelo: note: searching without embeddings: {}\n", made.error().message);
    }
  }
  retrieve::IndexRetriever retriever(**index, retrieve::RankingWeights(), std::move(embed),
                                     (*index)->embedding_model());
  const std::string text = query.text;
  const auto found =
      co_await retriever.Search(std::move(query), core::Deadline::After(std::chrono::seconds(60)));
  if (!found) co_return Report(found.error());
  if (options.as_json) {
    json output;
    output["query"] = text;
    output["premises"] = *found;
    fmt::print("{}\n", core::Dump(output));
  } else {
    Print(*found);
  }
  co_return found->empty() ? 1 : 0;
}

}  // namespace

void AddSearch(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SearchOptions>();
  CLI::App* verb =
      app.add_subcommand("search", "Find theorems of the library by words or for a goal");
  verb->footer(
      "Example:\n"
      "  zermelo search \"addition is commutative\"\n"
      "  zermelo search --goal Basic.lean:12 --json\n"
      "\n"
      "Run `zermelo index` first to build the index. Exit code 1: nothing found.");
  CLI::Option* words = verb->add_option("words", options->words, "Words to search for");
  words->type_name("WORDS");
  CLI::Option* goal = verb->add_option("--goal", options->goal,
                                       "Search for the goal at the sorry nearest to this line, or "
                                       "else for the statement there")
                          ->type_name("FILE:LINE");
  words->excludes(goal);
  verb->add_option("--import", options->imports,
                   "Find only theorems of this module and its imports (repeatable; --goal uses the "
                   "imports of its file)")
      ->type_name("MODULE")
      ->allow_extra_args(false)
      ->excludes(goal);
  verb->add_option("-n,--limit", options->limit, "Maximum number of results")
      ->check(Between(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--project", options->project, "Lake project whose index to search")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str()
      ->type_name("DIR");
  verb->add_option("--index", options->index, "Index file (default: that of `zermelo index`)")
      ->type_name("FILE");
  verb->add_option("--config", options->config,
                   "Configuration file (default: the nearest zermelo.toml)")
      ->envname("ZERMELO_CONFIG")
      ->type_name("FILE");
  verb->add_flag("--json", options->as_json, "Print one JSON object on stdout");
  options->lean.AddTo(*verb);
  verb->callback([options, words, goal, &exit_code] {
    if (words->count() == 0 && goal->count() == 0) {
      exit_code = Report(
          {core::ErrorCode::kUsage, "nothing to search for", "give words, or --goal FILE:LINE"});
      return;
    }
    boost::asio::io_context io;
    exit_code = core::RunToEnd(io, RunSearch(*options));
  });
}

}  // namespace zermelo::cli
