// Proofs, tactics of searches, replies and pass rates from a run database (docs/runs.md).
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/files/file.h"
#include "core/hash/hash.h"
#include "core/json.h"
#include "data/declared_proof.h"
#include "data/material.h"
#include "data/model_texts.h"
#include "engine/open_file.h"
#include "eval/attempt_record.h"
#include "record/events.h"
#include "store/runs.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::data {

namespace fs = std::filesystem;
namespace event = record::event;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kAtOnce = 1000;
constexpr size_t kAllRuns = size_t{1} << 30U;

/// One theorem of a run: its results, and where it is in the file.
struct RunTheorem {
  store::TheoremRow row;
  const engine::Target* target = nullptr;
  Origin origin;
  std::string auxiliary;

  bool proved() const { return row.status == "proved"; }
};

class RunReader {
 public:
  /// `source`: what each row says of its source, besides the theorem's name.
  RunReader(store::Runs& runs, int64_t run, std::string text, json source, Material& material)
      : runs_(runs),
        run_(run),
        file_(std::move(text)),
        source_(std::move(source)),
        material_(material) {}

  /// Proofs, one attempt for each theorem, and ReadTexts.
  core::Status Read() {
    if (auto read = ReadTexts(); !read) return read;
    AddDeclarations();
    return {};
  }

  /// Tactics of searches, and what models wrote and were told.
  core::Status ReadTexts() {
    if (auto found = file_.FindTargets({}); !found) return Fail(found.error());
    const auto rows = runs_.Theorems(run_);
    if (!rows) return Fail(rows.error());
    for (const auto& row : *rows) AddTheorem(row);
    if (auto read = ReadEvents(); !read) return read;
    for (const RunTheorem& theorem : theorems_) {
      texts_.Collect({.origin = theorem.origin,
                      .position = theorem.row.position,
                      .proof = theorem.proved() ? theorem.row.proof : "",
                      .only_hole = file_.DeclarationOf(*theorem.target).holes.size() == 1},
                     material_);
    }
    return {};
  }

 private:
  void AddTheorem(const store::TheoremRow& row) {
    const auto& targets = file_.targets();
    const auto target = std::ranges::find_if(targets, [&](const engine::Target& t) {
      return t.result.name == row.name && static_cast<int64_t>(t.result.line) == row.line;
    });
    if (target == targets.end()) {
      ++material_.skipped["no_hole"];
      return;
    }
    RunTheorem theorem{.row = row, .target = &*target, .origin = {}, .auxiliary = {}};
    theorem.origin.theorem = TheoremOf(file_.parsed(), file_.DeclarationOf(*target));
    theorem.origin.module = source_.at("module");
    theorem.origin.source = source_;
    theorem.origin.source["theorem"] = row.name;
    theorems_.push_back(std::move(theorem));
  }

  // ---- whole proofs

  /// A declaration can have several holes, which the run may have left out: all must be proved.
  void AddDeclarations() {
    std::map<size_t, std::vector<const RunTheorem*>> by_declaration;
    for (const RunTheorem& theorem : theorems_) {
      by_declaration[theorem.target->declaration].push_back(&theorem);
    }
    for (const auto& [declaration, theorems] : by_declaration) {
      const auto open = std::ranges::find_if(theorems, [](const auto* t) { return !t->proved(); });
      const bool proved = open == theorems.end() &&
                          theorems.size() == file_.declarations()[declaration].holes.size();
      material_.attempts.push_back(
          {.origin = theorems.front()->origin, .samples = 1, .proved = proved ? 1U : 0U});
      if (proved) {
        AddProof(declaration, theorems);
      } else {
        ++material_.skipped["incomplete"];
      }
    }
  }

  void AddProof(size_t declaration, const std::vector<const RunTheorem*>& theorems) {
    std::string text = file_.text();
    ProofExample example{.origin = theorems.front()->origin};
    // From the last hole to the first, so that the places of the others stay right.
    auto sorted = theorems;
    std::ranges::sort(sorted, std::greater(), [](const auto* t) { return t->target->hole.begin; });
    for (const RunTheorem* theorem : sorted) {
      text = syntax::SpliceProof(text, theorem->target->hole, theorem->row.proof).text;
      example.auxiliary += theorem->auxiliary;
    }
    const syntax::File filled(text);
    auto proof = ProofOf(filled, filled.declarations()[declaration]);
    if (!proof) {
      ++material_.skipped["no_tactic_proof"];
      return;
    }
    example.origin.theorem = std::move(proof->theorem);
    example.tactics = std::move(proof->tactics);
    material_.proofs.push_back(std::move(example));
  }

  // ---- events

  core::Status ReadEvents() {
    std::vector<std::string> kinds = ModelTexts::Kinds();
    for (const auto kind : {event::kTheoremBegun, event::kAttempted, event::kProved}) {
      kinds.emplace_back(kind);
    }
    for (int64_t from = 0;;) {
      const auto events = runs_.Events(run_, from, kAtOnce, kinds);
      if (!events) return Fail(events.error());
      if (events->empty()) return {};
      for (const store::Event& event : *events) Use(event);
      from = events->back().seq + 1;
    }
  }

