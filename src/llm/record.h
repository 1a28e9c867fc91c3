// Records, replays and caches the calls of models.
//
// Two calls are equal if model name, settings and request are equal, value by value. A model
// answers equal calls differently unless the request has a seed, so equal calls are numbered in the
// order in which they begin: a run that makes the same calls in the same order gets the same
// answers, byte for byte, errors included.
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

/// The call of a model for a request, without its outcome.
RecordedCall DescribeCall(const std::string& model, const std::string& settings,
                          const Request& request);

/// The outcome of a call, and its completions in the order in which they were announced.
struct RecordedOutcome {
  core::Result<Reply> outcome;
  std::vector<Completion> arrived;
};
/// The text of RecordedCall::outcome. `arrived` is written only if it differs from the reply.
std::string OutcomeText(const core::Result<Reply>& outcome, const std::vector<Completion>& arrived);
/// kInput if the text was not written by OutcomeText.
core::Result<RecordedOutcome> ReadOutcome(const std::string& text);

/// Storage of calls (store::ModelCalls, through the engine). May block for a disk write.
class CallLog {
 public:
  virtual ~CallLog() = default;
  /// Atomic. An error if the key already has a call with this number.
  virtual core::Status Append(const RecordedCall& call) = 0;
  virtual core::Result<std::optional<RecordedCall>> Find(const std::string& key, int64_t nth) = 0;
  /// The number after the highest one of this key.
  virtual core::Result<int64_t> NextOf(const std::string& key) = 0;
  /// All calls of a model, with which a miss is compared.
  virtual core::Result<std::vector<RecordedCall>> OfModel(const std::string& model) = 0;
  /// The models that have calls, in alphabetical order.
  virtual core::Result<std::vector<std::string>> Models() = 0;
};

/// Calls `inner` and records the outcome before returning it. A reply that cannot be recorded is an
/// error. Equal calls that are already in the log stay; new ones are numbered after them.
/// `settings`: whatever else affects answers (the server's name of the model, the dialect), but not
/// the address of the server. All arguments must outlive the model and its calls.
std::unique_ptr<Model> MakeRecordingModel(Model& inner, CallLog& log, std::string settings);

/// Answers with the recorded outcomes of model `name`, without calling a model. A call that is not
/// in the record is a kInput error that states the differences from the nearest one. A recorded
/// call that was cancelled, because a concurrent sibling succeeded, returns no completions: a
/// caller that makes the calls one after another reaches the sibling later.
std::unique_ptr<Model> MakeReplayingModel(std::string name, CallLog& log, std::string settings);

/// Answers requests with a seed from the log if possible, free of charge (no usage, no attempts).
/// Otherwise calls `inner` and stores the answer unless it is an error or broken.
std::unique_ptr<Model> MakeCachingModel(Model& inner, CallLog& log, std::string settings);

}  // namespace zermelo::llm
