// What one compiled module declares that an audit reports.
#pragma once

#include <string>
#include <vector>

#include "trust/audit/audit.h"
#include "trust/audit/axiom_reader.h"

namespace zermelo::trust {

struct AuditedModule {
  const std::string& name;
  const std::vector<std::string>& allowed_axioms;
  AxiomReader& reader;
  OleanImage& image;  // opened
  const kernel::ModuleObjects& objects;
  const std::vector<ConstantAxioms>& axioms;  // by constant
};

/// Adds the module's declarations and findings to a report.
void AddFindings(const AuditedModule& module, AuditReport* report);

}  // namespace zermelo::trust