  void Use(const store::Event& event) {
    const json fields = core::JsonOrDiscarded(event.fields);
    if (!fields.is_object()) return;
    if (event.kind == event::kTheoremBegun) current_ = fields.value("theorem", int64_t{0});
    if (event.kind == event::kAttempted) AddTactics(fields);
    texts_.Use(event, fields, current_);
    if (event.kind == event::kProved) {
      RunTheorem* theorem = At(fields.value("theorem", int64_t{0}));
      if (theorem != nullptr) theorem->auxiliary = fields.value("auxiliary", "");
    }
  }

  RunTheorem* At(int64_t position) {
    const auto found = std::ranges::find(
        theorems_, position, [](const RunTheorem& theorem) { return theorem.row.position; });
    return found == theorems_.end() ? nullptr : &*found;
  }

  void AddTactics(const json& fields) {
    const RunTheorem* theorem = At(current_);
    if (theorem == nullptr) return;
    for (const bool failed : {false, true}) {
      for (const json& tried : fields.at(failed ? "failed" : "passed")) {
        SearchTactic tactic{.origin = theorem->origin};
        tactic.tactic = tried;
        tactic.state = fields.at("state");
        tactic.prefix = fields.at("prefix");
        tactic.failed = failed;
        material_.tactics.push_back(std::move(tactic));
      }
    }
  }

  store::Runs& runs_;
  const int64_t run_;
  engine::OpenFile file_;
  const json source_;
  Material& material_;
  std::vector<RunTheorem> theorems_;
  ModelTexts texts_;
  int64_t current_ = 0;  // the theorem that is being searched for
};

/// Where a run's file is now, and what rows say of their source.
struct RunSource {
  fs::path file;
  json source;
  bool only_texts = false;
};

core::Status AddRun(store::Runs& runs, const store::Run& run, RunSource from, Material& material) {
  auto text = core::ReadTextFile(from.file);
  if (!text || core::HexHash64(*text) != run.fingerprint) {
    ++material.skipped["file_changed"];
    return {};
  }
  try {
    RunReader reader(runs, run.id, *std::move(text), std::move(from.source), material);
    return from.only_texts ? reader.ReadTexts() : reader.Read();
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInput,
                fmt::format("run {} has an event that cannot be read: {}", run.id, error.what()));
  }
}

}  // namespace

core::Status AddAttempts(const fs::path& folder, const std::map<std::string, json>& sources,
                         Material& material) {
  const fs::path database = eval::RunDatabaseIn(folder);
  std::error_code ignored;
  if (!fs::exists(database, ignored)) return {};
  auto opened = store::Database::Open(database, store::Access::kReadOnly);
  if (!opened) return Fail(opened.error());
  store::Runs table(**opened);
  const auto runs = table.Newest(kAllRuns);
  if (!runs) return Fail(runs.error());
  for (auto run = runs->rbegin(); run != runs->rend(); ++run) {
    const json request = core::JsonOrDiscarded(run->request);
    const auto field = [&](const char* name) {
      return request.is_object() ? request.value(name, json()) : json();
    };
    if (!field("negation").is_null() || !field("problem").is_string()) continue;
    const auto problem = sources.find(field("problem").get<std::string>());
    if (problem == sources.end()) continue;
    json source = problem->second;
    for (const char* name : {"run", "attempt"}) source[name] = field(name);
    const fs::path file = eval::ProblemFolderIn(folder) / fs::path(run->file).filename();
    if (auto added = AddRun(table, *run, {file, std::move(source), true}, material); !added) {
      return added;
    }
  }
  return {};
}

core::Status AddRuns(const fs::path& database, const std::vector<int64_t>& runs,
                     Material& material) {
  auto opened = store::Database::Open(database, store::Access::kReadOnly);
  if (!opened) return Fail(opened.error());
  store::Runs table(**opened);
  std::vector<store::Run> wanted;
  if (runs.empty()) {
    auto all = table.Newest(kAllRuns);
    if (!all) return Fail(all.error());
    wanted.assign(all->rbegin(), all->rend());
  }
  for (const int64_t id : runs) {
    auto run = table.Find(id);
    if (!run) return Fail(run.error());
    if (!*run) {
      return Fail(ErrorCode::kUsage, fmt::format("there is no run {}", id),
                  "list the runs with: zermelo runs");
    }
    wanted.push_back(**std::move(run));
  }
  for (const store::Run& run : wanted) {
    json source{
        {"module", fs::path(run.file).stem().string()}, {"file", run.file}, {"run", run.id}};
    if (auto added = AddRun(table, run, {run.file, std::move(source)}, material); !added) {
      return added;
    }
  }
  return {};
}

}  // namespace zermelo::data
