#include <fmt/format.h>

#include "cli/verbs.h"

namespace zermelo::cli {

namespace {

struct Flag {
  std::string name;  // "--time"
  std::string help;
};
struct Verb {
  std::string name;
  std::string help;
  std::vector<Flag> flags;
};

std::vector<Verb> VerbsOf(const CLI::App& app) {
  std::vector<Verb> verbs;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;  // hidden
    Verb verb{.name = sub->get_name(), .help = sub->get_description(), .flags = {}};
    for (const CLI::Option* option : sub->get_options()) {
      for (const auto& name : option->get_lnames()) {
        verb.flags.push_back({.name = "--" + name, .help = option->get_description()});
      }
    }
    verbs.push_back(std::move(verb));
  }
  return verbs;
}

std::string Bash(const std::vector<Verb>& verbs) {
  std::string names, cases;
  for (const Verb& verb : verbs) {
    names += verb.name + " ";
    std::string flags;
    for (const Flag& flag : verb.flags) flags += flag.name + " ";
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb.name, flags);
  }
  return fmt::format(
      "_zermelo() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"{}--help --version\" -- \"$current\")\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _zermelo zermelo ./zermelo\n",
      names, cases);
}

/// Escapes text for an _arguments specification in single quotes.
std::string ZshQuoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':') quoted += '\\';
      quoted += c;
    }
  }
  return quoted;
}

std::string Zsh(const std::vector<Verb>& verbs) {
  std::string names, cases;
  for (const Verb& verb : verbs) {
    names += fmt::format("    '{}:{}'\n", verb.name, ZshQuoted(verb.help));
    cases += fmt::format("    {}) _arguments", verb.name);
    for (const Flag& flag : verb.flags) {
      cases += fmt::format(" '{}[{}]'", flag.name, ZshQuoted(flag.help));
    }
    cases += " '*:file:_files' ;;\n";
  }
  return fmt::format(
      "#compdef zermelo\n"
      "_zermelo() {{\n"
      "  local -a verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n    _describe 'verb' verbs\n    return\n  fi\n"
      "  shift words\n  (( CURRENT-- ))\n"
      "  case $words[1] in\n{}  esac\n"
      "}}\n"
      "compdef _zermelo zermelo\n",
      names, cases);
}

std::string FishQuoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string Fish(const std::vector<Verb>& verbs) {
  std::string script;
  for (const Verb& verb : verbs) {
    script += fmt::format("complete -c zermelo -n __fish_use_subcommand -f -a {} -d '{}'\n",
                          verb.name, FishQuoted(verb.help));
    for (const Flag& flag : verb.flags) {
      script +=
          fmt::format("complete -c zermelo -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                      verb.name, flag.name.substr(2), FishQuoted(flag.help));
    }
  }
  return script;
}

}  // namespace

void AddCompletion(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("completion", "Print a completion script for a shell");
  verb->footer("Example:\n  source <(zermelo completion bash)");
  auto shell = std::make_shared<std::string>();
  verb->add_option("shell", *shell, "Shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([shell, &app, &exit_code] {
    const auto verbs = VerbsOf(app);
    fmt::print("{}", *shell == "bash" ? Bash(verbs) : *shell == "zsh" ? Zsh(verbs) : Fish(verbs));
    exit_code = 0;
  });
}

}  // namespace zermelo::cli
