#!/usr/bin/env python3
"""Fails on an include or a link that the table of docs/architecture.md forbids.

    layering.py [ROOT]      checks ROOT/src (default: this repository)
    layering.py --self-test proves that forbidden ones are found
"""
import pathlib
import re
import sys
import tempfile
import unittest

# What each folder of src/ may use, beside itself.
DIRECT = {
    "core": [],
    "lean": ["core"],
    "trust": ["core"],
    "llm": ["core"],
    "store": ["core"],
    "retrieve": ["core", "store", "trust"],
    "search": ["core"],
    "policy": ["core", "lean", "llm", "retrieve"],
    "strategy": ["core", "lean", "llm", "retrieve", "search", "policy"],
}
# These also use what the ones they name may use.
TRANSITIVE = {
    "engine": ["strategy", "store", "trust"],
    "eval": ["engine"],
    "serve": ["engine", "eval", "retrieve"],
    "train": ["store"],
    "cli": [*DIRECT, "engine", "eval", "serve", "train"],
}
# Subfolders that never include each other; files directly in the folder are shared by them.
STRANGERS = {"strategy"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
LIBRARY = re.compile(r"zermelo_library\s*\(([^)]*)\)")
TARGET = re.compile(r"\bzermelo_([a-z_]+)\b")
SECTIONS = {"SOURCES", "USES", "LINKS", "TESTS"}


def make_table():
    table = {folder: set(uses) for folder, uses in DIRECT.items()}
    for folder, uses in TRANSITIVE.items():
        table[folder] = set(uses).union(*(table[used] for used in uses))
    return table


ALLOWED = make_table()


def stranger(path):
    """The subfolder of a file whose siblings it must not include; None for a shared file."""
    return path.parts[1] if path.parts[0] in STRANGERS and len(path.parts) > 2 else None


def resolve(source, file, name):
    """The included file relative to src/, or None when it is not ours."""
    beside = (source / file).parent / name
    if beside.is_file() and beside.resolve().is_relative_to(source.resolve()):
        return beside.resolve().relative_to(source.resolve())
    path = pathlib.PurePosixPath(name)
    return path if len(path.parts) > 1 and path.parts[0] in ALLOWED else None


def check_file(source, file):
    folder = file.parts[0]
    text = (source / file).read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        included = resolve(source, file, match[1])
        if included is None:
            continue
        line = text.count("\n", 0, match.start()) + 1
        place, used = f"src/{file}:{line}", included.parts[0]
        if used != folder and used not in ALLOWED[folder]:
            yield f"{place}: {folder} must not include {used} ({match[1]})"
        mine, theirs = stranger(file), stranger(included)
        if used == folder and theirs not in (None, mine) and (mine or file.suffix == ".h"):
            yield f"{place}: {mine or 'a shared header'} must not include its sibling {theirs}"


def uses_of(text):
    """The libraries that a CMakeLists.txt lets its folder use, by USES or by target name."""
    text = re.sub(r"#[^\n]*", "", text)
    for call in LIBRARY.finditer(text):
        section = None
        for word in call[1].split()[1:]:
            section = word if word in SECTIONS else section
            if section == "USES" and word != "USES":
                yield word
    for target in TARGET.finditer(text):
        if target[1] in ALLOWED:
            yield target[1]


def check_links(source, file):
    folder = file.parts[0]
    for used in sorted(set(uses_of((source / file).read_text(encoding="utf-8")))):
        if used not in ALLOWED:
            yield f"src/{file}: there is no library {used}"
        elif used != folder and used not in ALLOWED[folder]:
            yield f"src/{file}: {folder} must not link {used}"


def violations(root):
    source = pathlib.Path(root) / "src"
    for path in sorted(source.rglob("*")):
        file = path.relative_to(source)
        if len(file.parts) < 2 or not path.is_file():
            continue
        if file.parts[0] not in ALLOWED:
            yield f"src/{file}: {file.parts[0]} is not in the table of tests/layering.py"
        elif path.suffix in (".h", ".cc"):
            yield from check_file(source, file)
        elif path.name == "CMakeLists.txt":
            yield from check_links(source, file)


class SelfTest(unittest.TestCase):
    def found(self, **files):
        """The violations of a tree with these files; `strategy__a__a_h` is strategy/a/a.h."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root, "src", name.replace("__", "/"))
                path = path.with_name(re.sub(r"_(h|cc|txt)$", r".\1", path.name))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(violations(root))

    def test_a_forbidden_include_is_found_with_its_line(self):
        found = self.found(search__tree_h='#include <map>\n#include "lean/pool.h"\n')
        self.assertEqual(found, ["src/search/tree.h:2: search must not include lean (lean/pool.h)"])

    def test_angle_brackets_hide_nothing(self):
        self.assertEqual(len(self.found(core__a_h="#  include <lean/pool.h>\n")), 1)

    def test_a_relative_path_hides_nothing(self):
        self.assertEqual(len(self.found(lean__pool_h="", core__a_h='#include "../lean/pool.h"\n')), 1)

    def test_what_the_table_allows_is_accepted(self):
        self.assertEqual(self.found(
            engine__job_cc='#include "core/error.h"\n#include "lean/pool.h"\n#include "store/db.h"\n',
            policy__model_cc='#include "policy/policy.h"\n#include "llm/client.h"\n#include <vector>\n',
            cli__main_cc='#include "serve/http.h"\n#include "train/grpo.h"\n'), [])

    def test_below_the_engine_a_use_is_not_inherited(self):
        self.assertEqual(len(self.found(policy__a_cc='#include "store/db.h"\n')), 1)

    def test_siblings_of_strategy_do_not_know_each_other(self):
        other = '#include "strategy/best_first/best_first.h"\n'
        shared = '#include "strategy/strategy.h"\n'
        self.assertEqual(len(self.found(strategy__rmaxts__a_cc=other)), 1)
        self.assertEqual(len(self.found(strategy__all_h=other)), 1)
        self.assertEqual(self.found(strategy__rmaxts__a_cc=shared, strategy__best_first__b_cc=other), [])

    def test_a_forbidden_link_is_found(self):
        uses = "zermelo_library(lean\n  SOURCES a.cc\n  USES core {}\n  TESTS policy.cc)\n"
        self.assertEqual(self.found(lean__CMakeLists_txt=uses.format("")), [])
        self.assertEqual(self.found(lean__CMakeLists_txt=uses.format("policy")),
                         ["src/lean/CMakeLists.txt: lean must not link policy"])
        self.assertEqual(len(self.found(lean__CMakeLists_txt=uses.format("polcy"))), 1)
        direct = "target_link_libraries(lean_test PRIVATE zermelo_engine zermelo_options)\n"
        self.assertEqual(len(self.found(lean__CMakeLists_txt=direct)), 1)

    def test_a_folder_that_is_not_in_the_table_is_found(self):
        self.assertEqual(len(self.found(utils__a_h="")), 1)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return unittest.main(argv=sys.argv[:1])
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    found = list(violations(root))
    print("\n".join(found) or "every include and link is allowed")
    return sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
