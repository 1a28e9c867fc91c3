#!/usr/bin/env python3
"""Fails on an include or a link that the table in docs/architecture.md does not allow, on a permission of the table
that no include needs, and on a second reader of JSON.

    layering.py [ROOT]      checks ROOT/src against ROOT/docs/architecture.md (default: this repository)
    layering.py --self-test checks that violations are found
"""
import pathlib
import re
import sys
import tempfile
import unittest

PAGE = "docs/architecture.md"
HEAD = re.compile(r"^\| folder \|.*\| may use \|$")
ROW = re.compile(r"^\| `([a-z_]+)` \|.*\| ([a-z_, ]+|–) \|$")
# What supports tests lies in folders of this name, which only tests may include.
TESTING = "testing"
# A folder whose subfolders never include each other, but for this one; files directly in the folder are shared, too.
SIBLINGS = re.compile(r"^\| `([a-z_]+)` \|.* a subfolder that never includes a sibling but for `([a-z_]+)/`", re.MULTILINE)

# All JSON is read by one function, which bounds its depth.
JSON_PARSER = re.compile(r"\bjson::parse\(|\bsax_parse\(")
JSON_FILE = pathlib.PurePosixPath("core/json.cc")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
LIBRARY = re.compile(r"zermelo_library\s*\(([^)]*)\)")
TARGET = re.compile(r"\bzermelo_([a-z_]+)\b")
SECTIONS = {"SOURCES", "USES", "LINKS", "TESTS"}


class BadTable(Exception):
    """The page has no table of libraries, or a row of it is malformed."""


def read_table(page):
    """The page's table: for each folder of src/, the set of other folders that it may use. It lists
    every use: nothing is inherited. A folder may only use folders in rows above its own."""
    table = None
    for number, line in enumerate(page.splitlines(), 1):
        if table is None:
            table = {} if HEAD.match(line) else None
            continue
        if not line.startswith("|"):
            break
        if set(line) <= set("|-"):
            continue
        row = ROW.match(line)
        if not row:
            raise BadTable(f"{PAGE}:{number}: a row must be | `folder` | … | folders, or – |")
        uses = set() if row[2] == "–" else {used.strip() for used in row[2].split(",")}
        unknown = sorted(uses - table.keys())
        if unknown:
            raise BadTable(f"{PAGE}:{number}: no row above is {', '.join(unknown)}")
        table[row[1]] = uses
    if not table:
        raise BadTable(f"{PAGE}: there is no table `| folder | … | may use |`")
    return table


def stranger(shared, path):
    """The subfolder of a file whose siblings it must not include; None for a shared file."""
    inside = path.parts[0] in shared and len(path.parts) > 2
    return path.parts[1] if inside and path.parts[1] not in (shared[path.parts[0]], TESTING) else None


def is_test(path):
    return TESTING in path.parts or path.stem.endswith(("_test", "_fuzz", "_bench"))


def resolve(source, allowed, file, name):
    """The included file relative to src/; None for a file from outside of src/."""
    nearby = (source / file).parent / name
    if nearby.is_file() and nearby.resolve().is_relative_to(source.resolve()):
        return nearby.resolve().relative_to(source.resolve())
    path = pathlib.PurePosixPath(name)
    return path if len(path.parts) > 1 and path.parts[0] in allowed else None


def includes(source, allowed, file, text):
    """The files under src/ that a file includes, each with its line and the name in the include."""
    for match in INCLUDE.finditer(text):
        included = resolve(source, allowed, file, match[1])
        if included:
            yield text.count("\n", 0, match.start()) + 1, included, match[1]


def check_file(source, allowed, shared, file):
    folder = file.parts[0]
    text = (source / file).read_text(encoding="utf-8")
    if file != JSON_FILE and not is_test(file):
        for match in JSON_PARSER.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"src/{file}:{line}: JSON is read with core::ParseJson (core/json.h)"
    for line, included, name in includes(source, allowed, file, text):
        place, used = f"src/{file}:{line}", included.parts[0]
        if used != folder and used not in allowed[folder]:
            yield f"{place}: {folder} must not include {used} ({name})"
        if TESTING in included.parts and not is_test(file):
            yield f"{place}: only tests may include {name}"
        mine, theirs = stranger(shared, file), stranger(shared, included)
        if used == folder and theirs not in (None, mine) and (mine or (file.suffix == ".h" and not is_test(file))):
            yield f"{place}: {mine or 'a shared header'} must not include its sibling {theirs}"


def uses_of(text, allowed):
    """The libraries that a CMakeLists.txt links, by USES or by target name."""
    text = re.sub(r"#[^\n]*", "", text)
    for call in LIBRARY.finditer(text):
        section = None
        for word in call[1].split()[1:]:
            section = word if word in SECTIONS else section
            if section == "USES" and word != "USES":
                yield word
    for target in TARGET.finditer(text):
        if target[1] in allowed:
            yield target[1]


