#include "serve/premise_search.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "serve/http/json_fields.h"
#include "syntax/signature.h"

namespace zermelo::serve {

using core::Fail;
using core::Result;
using nlohmann::json;
using retrieve::Premise;

namespace {

constexpr size_t kMaxQueries = 64;
constexpr size_t kMaxResults = 150;  // LeanSearch
constexpr size_t kMaxHits = 200;     // Loogle
constexpr size_t kMaxQuestion = 4000;

json OrNull(const std::string& text) { return text.empty() ? json() : json(text); }

/// The patterns and quoted parts of names, which commas outside of brackets separate.
std::vector<std::string> SplitFilters(std::string_view question) {
  const auto tokens = syntax::LexCode(question);
  std::vector<std::string> filters;
  for (size_t i = 0; i < tokens.size();) {
    const size_t comma = syntax::FindOutside(question, tokens, ",", i, tokens.size());
    const size_t begin = tokens[i].begin;
    if (comma > i) filters.emplace_back(question.substr(begin, tokens[comma - 1].end - begin));
    i = comma + 1;
  }
  return filters;
}

json ErrorOf(const std::string& what) { return {{"error", what}}; }

/// Turns a signature "(n m : Nat) : n + m = m + n" into a type "∀ (n m : Nat), n + m = m + n".
std::string TypeOf(std::string_view signature) {
  const auto parsed = syntax::ParseSignature(signature);
  if (!parsed) return std::string(signature);
  if (parsed->binders.empty()) return parsed->type;
  return fmt::format("∀ {}, {}", core::Trim(signature.substr(0, parsed->colon)), parsed->type);
}

}  // namespace

LeanSearchRequest ParseLeanSearch(const json& body) {
  LeanSearchRequest request;
  const auto query = body.find("query");
  if (query != body.end() && query->is_string()) {
    request.queries = {query->get<std::string>()};
  } else {
    static_cast<void>(ArrayField(body, "query"));
    request.queries = StringsField(body, "query");
  }
  if (request.queries.size() > kMaxQueries) {
    throw BadRequest(413, fmt::format("at most {} queries at a time", kMaxQueries));
  }
  request.num_results = std::clamp<size_t>(CountField(body, "num_results", 5), 1, kMaxResults);
  return request;
}

json LeanSearchAnswer(const std::vector<Premise>& premises) {
  json answers = json::array();
  const double best = premises.empty() ? 1 : std::max(premises.front().score, 1e-9);
  for (const Premise& premise : premises) {
    const json result{{"module_name", syntax::NameComponents(premise.module)},
                      {"kind", premise.kind},
                      {"name", syntax::NameComponents(premise.name)},
                      {"signature", premise.signature},
                      {"type", TypeOf(premise.signature)},
                      {"value", json()},
                      {"docstring", OrNull(premise.docstring)},
                      {"informal_name", premise.name},
                      {"informal_description", premise.docstring}};
    answers.push_back({{"result", result}, {"distance", 1 - premise.score / best}});
  }
  return answers;
}

Result<json> LoogleAnswer(retrieve::PremiseIndex& index, const std::string& question) {
  if (question.size() > kMaxQuestion) return ErrorOf("the query is too long");
  const auto filters = SplitFilters(question);
  if (filters.empty()) return ErrorOf("the query is empty");
  retrieve::Containment wanted;
  wanted.limit = kMaxHits;
  for (const std::string& filter : filters) {
    if (filter.size() >= 2 && filter.front() == '"' && filter.back() == '"') {
      wanted.in_name.push_back(filter.substr(1, filter.size() - 2));
    } else {
      wanted.patterns.push_back(filter);
    }
  }
  const auto found = index.Containing(wanted);
  if (!found) return Fail(found.error());
  if (!found->unknown.empty()) {
    json answer = ErrorOf(fmt::format("unknown identifier '{}'", found->unknown));
    if (!found->suggestions.empty()) answer["suggestions"] = found->suggestions;
    return answer;
  }
  json hits = json::array();
  for (const Premise& premise : found->premises) {
    hits.push_back({{"name", premise.name},
                    {"type", premise.signature},
                    {"module", premise.module},
                    {"doc", OrNull(premise.docstring)}});
  }
  std::string header = fmt::format("Found {} with {}.", core::Counted(found->count, "declaration"),
                                   fmt::join(filters, ", "));
  if (found->count > hits.size()) header += fmt::format("\nOf these, {} are shown.", hits.size());
  return json{{"header", header}, {"heartbeats", 0}, {"count", found->count}, {"hits", hits}};
}

std::string QueryParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), field.size() + 1));
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos || field.substr(0, equals) != name) continue;
    std::string value;
    for (size_t i = equals + 1; i < field.size(); ++i) {
      unsigned code = 0;
      if (field[i] == '+') {
        value += ' ';
      } else if (field[i] == '%' && i + 2 < field.size() &&
                 std::from_chars(field.data() + i + 1, field.data() + i + 3, code, 16).ptr ==
                     field.data() + i + 3) {
        value += static_cast<char>(code);
        i += 2;
      } else {
        value += field[i];
      }
    }
    return value;
  }
  return "";
}

}  // namespace zermelo::serve
