// What Zermelo uses of Lean, by version: the matrix of versions (docs/versions.md).
//
// Lean promises no stable interface to tools. Every entry names where it is described, and whether
// it has been run: only the embedded Lean ever was.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zermelo::lean {

/// Major, minor, patch: {4, 28, 0}.
using VersionNumbers = std::array<int, 3>;

/// The numbers of "4.28.0-pre"; nullopt if it does not begin with three.
std::optional<VersionNumbers> NumbersOf(std::string_view version);

/// The versions that the matrix covers.
inline constexpr VersionNumbers kFirstCovered = {4, 9, 0}, kLastCovered = {4, 35, 0};

/// The one version whose interfaces the tests run; all others are known from their sources only.
inline constexpr std::string_view kRunVersion = "4.28.0-pre";

/// The first version whose kernel has no bug that KnownProblems knows.
inline constexpr std::string_view kNoKnownProblems = "4.34.1";

enum class InterfaceKind { kLsp, kOption, kMessage, kFile, kCommand, kName };
const char* Name(InterfaceKind kind);  // "lsp", "option", "message", "file", "command", "name"

/// One thing that Zermelo uses of Lean, or knows about it.
struct Interface {
  InterfaceKind kind;
  std::string_view name;     // as in Lean: a method, an option, the words of a message
  VersionNumbers first;      // that has it
  VersionNumbers end;        // the first that has it no longer; kForever if all do
  bool needed;               // `prove` does not work without it
  bool run;                  // the tests run it, with kRunVersion
  std::string_view use;      // what for, or what else happens
  std::string_view source;   // where it is described
  std::string_view example;  // of a message or file: what a test reads, as that version writes it

  bool IsIn(VersionNumbers version) const { return first <= version && version < end; }
};
inline constexpr VersionNumbers kForever = {1000, 0, 0};

/// All entries, by kind.
std::span<const Interface> Interfaces();

/// The entries that this version lacks although `prove` needs them.
std::vector<const Interface*> Lacking(VersionNumbers version);

}  // namespace zermelo::lean
