// What one compiled module declares that an audit reports.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trust/audit/audit.h"
#include "trust/audit/axiom_reader.h"

namespace zermelo::trust {

/// What an axiom states.
struct AxiomStatement {
  std::string hash;     // StatementHash of its type; with "+" between those of several axioms
  bool is_own = false;  // of a module that is reported on
};
using AxiomStatements = std::map<std::string, AxiomStatement>;  // by AxiomName

struct AuditedModule {
  const std::string& name;
  const std::vector<std::string>& allowed_axioms;
  const AxiomStatements& statements;  // of this module and of those that it imports
  AxiomReader& reader;
  OleanImage& image;  // opened
  const kernel::ModuleObjects& objects;
  const std::vector<ConstantAxioms>& axioms;  // by constant
};

/// Adds the module's declarations and findings to a report.
void AddFindings(const AuditedModule& module, AuditReport* report);

}  // namespace zermelo::trust
