#include "serve/lsp/attempts.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "core/text.h"
#include "serve/lsp/wording.h"

namespace zermelo::serve::lsp {

using core::ErrorCode;
using core::Fail;
using core::Task;
using engine::ProveResult;
using engine::TheoremResult;
using engine::TheoremStatus;
using nlohmann::json;

namespace {

constexpr size_t kMemories = 256;
constexpr int kTries = 4;  // to insert proofs into a text that changes
constexpr auto kLook = std::chrono::milliseconds(300);
constexpr auto kAnswer = std::chrono::seconds(30);     // for the editor
constexpr auto kNewVersion = std::chrono::seconds(3);  // for the change that an edit causes

json TokenParams(const std::string& token) { return {{"token", token}}; }

/// One edit of one version of a text, which the user can undo at once.
json ApplyParams(const std::string& label, const std::string& uri, const Document& document,
                 const std::vector<Edit>& edits, Encoding encoding) {
  const core::LineIndex lines(document.text);
  json changes = json::array();
  for (const Edit& edit : edits) {
    changes.push_back(
        {{"range", RangeJson(lines, edit.begin, edit.end, encoding)}, {"newText", edit.text}});
  }
  json change{{"textDocument", {{"uri", uri}, {"version", document.version}}},
              {"edits", std::move(changes)}};
  return {{"label", label}, {"edit", {{"documentChanges", json::array({std::move(change)})}}}};
}

bool Contains(const std::string& text, const std::vector<Edit>& edits) {
  return std::ranges::all_of(
      edits, [&](const Edit& edit) { return text.find(edit.text) != std::string::npos; });
}

bool AnyIsThere(const std::string& text, const std::vector<FoundProof>& proofs) {
  const std::vector<SorryPlace> places = FindSorries(text);
  return std::ranges::any_of(
      proofs, [&](const FoundProof& p) { return FindAgain(places, p.sorry) != nullptr; });
}

std::string TitleOf(const AttemptRequest& request, size_t sorries) {
  const std::string with = request.model.empty() ? "" : " with " + request.model;
  if (request.aim == Aim::kProveAll) return "Proving " + core::Counted(sorries, "theorem") + with;
  return (request.aim == Aim::kDisprove ? "Disproving " : "Proving ") + request.place.name + with;
}

}  // namespace

struct Attempts::Attempt {
  enum class Stage : uint8_t { kStarting, kSearching, kStopping };
  bool stopping() const { return stage == Stage::kStopping; }

  Stage stage = Stage::kStarting;
  AttemptRequest request;
  std::string title;
  std::string base;            // the text when it began
  std::vector<Sorry> sorries;  // to be proved, as they are now
  std::string token;           // of its progress
  bool shows_progress = false;
  std::string job;                 // its handle; empty: not yet begun
  std::string phase = "starting";  // to be shown
  double seconds = 0;
  std::string spent;              // on models
  std::vector<FoundProof> found;  // not yet inserted

