// The wire contract of Kimina Lean Server (project-numina/kimina-lean-server, server/routers and
// client/kimina_client/models.py), whose answers are those of the Lean REPL
// (leanprover-community/repl, REPL/JSON.lean): lines from 1, columns in code points, empty lists
// and nulls omitted.
//
// docs/verifier-api.md lists the differences.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/verifier.h"

namespace zermelo::serve::kimina {

struct Batch {
  std::vector<std::string> ids;
  std::vector<Snippet> snippets;  // one for each id
};

/// Parse the bodies of `POST /api/check` and `POST /verify`. Throw BadRequest.
Batch ParseCheck(const nlohmann::json& body);
Batch ParseVerify(const nlohmann::json& body);

/// One entry of `results` in the answers to these requests.
nlohmann::json CheckResult(const std::string& id, const Snippet& snippet,
                           const Verification& verification);
nlohmann::json VerifyResult(const std::string& id, const Snippet& snippet,
                            const Verification& verification);

}  // namespace zermelo::serve::kimina