def check_links(source, allowed, file):
    folder = file.parts[0]
    for used in sorted(set(uses_of((source / file).read_text(encoding="utf-8"), allowed))):
        if used not in allowed:
            yield f"src/{file}: there is no library {used}"
        elif used != folder and used not in allowed[folder]:
            yield f"src/{file}: {folder} must not link {used}"


def violations(root):
    source = pathlib.Path(root) / "src"
    try:
        page = (pathlib.Path(root) / PAGE).read_text(encoding="utf-8")
        allowed, shared = read_table(page), dict(SIBLINGS.findall(page))
    except (BadTable, OSError) as error:
        yield str(error)
        return
    for folder in allowed:
        if not (source / folder).is_dir():
            yield f"{PAGE}: there is no folder src/{folder}"
    for path in sorted(source.rglob("*")):
        file = path.relative_to(source)
        if len(file.parts) < 2 or not path.is_file():
            continue
        if file.parts[0] not in allowed:
            yield f"src/{file}: {file.parts[0]} has no row in the table of {PAGE}"
        elif path.suffix in (".h", ".cc"):
            yield from check_file(source, allowed, shared, file)
        elif path.name == "CMakeLists.txt":
            yield from check_links(source, allowed, file)


def unneeded(root):
    """Permissions of a table without violations that no include needs."""
    source = pathlib.Path(root) / "src"
    allowed = read_table((pathlib.Path(root) / PAGE).read_text(encoding="utf-8"))
    files = [path.relative_to(source) for path in source.rglob("*.*") if path.suffix in (".h", ".cc")]
    needed = {(file.parts[0], included.parts[0]) for file in files
              for _, included, _ in includes(source, allowed, file, (source / file).read_text(encoding="utf-8"))}
    return [f"{PAGE}: {folder} does not need {used}" for folder in allowed for used in sorted(allowed[folder])
            if (folder, used) not in needed]