  bool Concerns(const std::string& uri, const Sorry& sorry) const {
    return request.uri == uri && std::ranges::find(sorries, sorry) != sorries.end();
  }
};

Attempts::Attempts(core::Executor executor, Projects& projects, mcp::ProofJobs& jobs,
                   Documents& documents, Editor& editor)
    : executor_(std::move(executor)),
      projects_(projects),
      jobs_(jobs),
      documents_(documents),
      editor_(editor),
      group_(executor_),
      changed_(executor_) {}

Attempts::~Attempts() = default;

core::Status Attempts::Start(AttemptRequest request) {
  if (closed_) return Fail(ErrorCode::kCancelled, "the server is stopping");
  const Document* const document = documents_.Find(request.uri);
  if (document == nullptr) return Fail(ErrorCode::kInput, "the file is not open");
  auto attempt = std::make_shared<Attempt>();
  if (request.aim == Aim::kProveAll) {
    for (SorryPlace& place : FindSorries(document->text)) {
      attempt->sorries.push_back(std::move(place.id));
    }
  } else {
    attempt->sorries.push_back(request.place.id);
  }
  if (attempt->sorries.empty()) return Fail(ErrorCode::kInput, "there is no sorry in this file");
  const bool disproves = request.aim == Aim::kDisprove;
  for (const auto& other : running_) {
    if ((other->request.aim == Aim::kDisprove) != disproves) continue;
    for (const Sorry& sorry : attempt->sorries) {
      if (!other->Concerns(request.uri, sorry)) continue;
      return Fail(ErrorCode::kInput, "already at work: " + other->title);
    }
  }
  attempt->title = TitleOf(request, attempt->sorries.size());
  attempt->base = document->text;
  attempt->token = fmt::format("zermelo-{}", next_token_++);
  attempt->request = std::move(request);
  running_.push_back(attempt);
  group_.Spawn(Run(std::move(attempt)));
  return {};
}

// ---- cancellation

void Attempts::RequestEnd(Attempt& attempt, mcp::Found found) {
  attempt.stage = Attempt::Stage::kStopping;
  if (!attempt.job.empty()) jobs_.RequestEnd(attempt.job, found);
}

void Attempts::StopToken(const std::string& token) {
  for (const auto& attempt : running_) {
    if (attempt->token == token) RequestEnd(*attempt, mcp::Found::kKeep);
  }
}

bool Attempts::Stop(const std::string& uri, const Sorry& sorry) {
  bool any = false;
  for (const auto& attempt : running_) {
    if (!attempt->Concerns(uri, sorry)) continue;
    RequestEnd(*attempt, mcp::Found::kKeep);
    any = true;
  }
  return any;
}

void Attempts::CancelAll(const std::string& uri) {
  for (const auto& attempt : running_) {
    if (attempt->request.uri == uri) RequestEnd(*attempt, mcp::Found::kDrop);
  }
}

Task<void> Attempts::Close() {
  closed_ = true;
  for (const auto& attempt : running_) RequestEnd(*attempt, mcp::Found::kDrop);
  Changed();
  co_await group_.Join();
}

// ---- what is known

bool Attempts::IsTrying(const std::string& uri, const Sorry& sorry) const {
  return std::ranges::any_of(running_, [&](const auto& a) { return a->Concerns(uri, sorry); });
}

std::string Attempts::About(const std::string& uri, const Sorry& sorry) const {
  for (const auto& attempt : running_) {
    if (!attempt->Concerns(uri, sorry)) continue;
    return fmt::format("**Zermelo**: {} for {:.0f} s\n\n{}", attempt->title, attempt->seconds,
                       Fenced(attempt->phase));
  }
  for (const Memory& memory : memories_) {
    if (memory.uri == uri && memory.sorry == sorry) return memory.text;
  }
  return "";
}

void Attempts::Remember(Memory memory) {
  const auto same = std::ranges::find_if(
      memories_, [&](const Memory& m) { return m.uri == memory.uri && m.sorry == memory.sorry; });
  if (same != memories_.end() && same->worth > memory.worth) return;
  if (same != memories_.end()) memories_.erase(same);
  memories_.push_front(std::move(memory));
  if (memories_.size() > kMemories) memories_.pop_back();
}

// ---- progress

void Attempts::Progress(const Attempt& attempt, const char* kind, const std::string& message) {
  if (!attempt.shows_progress) return;
  json value{{"kind", kind}, {"message", message}};
  const bool begins = std::string_view(kind) == "begin";
  if (begins) value["title"] = attempt.title;
  if (std::string_view(kind) != "end") value["cancellable"] = true;
  editor_.Notify("$/progress", {{"token", attempt.token}, {"value", std::move(value)}});
}

Task<void> Attempts::BeginProgress(std::shared_ptr<Attempt> attempt) {
  if (!editor_.abilities().progress) co_return;
  const auto created = co_await editor_.Request("window/workDoneProgress/create",
                                                TokenParams(attempt->token), kAnswer);
  attempt->shows_progress = created.has_value();
  Progress(*attempt, "begin", attempt->phase);
}

// ---- an attempt

Task<void> Attempts::Run(std::shared_ptr<Attempt> attempt) {
  editor_.RefreshLenses();
  co_await BeginProgress(attempt);
  std::string end;
  try {
    auto result = co_await Search(attempt);
    if (result) {
      end = co_await Deliver(attempt, std::move(*result));
    } else if (attempt->stopping() && result.error().code == ErrorCode::kCancelled) {
      end = "stopped";
    } else {
      end = result.error().message;
      editor_.Show(MessageType::kError, ErrorText(attempt->title, result.error()));
    }
  } catch (const std::exception& e) {
    end = e.what();
    editor_.Show(MessageType::kError, attempt->title + ": internal error: " + e.what());
  }
  std::erase(running_, attempt);
  Progress(*attempt, "end", end);
  editor_.RefreshLenses();
}

Task<core::Result<ProveResult>> Attempts::Search(std::shared_ptr<Attempt> attempt) {
  const AttemptRequest& wanted = attempt->request;
  const std::filesystem::path file = PathOf(wanted.uri);
  auto source = co_await projects_.Take(attempt->base, file.parent_path().string());
  if (!source) co_return Fail(source.error());
  if (attempt->stopping()) co_return Fail(ErrorCode::kCancelled, "stopped");
  mcp::JobRequest request;
  request.text = source->text;
  request.file = file;
  request.source = std::move(*source);
  request.seconds = wanted.seconds;
  if (!wanted.model.empty()) request.budget.models.push_back(wanted.model);
  if (wanted.aim == Aim::kProve) request.hole = wanted.place.hole.begin;
  if (wanted.aim == Aim::kDisprove) {
    const auto negation = mcp::NegationIn(request.text, wanted.place.declaration);
    if (!negation) co_return Fail(negation.error());
    request.text = negation->text;
    request.theorems.push_back(negation->name);
  }
  const auto begun = jobs_.Begin(std::move(request));
  if (!begun) co_return Fail(begun.error());
  attempt->job = *begun;
  attempt->stage = Attempt::Stage::kSearching;
  co_return co_await WaitFor(attempt);
}

Task<core::Result<ProveResult>> Attempts::WaitFor(std::shared_ptr<Attempt> attempt) {
  while (true) {
    const auto progress = co_await jobs_.Watch(attempt->job, kLook);
    if (!progress) co_return Fail(ErrorCode::kInternal, "the job no longer exists");
    attempt->seconds = progress->seconds;
    attempt->spent = progress->spent;
    if (progress->outcome) co_return *progress->outcome;
    std::string phase = progress->phase;
    const bool searches = !progress->trying.empty();
    if (searches && progress->found > 0) {
      phase = core::Counted(progress->found, "proof") + " found, " + phase;
    }
    if (searches) phase += "\n" + core::Truncated(progress->trying, 200);
    if (phase == attempt->phase) continue;
    attempt->phase = phase;
    std::ranges::replace(phase, '\n', ' ');
    Progress(*attempt, "report", phase);
  }
}

Task<std::string> Attempts::Deliver(std::shared_ptr<Attempt> attempt, ProveResult result) {
  if (attempt->request.aim == Aim::kDisprove) co_return NoteDisproof(*attempt, result);
  std::vector<FoundProof> found;
  std::vector<std::string> failures;
  for (size_t i = 0; i < std::min(result.theorems.size(), attempt->sorries.size()); ++i) {
    TheoremResult& theorem = result.theorems[i];
    const Sorry& sorry = attempt->sorries[i];
    if (theorem.status == TheoremStatus::kProvedFrom)
      editor_.Show(MessageType::kInfo, theorem.name + " is " + theorem.message);
    if (!HasProof(theorem)) {
      if (attempt->stopping() && theorem.lemmas.empty()) continue;
      if (!attempt->stopping()) failures.push_back(FailureText(theorem, attempt->spent));
      Memory memory;
      memory.uri = attempt->request.uri;
      memory.sorry = sorry;
      memory.worth = theorem.lemmas.empty() ? 0 : 1;
      memory.text = FailureMarkdown(theorem, attempt->spent);
      Remember(std::move(memory));
      continue;
    }
    FoundProof proof;
    proof.sorry = sorry;
    proof.name = theorem.name;
    proof.tactics = std::move(theorem.proof);
    proof.auxiliary = std::move(theorem.auxiliary);
    found.push_back(std::move(proof));
  }
  if (!failures.empty()) {
    failures.insert(failures.end(), result.notes.begin(), result.notes.end());
    editor_.Show(MessageType::kWarning, fmt::format("{}", fmt::join(failures, "\n")));
  }
  const size_t all = result.theorems.size();
  const bool stopped = attempt->stopping() && found.size() < all;
  if (found.empty() && stopped) co_return "stopped";
  if (found.empty()) co_return fmt::format("no proof of {}", core::Counted(all, "theorem"));
  const Insertion insertion = co_await Insert(attempt, std::move(found));
  for (const FoundProof& proof : insertion.dropped) {
    editor_.Show(MessageType::kWarning, DroppedText(proof, insertion.why));
  }
  const std::string end =
      fmt::format("{}{} of {} proved", stopped ? "stopped, " : "", insertion.inserted.size(), all);
  if (!attempt->shows_progress) editor_.Show(MessageType::kInfo, attempt->title + ": " + end);
  co_return end;
}

std::string Attempts::NoteDisproof(Attempt& attempt, const ProveResult& result) {
  const std::string& name = attempt.request.place.name;
  const auto remember = [&](int worth, std::string text) {
    Remember({attempt.request.uri, attempt.sorries.front(), worth, std::move(text)});
  };
  if (result.proved() == 0 && attempt.stopping()) return "stopped";
  if (result.proved() == 0) {
    const std::string why =
        result.theorems.empty() ? "" : Effort(result.theorems.front(), attempt.spent);
    const std::string text = fmt::format("`{}` was not disproved; it may be true or false{}", name,
                                         why.empty() ? "" : " (" + why + ")");
    remember(0, "**Zermelo**: " + text);
    editor_.Show(MessageType::kWarning, text);
    return "not disproved";
  }
  const size_t begin = std::min(attempt.request.place.declaration.range.begin, result.text.size());
  remember(2, fmt::format("**Zermelo**: `{}` is false as stated. Its negation is proved:\n\n{}",
                          name, Fenced(result.text.substr(begin))));
  editor_.Show(MessageType::kWarning,
               fmt::format("`{}` is false as stated: its negation is proved. Hover over the sorry "
                           "for the proof.",
                           name));
  return "disproved";
}

// ---- edits

Task<Attempts::Insertion> Attempts::Insert(std::shared_ptr<Attempt> attempt,
                                           std::vector<FoundProof> proofs) {
  const std::string& uri = attempt->request.uri;
  attempt->found = std::move(proofs);
  Insertion insertion;
  insertion.why = "the editor cannot apply an edit to one version of a text";
  for (int i = 0; i < kTries && editor_.abilities().versioned_edits; ++i) {
    const Document* document = documents_.Find(uri);
    insertion.why = "the file is closed";
    if (document == nullptr) break;
    const Placement placement = PlaceProofs(document->text, attempt->found);
    insertion.why = "its text has changed meanwhile";
    if (placement.placed.empty()) break;
    const std::string before = document->text;
    const int64_t version = document->version;
    const auto answer = co_await editor_.Request(
        "workspace/applyEdit",
        ApplyParams(attempt->title, uri, *document, placement.edits, documents_.encoding()),
        kAnswer);
    if (!answer) insertion.why = answer.error().message;
    if (!answer) break;
    const bool says_applied = answer->is_object() && answer->value("applied", json()) == json(true);
    co_await WaitForVersionAfter(uri, version);
    document = documents_.Find(uri);
    const bool changed = document != nullptr && document->version != version;
    // Some editors drop an edit of an earlier version but report that they applied it.
    const bool there = document != nullptr && AnyIsThere(document->text, placement.placed);
    if (there && (changed || !says_applied)) continue;
    if (changed && !Contains(document->text, placement.edits)) break;
    Reanchor(uri, before, placement.edits);
    insertion.inserted = placement.placed;
    attempt->found = placement.homeless;
    break;
  }
  insertion.dropped = std::move(attempt->found);
  co_return insertion;
}

Task<void> Attempts::WaitForVersionAfter(std::string uri, int64_t version) {
  const core::Deadline deadline = core::Deadline::After(kNewVersion);
  while (!deadline.Passed() && !closed_) {
    const Document* const document = documents_.Find(uri);
    if (document == nullptr || document->version != version) break;
    co_await changed_.Wait(deadline);
  }
}

/// Other attempts know the text as it was before these edits.
void Attempts::Reanchor(const std::string& uri, const std::string& before,
                        const std::vector<Edit>& edits) {
  const std::vector<Move> moves = MovesOf(before, edits);
  const auto move = [&](Sorry& sorry) {
    const auto found = std::ranges::find(moves, sorry, &Move::from);
    if (found != moves.end()) sorry = found->to;
  };
  for (const auto& attempt : running_) {
    if (attempt->request.uri != uri) continue;
    for (Sorry& sorry : attempt->sorries) move(sorry);
    for (FoundProof& proof : attempt->found) move(proof.sorry);
  }
  for (Memory& memory : memories_) {
    if (memory.uri == uri) move(memory.sorry);
  }
}

}  // namespace zermelo::serve::lsp
