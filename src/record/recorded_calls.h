// Lean, models, Python programs, the library's search and what was learned behind a recorder: their
// calls and answers pass through it as JSON. Results are the same whether an answer is new or
// recorded.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/process/python_runner.h"
#include "lean/checker.h"
#include "lean/states/tactic_runner.h"
#include "lean/use_by_role.h"
#include "learn/adviser.h"
#include "llm/model.h"
#include "record/answer_json.h"
#include "record/recorder.h"
#include "retrieve/retriever.h"

namespace zermelo::record {

// `inner` runs where the recorder performs its calls. Inner objects and recorders must outlive what
// is made of them, and its calls.

/// Its figures include the checks that were answered from the record.
class RecordedChecker : public lean::Checker {
 public:
  /// Lean's time for all checks so far.
  virtual double seconds() const = 0;
  virtual const lean::UseByRole& by_role() const = 0;
};
std::unique_ptr<RecordedChecker> MakeRecorded(lean::Checker& inner, Recorder& recorder);
std::unique_ptr<lean::TacticRunner> MakeRecorded(lean::TacticRunner& inner, Recorder& recorder);
std::unique_ptr<retrieve::Retriever> MakeRecorded(retrieve::Retriever& inner, Recorder& recorder);
std::unique_ptr<learn::Adviser> MakeRecorded(learn::Adviser& inner, Recorder& recorder);
std::unique_ptr<core::PythonRunner> MakeRecorded(core::PythonRunner& inner, Recorder& recorder);

/// `inner` behind the recorder. Without a recorder it is `inner` itself; both may be null.
template <class Inner>
class MaybeRecorded {
 public:
  using Recorded = decltype(MakeRecorded(std::declval<Inner&>(), std::declval<Recorder&>()));
  MaybeRecorded() = default;
  MaybeRecorded(Inner* inner, Recorder* recorder) : used_(inner) {
    if (inner == nullptr || recorder == nullptr) return;
    recorded_ = MakeRecorded(*inner, *recorder);
    used_ = recorded_.get();
  }
  Inner* get() const { return used_; }
  /// Null without a recorder.
  const Recorded& recorded() const { return recorded_; }

 private:
  Recorded recorded_;
  Inner* used_ = nullptr;
};

/// `settings`: whatever affects answers besides the request (the server's name of the model, the
/// dialect), but not the address of the server. Completions are reported as they arrive, unless the
/// recorder performs calls elsewhere.
std::unique_ptr<llm::Model> MakeRecorded(llm::Model& inner, Recorder& recorder,
                                         std::string settings);
/// A model of which only the record exists: `recorder` must not perform its calls.
std::unique_ptr<llm::Model> MakeReplayed(std::string name, Recorder& recorder,
                                         std::string settings);

/// The JSON of a model's request, whose core::HexHash64 is the key of the call.
std::string DescribeCall(const std::string& model, const std::string& settings,
                         const llm::Request& request);

}  // namespace zermelo::record
