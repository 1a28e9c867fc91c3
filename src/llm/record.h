// Recording what models are asked and answer, and answering from the record: three decorators.
//
// Two requests are the same when model name, settings and request are the same, value by value. A
// model that is asked the same again answers something else unless the request has a seed, so the
// n-th of equal calls is kept apart from the others: a run that asks in the same order gets the
// same answers, byte for byte, errors included. Calls are counted when they begin.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llm/model.h"

namespace zermelo::llm {

/// A call and its outcome, as text.
struct RecordedCall {
  std::string model;
  std::string key;      // a hash of `request`, in hexadecimal
  int64_t nth = 0;      // among the calls with this key, from 0
  std::string request;  // canonical JSON: model, settings, request
  std::string outcome;  // JSON: a reply or an error
};

/// The call that a model makes for a request; without its outcome.
RecordedCall DescribeCall(const std::string& model, const std::string& settings,
                          const Request& request);

/// What came back, and the completions in the order in which they were announced.
struct RecordedOutcome {
  core::Result<Reply> outcome;
  std::vector<Completion> arrived;
};
/// As RecordedCall::outcome. `arrived` is written where it is not what the reply says.
std::string OutcomeText(const core::Result<Reply>& outcome, const std::vector<Completion>& arrived);
/// kInput when it is not what OutcomeText writes.
core::Result<RecordedOutcome> ReadOutcome(const std::string& text);

/// Where calls are kept (store::ModelCalls, by way of the engine). May block for a disk write.
class CallLog {
 public:
  virtual ~CallLog() = default;
  /// As a whole or not at all; an error if the key has this number already.
  virtual core::Status Append(const RecordedCall& call) = 0;
  virtual core::Result<std::optional<RecordedCall>> Find(const std::string& key, int64_t nth) = 0;
  /// The number that follows the highest of this key.
  virtual core::Result<int64_t> NextOf(const std::string& key) = 0;
  /// All of a model: what a miss is compared with.
  virtual core::Result<std::vector<RecordedCall>> OfModel(const std::string& model) = 0;
  /// The models that it has calls of, in alphabetical order.
  virtual core::Result<std::vector<std::string>> Models() = 0;
};

/// Asks `inner` and records what comes back before it is returned. A reply that cannot be recorded
/// is an error. Equal calls that the log has already stay; new ones are numbered after them.
/// `settings`: whatever else affects answers (the server's name of the model, the dialect), never
/// where the server is. Everything that is passed in must outlive the model and its calls.
std::unique_ptr<Model> MakeRecordingModel(Model& inner, CallLog& log, std::string settings);

/// Answers as model `name` did when it was recorded, and asks nobody. A call that is not in the
/// record is a kInput error that says in what it differs from the nearest one. A call that was
/// cancelled then, since a sibling had found what was looked for, has no completions now: who asks
/// one call after another, where they ran side by side, comes to the sibling later.
std::unique_ptr<Model> MakeReplayingModel(std::string name, CallLog& log, std::string settings);

/// Answers a request that has a seed from the log if it is there: free of charge (no usage, no
/// attempt). Else asks `inner`, and keeps the answer unless it is an error or broken.
std::unique_ptr<Model> MakeCachingModel(Model& inner, CallLog& log, std::string settings);

}  // namespace zermelo::llm