class SelfTest(unittest.TestCase):
    PAGE = """# A page
| another | table |
|---|---|
| `core` | core |

| folder | holds | may use |
|---|---|---|
| `core` | what `lean`, and others, need | – |
| `lean` | processes | core |
| `llm` | models | core |
| `store` | rows | core |
| `search` | trees | core |
| `policy` | tactics | core, lean, llm |
| `strategy` | algorithms, each in a subfolder that never includes a sibling but for `proof/` | core, lean, llm, policy, search |
| `engine` | jobs | core, lean, store, strategy |

Text after it, of `utils`.
"""

    def found(self, page=PAGE, check=violations, **files):
        """The violations of a tree with this page and these files: strategy__a__a_h is
        src/strategy/a/a.h."""
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "docs").mkdir()
            pathlib.Path(root, PAGE).write_text(page, encoding="utf-8")
            for folder in re.findall(r"^\| `([a-z]+)` \| .* \|.*\|$", page, re.MULTILINE):
                pathlib.Path(root, "src", folder).mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                path = pathlib.Path(root, "src", name.replace("__", "/"))
                path = path.with_name(re.sub(r"_(h|cc|txt)$", r".\1", path.name))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(check(root))

    def test_a_forbidden_include_is_found_with_its_line(self):
        found = self.found(search__tree_h='#include <map>\n#include "lean/pool.h"\n')
        self.assertEqual(found, ["src/search/tree.h:2: search must not include lean (lean/pool.h)"])

    def test_only_one_file_parses_json(self):
        found = self.found(core__json_cc="return json::parse(text);", core__a_test_cc="json::parse(text);",
                           search__tree_cc="\nauto value = nlohmann::json::parse(text);\n")
        self.assertEqual(found, ["src/search/tree.cc:2: JSON is read with core::ParseJson (core/json.h)"])

    def test_angle_brackets_hide_nothing(self):
        self.assertEqual(len(self.found(core__a_h="#  include <lean/pool.h>\n")), 1)

    def test_a_relative_path_hides_nothing(self):
        self.assertEqual(len(self.found(lean__pool_h="", core__a_h='#include "../lean/pool.h"\n')), 1)

    def test_what_the_table_allows_is_accepted(self):
        self.assertEqual(self.found(
            engine__job_cc='#include "core/error.h"\n#include "lean/pool.h"\n#include "store/db.h"\n',
            policy__model_cc='#include "policy/policy.h"\n#include "llm/client.h"\n#include <vector>\n'),
            [])

    def test_the_page_alone_decides(self):
        uses = {"strategy__a_cc": '#include "store/db.h"\n'}
        self.assertEqual(self.found(**uses), ["src/strategy/a.cc:1: strategy must not include store (store/db.h)"])
        allowing = self.PAGE.replace("policy, search |", "policy, search, store |")
        self.assertEqual(self.found(allowing, **uses), [])

    def test_uses_are_not_inherited(self):
        self.assertEqual(len(self.found(policy__a_cc='#include "store/db.h"\n')), 1)
        self.assertEqual(len(self.found(engine__a_cc='#include "policy/policy.h"\n')), 1)

    def test_a_page_without_a_readable_table_is_an_error(self):
        self.assertEqual(self.found("# A page\n"),
                         ["docs/architecture.md: there is no table `| folder | … | may use |`"])
        below = self.PAGE.replace("| `lean` | processes | core |", "| `lean` | processes | core, llm |")
        self.assertEqual(self.found(below), ["docs/architecture.md:9: no row above is llm"])
        broken = self.PAGE.replace("| `lean` | processes | core |", "| lean | processes | all of it! |")
        self.assertEqual(len(self.found(broken)), 1)
        self.assertIn("docs/architecture.md:9: ", self.found(broken)[0])

    def test_a_row_without_its_folder_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "docs").mkdir()
            pathlib.Path(root, PAGE).write_text("| folder | holds | may use |\n| `train` | x | – |\n")
            self.assertEqual(list(violations(root)),
                             ["docs/architecture.md: there is no folder src/train"])

    def test_the_table_of_this_repository_lists_every_library(self):
        root = pathlib.Path(__file__).resolve().parent.parent
        table = read_table((root / PAGE).read_text(encoding="utf-8"))
        self.assertEqual(set(table), {path.name for path in (root / "src").iterdir() if path.is_dir()})
        self.assertEqual(table["core"], set())
        self.assertNotIn("lean", table["search"])
        self.assertNotIn("strategy", table["trust"])

    def test_siblings_of_strategy_do_not_know_each_other(self):
        other = '#include "strategy/best_first/best_first.h"\n'
        shared = '#include "strategy/strategy.h"\n'
        self.assertEqual(len(self.found(strategy__rmaxts__a_cc=other)), 1)
        self.assertEqual(len(self.found(strategy__all_h=other)), 1)
        self.assertEqual(self.found(strategy__rmaxts__a_cc=shared, strategy__best_first__b_cc=other), [])

    def test_the_page_says_which_siblings_are_strangers(self):
        other = {"strategy__rmaxts__a_cc": '#include "strategy/best_first/best_first.h"\n'}
        self.assertEqual(self.found(self.PAGE.replace("never includes", "may include"), **other), [])
        root = pathlib.Path(__file__).resolve().parent.parent
        self.assertEqual(SIBLINGS.findall((root / PAGE).read_text(encoding="utf-8")), [("strategy", "proof")])

    def test_a_permission_that_no_include_needs_is_found(self):
        page = self.PAGE[:self.PAGE.index("| `llm`")]
        self.assertEqual(self.found(page, unneeded), ["docs/architecture.md: lean does not need core"])
        self.assertEqual(self.found(page, unneeded, lean__pool_h='#include "core/error.h"\n'), [])

    def test_only_tests_include_what_supports_tests(self):
        uses = '#include "core/testing/fake.h"\n'
        self.assertEqual(len(self.found(core__testing__fake_h="", core__a_cc=uses)), 1)
        self.assertEqual(self.found(core__testing__fake_h="", core__a_test_cc=uses, lean__testing__b_h=uses), [])

    def test_siblings_of_strategy_share_what_supports_tests(self):
        uses = '#include "strategy/testing/game.h"\n#include "strategy/proof/proof_segments.h"\n'
        self.assertEqual(self.found(strategy__testing__game_h="", strategy__rmaxts__a_test_cc=uses), [])
        other = '#include "strategy/best_first/best_first.h"\n'
        self.assertEqual(self.found(strategy__testing__fixture_h=other), [])

    def test_a_forbidden_link_is_found(self):
        uses = "zermelo_library(lean\n  SOURCES a.cc\n  USES core {}\n  TESTS policy.cc)\n"
        self.assertEqual(self.found(lean__CMakeLists_txt=uses.format("")), [])
        self.assertEqual(self.found(lean__CMakeLists_txt=uses.format("policy")),
                         ["src/lean/CMakeLists.txt: lean must not link policy"])
        self.assertEqual(len(self.found(lean__CMakeLists_txt=uses.format("polcy"))), 1)
        direct = "target_link_libraries(lean_test PRIVATE zermelo_engine zermelo_options)\n"
        self.assertEqual(len(self.found(lean__CMakeLists_txt=direct)), 1)

    def test_a_folder_without_a_row_is_found(self):
        self.assertEqual(len(self.found(utils__a_h="")), 1)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return unittest.main(argv=sys.argv[:1])
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    found = list(violations(root)) or unneeded(root)
    print("\n".join(found) or "every include and link is allowed, and every permission is needed")
    return sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
