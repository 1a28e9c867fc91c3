// Compiled modules that a test describes.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "kernel/testing/olean_writer.h"

namespace zermelo::trust::testing {

using Declared = std::vector<kernel::OleanWriter::Declared>;
using Content = std::function<Declared(kernel::OleanWriter&)>;

/// `stripped`: theorems that the file says it has as axioms only because it is a public part.
inline void WriteModule(const std::filesystem::path& file, const std::vector<std::string>& imports,
                        const Content& content, const std::vector<std::string>& stripped = {}) {
  using kernel::OleanWriter;
  OleanWriter w(kernel::OleanFormat{true, 2, true}, 0x10000);
  const Declared constants = content(w);
  constexpr int kTheorem = 1;
  std::vector<OleanWriter::Word> kinds;
  for (const std::string& name : stripped)
    kinds.push_back(w.Constructor(0, {w.Name(name), OleanWriter::Box(kTheorem)}));
  const auto entry = w.Constructor(0, {w.Name("Lean.privateConstKindsExt"), w.Array(kinds)});
  std::ofstream(file, std::ios::binary)
      << w.Finish(w.Module(imports, constants, {entry}, !stripped.empty()));
}

}  // namespace zermelo::trust::testing
