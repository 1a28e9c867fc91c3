#include "lean/versions.h"

#include <charconv>

namespace zermelo::lean {

namespace {

using enum InterfaceKind;

constexpr VersionNumbers kAlways = kFirstCovered;  // or earlier

constexpr std::string_view kProtocol = "lean4 src/Lean/Data/Lsp/Extra.lean";
constexpr std::string_view kReadAlways = "read in every version";

// Sources: RM is leanprover/reference-manual Manual/Releases; # is a pull request of
// leanprover/lean4.
constexpr Interface kInterfaces[] = {
    {kLsp,
     "textDocument/waitForDiagnostics",
     kAlways,
     kForever,
     true,
     true,
     "a check has ended when it is answered",
     kProtocol,
     {}},
    {kLsp,
     "$/lean/plainGoal",
     kAlways,
     kForever,
     true,
     true,
     "the goals at a position",
     kProtocol,
     {}},
    {kLsp,
     "$/lean/plainTermGoal",
     kAlways,
     kForever,
     true,
     true,
     "the goal at a sorry that is a term",
     kProtocol,
     {}},
    {kLsp,
     "$/lean/fileProgress",
     kAlways,
     kForever,
     true,
     true,
     "how far Lean is; ends a check at its first error",
     kProtocol,
     {}},
    {kLsp,
     "incrementalDiagnosticSupport",
     {4, 31, 0},
     kForever,
     false,
     false,
     "not asked for, so that Lean sends all messages each time, as before",
     "RM 4.31.0 (#13260)",
     {}},
    {kOption,
     "server.reportDelayMs",
     kAlways,
     kForever,
     true,
     true,
     "messages come at once",
     "lean4 src/Lean/Server/FileWorker.lean",
     {}},
    {kOption,
     "debug.skipKernelTC",
     {4, 10, 0},
     kForever,
     true,
     true,
     "the kernel is off while a search tries candidates, and on for what it found",
     "RM 4.10.0 (lean4 commits 7b56eb, d8e719)",
     {}},
    {kOption,
     "linter.all",
     kAlways,
     kForever,
     false,
     true,
     "no linters while searching",
     "lean4 src/Lean/Linter/Basic.lean",
     {}},
    {kOption,
     "debug.byAsSorry",
     {4, 10, 0},
     kForever,
     false,
     true,
     "refused in proofs (docs/trust.md)",
     "RM 4.10.0 (#4576)",
     {}},
    {kMessage,
     "declaration uses 'sorry'",
     kAlways,
     {4, 28, 0},
     false,
     false,
     kReadAlways,
     "RM 4.22.0, 4.24.0, 4.25.0; 4.28.0-pre writes the next form",
     "declaration uses 'sorry'"},
    {kMessage,
     "declaration uses `sorry`",
     {4, 26, 0},
     kForever,
     false,
     true,
     kReadAlways,
     "the embedded 4.28.0-pre; the first version is not known, so both forms count for 4.26 and "
     "4.27",
     "declaration uses `sorry`"},
    {kMessage, "unsolved goals", kAlways, kForever, true, true,
     "the goals that an attempt leaves open", "RM 4.19.0 (#7366), 4.33.0",
     "unsolved goals\ncase inl\nn : Nat\nh : n = 0\n⊢ n < 1"},
    {kMessage, "unknown package", kAlways, kForever, false, false, "advice on imports",
     "lean4 src/Lean/Util/Path.lean", "unknown package 'Mathlib'"},
    {kMessage,
     "unknown module prefix",
     {4, 9, 0},
     kForever,
     false,
     true,
     "advice on imports",
     "lean4 src/Lean/Util/Path.lean",
     "unknown module prefix 'Mathlib'\n\nNo directory 'Mathlib' or file 'Mathlib.olean' in the "
     "search path entries:\n/lib/lean"},
    {kFile,
     ".olean, version 1",
     kAlways,
     {4, 14, 0},
     false,
     false,
     "not read: no verdict, so `prove` and `check --against` do not work",
     "lean4 src/library/module.cpp before #5144",
     {}},
    {kFile,
     ".olean, version 2",
     {4, 14, 0},
     kForever,
     true,
     true,
     "what trust and kernel read",
     "RM 4.14.0 (#5144); src/kernel/testdata is laid out by it",
     {}},
    {kFile,
     ".olean, version 3",
     {4, 32, 0},
     kForever,
     false,
     false,
     "modules with closures",
     "lean4 src/library/module.cpp",
     {}},
    {kFile,
     ".olean.server, .olean.private",
     {4, 22, 0},
     kForever,
     false,
     false,
     "the parts of a module of the module system, read together",
     "lean4 src/Lean/Environment.lean; RM 4.22.0",
     {}},
    {kFile,
     "NDJSON export, format 3.1.0",
     {4, 26, 0},
     kForever,
     false,
     false,
     "read and written by `zermelo kernel`",
     "leanprover/lean4export format_ndjson.md",
     {}},
    {kCommand,
     "lean -o",
     kAlways,
     kForever,
     true,
     true,
     "compiles what is judged",
     "lean4 src/util/shell.cpp",
     {}},
    {kCommand,
     "lake env",
     kAlways,
     kForever,
     false,
     false,
     "finds a project's Lean and its packages",
     "lean4 src/lake/Lake/CLI/Main.lean",
     {}},
    {kCommand,
     "leanchecker",
     {4, 28, 0},
     kForever,
     false,
     false,
     "not run; `zermelo kernel` checks the same files",
     "RM 4.28.0",
     {}},
    {kCommand,
     "leanchecker-paranoid, lean4lean, nanoda_bin, con-leche, con-ron",
     {4, 35, 0},
     kForever,
     false,
     false,
     "`check --paranoid` asks them about an NDJSON export",
     "lean4 src/lake/Lake/CLI/Check.lean (#15145)",
     {}},
    {kCommand,
     "lean --incr-header-save, --incr-load",
     {4, 32, 0},
     kForever,
     false,
     false,
     "experimental: the state after imports in a file",
     "RM 4.32.0 (#13965)",
     {}},
    {kName,
     "Lean.ofReduceBool, Lean.trustCompiler",
     kAlways,
     {4, 35, 0},
     false,
     true,
     "axioms of native_decide: refused",
     "RM 4.12.0; gone in the notes of 4.35.0-rc3",
     "Lean.ofReduceBool"},
    {kName,
     "D._native.native_decide.ax_1_1",
     {4, 29, 0},
     kForever,
     false,
     false,
     "axioms of native_decide, one for each computation: refused",
     "RM 4.29.0 (#12217, RFC #12216)",
     "D._native.native_decide.ax_1_1"},
    {kName,
     "Lean.Environment.replay",
     kAlways,
     {4, 34, 0},
     false,
     false,
     "adds declarations: refused in proofs",
     "RM 4.34.0 (#14391)",
     "Lean.Environment.replay"},
    {kName,
     "Lean.Kernel.Environment.replay",
     {4, 34, 0},
     kForever,
     false,
     false,
     "the same under its new name: refused in proofs",
     "RM 4.34.0 (#14391)",
     "Lean.Kernel.Environment.replay"},
    {kName,
     "Lean.Environment.addDecl",
     kAlways,
     {4, 17, 0},
     false,
     false,
     "`--paranoid` replays proofs with it",
     "RM 4.17.0 (#5145)",
     {}},
    {kName,
     "Lean.Kernel.Environment.addDeclCore",
     {4, 17, 0},
     kForever,
     false,
     true,
     "the same under its new name",
     "RM 4.17.0 (#5145); one argument more from 4.33 on (#13956)",
     {}},
};

}  // namespace

std::optional<VersionNumbers> NumbersOf(std::string_view version) {
  VersionNumbers numbers{};
  const char* at = version.data();
  const char* const end = version.data() + version.size();
  for (int& number : numbers) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return std::nullopt;
    at = next == end ? end : next + 1;
  }
  return numbers;
}

const char* Name(InterfaceKind kind) {
  switch (kind) {
    case kLsp:
      return "lsp";
    case kOption:
      return "option";
    case kMessage:
      return "message";
    case kFile:
      return "file";
    case kCommand:
      return "command";
    case kName:
      return "name";
  }
  return "name";
}

std::span<const Interface> Interfaces() { return kInterfaces; }

std::vector<const Interface*> Lacking(VersionNumbers version) {
  std::vector<const Interface*> lacking;
  for (const Interface& interface : kInterfaces) {
    if (interface.needed && !interface.IsIn(version)) lacking.push_back(&interface);
  }
  return lacking;
}

}  // namespace zermelo::lean
