// Programs in do-notation: what the monads of the library do is unfolded, and cases are told apart
// by what a step returns.
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/data_variables.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMostInducted = 2;

/// Operations, and how Option, Except, StateT, ExceptT and ReaderT define them. Full names: the
/// file may have a `get` or a `bind` of its own.
constexpr std::string_view kOperations =
    "Bind.bind, Pure.pure, Functor.map, Seq.seq, Id.run, _root_.liftM, MonadLiftT.monadLift, "
    "MonadLift.monadLift, MonadExcept.throw, _root_.throwThe, MonadExceptOf.throw, "
    "MonadExcept.tryCatch, _root_.tryCatchThe, MonadExceptOf.tryCatch, "
    "Option.bind, Except.bind, Except.pure, Except.map, Except.tryCatch";
constexpr std::string_view kTransformers =
    "MonadState.get, _root_.getThe, MonadStateOf.get, MonadStateOf.set, _root_.modify, "
    "MonadState.modifyGet, MonadStateOf.modifyGet, MonadReader.read, _root_.readThe, "
    "MonadReaderOf.read, StateT.run, StateT.bind, StateT.pure, StateT.map, StateT.get, "
    "StateT.set, StateT.modifyGet, StateT.lift, ExceptT.run, ExceptT.mk, ExceptT.bind, "
    "ExceptT.bindCont, ExceptT.pure, ExceptT.lift, ReaderT.run, ReaderT.bind, ReaderT.pure, "
    "ReaderT.read";

constexpr std::string_view kSigns[] = {"←", ">>=", "<$>"};

bool IsMonadic(const HeuristicInput& input) {
  const std::string text = TypesIn(input.goal);
  const auto shows = [&](std::string_view sign) { return text.find(sign) != std::string::npos; };
  if (std::ranges::any_of(kSigns, shows)) return true;
  if (input.context.file == nullptr) return false;
  return std::ranges::any_of(*input.context.file, [&](const syntax::FileConstant& constant) {
    return constant.kind == syntax::FileConstant::Kind::kFunction &&
           std::ranges::find_first_of(constant.symbols, kSigns) != constant.symbols.end() &&
           std::ranges::find(input.file.definitions, constant.reference) !=
               input.file.definitions.end();
  });
}

}  // namespace

void ProposeMonads(const HeuristicInput& input, Candidates* out) {
  if (!IsMonadic(input)) return;
  const auto close = [&](std::string tactic, double cost) {
    out->push_back({std::move(tactic), cost, true, "monads"});
  };
  const std::string all = fmt::format("{}", fmt::join(input.file.definitions, ", "));
  const std::string defined = all.empty() ? "" : all + ", ";
  const std::string simp = fmt::format("simp_all [{}{}]", defined, kOperations);
  const std::string simp_more =
      fmt::format("simp_all [{}{}, {}]", defined, kOperations, kTransformers);
  close(simp_more, 0.27);
  close(fmt::format("{} <;> grind", simp_more), 0.28);
  const std::vector<std::string> variables = DataOf(input.arith);
  double later = 0;
  for (size_t i = 0; i < std::min(kMostInducted, variables.size()); ++i) {
    std::vector<std::string> others = variables;
    std::erase(others, variables[i]);
    std::vector<std::string> scopes = {""};
    if (!others.empty())
      scopes.insert(scopes.begin(), fmt::format(" generalizing {}", fmt::join(others, " ")));
    for (const std::string& scope : scopes) {
      const std::string induction = fmt::format("induction {}{} <;> ", variables[i], scope);
      close(fmt::format("{}(try {}) <;> grind [{}]", induction, simp_more, all), 0.44 + later);
      close(fmt::format("{}(try {}) <;> (repeat' split at *) <;> simp_all", induction, simp),
            0.74 + later);
      later += 0.03;
    }
  }
  out->push_back({fmt::format("simp [{}{}] at *", defined, kOperations), 1.4, false, "monads"});
}

}  // namespace zermelo::policy
