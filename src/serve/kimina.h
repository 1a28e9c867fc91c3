// The wire contract of Kimina Lean Server (project-numina/kimina-lean-server, server/routers and
// client/kimina_client/models.py), whose answers are the Lean REPL's (leanprover-community/repl,
// REPL/JSON.lean): lines from 1, columns in code points, empty lists and nulls left out.
//
// What differs is said in docs/verifier-api.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/verifier.h"

namespace zermelo::serve::kimina {

struct Batch {
  std::vector<std::string> ids;
  std::vector<Snippet> snippets;  // as many
};

/// The bodies of `POST /api/check` and of `POST /verify`. Throw BadRequest.
Batch ParseCheck(const nlohmann::json& body);
Batch ParseVerify(const nlohmann::json& body);

/// One entry of `results` in the answers to the two.
nlohmann::json CheckResult(const std::string& id, const Snippet& snippet,
                           const Verification& verification);
nlohmann::json VerifyResult(const std::string& id, const Snippet& snippet,
                            const Verification& verification);

}  // namespace zermelo::serve::kimina
