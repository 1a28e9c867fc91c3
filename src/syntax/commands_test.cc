#include "syntax/commands.h"

#include <gtest/gtest.h>
#include <string>

namespace zermelo::syntax {
namespace {

// The keywords of the commands of a text, each followed by a space.
std::string Keywords(std::string_view text) {
  const auto tokens = LexCode(text);
  std::string keywords;
  for (const Command& command : FindCommands(text, tokens)) {
    keywords.append(WordAt(text, tokens, command.keyword)).append(" ");
  }
  return keywords;
}

TEST(FindCommands, ListsEveryCommand) {
  EXPECT_EQ(
      Keywords(
          "import A\nopen B\nnamespace C\nvariable (x : Nat)\n#eval 1\nlocal notation \"a\" => b\n"
          "@[simp] theorem d : p := x\nattribute [simp] d\nend C\n#exit\ndef e := 1"),
      "import open namespace variable #eval notation theorem attribute end ");
}

TEST(FindCommands, JoinsCommandsConnectedByIn) {
  EXPECT_EQ(Keywords("open A in\nset_option b 1 in\n#guard_msgs in\ntheorem c : p := x\nopen D"),
            "theorem open ");
}

TEST(GivesContext, OfCommandsThatDeclareNothing) {
  EXPECT_TRUE(GivesContext("open"));
  EXPECT_FALSE(GivesContext("def"));
}

TEST(HasCommand, FindsCommandsEverywhere) {
  for (const char* text :
       {"rfl\n\ntheorem x : p := y", "exact (\nend", "rfl #eval 1", "rfl\nlemma x : p", "rfl\n#foo",
        "simp\nset_option x true", "open Foo"}) {
    EXPECT_TRUE(HasCommand(text)) << text;
  }
}

TEST(HasCommand, IsFalseForTactics) {
  for (const char* text :
       {"rfl -- theorem", "set_option x true in simp", "open A in exact B.end", "simp [#s]", ""}) {
    EXPECT_FALSE(HasCommand(text)) << text;
  }
}

TEST(HasCommand, HostileRepetitionStaysLinear) {
  for (const char* unit : {"open A in ", "open ", "set_option ", "((]", "private\n"}) {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += unit;
    EXPECT_TRUE(HasCommand(text + "theorem a : p := x"));
    EXPECT_TRUE(Keywords(text + "\ntheorem a : p := x").ends_with("theorem "));
  }
}

}  // namespace
}  // namespace zermelo::syntax
