// What docs/strategies.md says of the registered strategies: their list, and a table of parameters
// for each. It stands between marks; all other text of the page is written by hand.
#pragma once

#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/registry.h"

namespace zermelo::strategy::testing {

inline constexpr const char* kStrategiesPage = ZERMELO_SOURCE_DIR "/docs/strategies.md";

inline std::string BeginMark(std::string_view part) {
  return fmt::format("<!-- from the registration: {} -->\n", part);
}
inline constexpr std::string_view kEndMark = "<!-- end -->\n";

inline std::string InWords(const Needs& needs) {
  std::vector<std::string> all;
  if (needs.tactics) all.emplace_back("a policy that proposes tactics, such as the built-in one");
  if (needs.proofs) {
    all.push_back(fmt::format(
        "a model of whole proofs{}",
        needs.partial_proofs ? ", with a prompt that takes a partial proof (`{prefix}`)" : ""));
  }
  if (needs.AsksByRole()) {
    all.push_back(fmt::format("a chat model as `{}`", fmt::join(needs.roles, "`, `")));
  }
  return all.empty() ? "–" : fmt::format("{}", fmt::join(all, "; "));
}

inline std::string ListOfStrategies() {
  std::string text = "| strategy | | needs |\n|---|---|---|\n";
  for (const Strategy* each : AllStrategies()) {
    text +=
        fmt::format("| `{}` | {} | {} |\n", each->name(), each->summary(), InWords(each->needs()));
  }
  return text;
}

inline std::string ParametersOf(const Strategy& strategy) {
  const nlohmann::json defaults = strategy.Defaults();
  const std::vector<Preset> presets = strategy.Presets();
  std::string text = fmt::format("| `{}.` | default |", strategy.name());
  for (const Preset& preset : presets) text += fmt::format(" {} |", preset.name);
  text += " |\n|---|---|---|";
  for (size_t i = 0; i < presets.size(); ++i) text += "---|";
  text += '\n';
  for (const Parameter& parameter : strategy.Parameters()) {
    const std::string name(parameter.name);
    text += fmt::format("| `{}` | {} |", name, AsText(defaults.at(name)));
    for (const Preset& preset : presets) {
      const auto set = preset.parameters.find(name);
      text += set == preset.parameters.end() ? " |" : fmt::format(" {} |", AsText(*set));
    }
    text += fmt::format(" {} |\n", parameter.help);
  }
  for (const Preset& preset : presets) {
    text += fmt::format(
        "\n`--set {}={}`: {}{}.\n", strategy.name(), preset.name, preset.summary,
        preset.also.empty() ? "" : fmt::format("; also sets `{}={}`", preset.also, preset.name));
  }
  return text;
}

/// Puts `text` between the marks of `part`; false if there are none.
inline bool Put(std::string_view part, const std::string& text, std::string& page) {
  const std::string mark = BeginMark(part);
  const size_t begin = page.find(mark), end = page.find(kEndMark, begin);
  if (end == std::string::npos) return false;
  page.replace(begin + mark.size(), end - begin - mark.size(), text);
  return true;
}

/// The page with what the registration says now. A strategy that it lacks gets a section at the
/// end, with its summary.
inline std::string WithRegistration(std::string page) {
  Put("the strategies", ListOfStrategies(), page);
  for (const Strategy* each : AllStrategies()) {
    const std::string parameters = ParametersOf(*each);
    if (Put(each->name(), parameters, page)) continue;
    std::string summary(each->summary());
    summary.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(summary.front())));
    page += fmt::format("\n## {}\n\n{}.\n\n{}{}{}", each->name(), summary, BeginMark(each->name()),
                        parameters, kEndMark);
  }
  return page;
}

}  // namespace zermelo::strategy::testing
