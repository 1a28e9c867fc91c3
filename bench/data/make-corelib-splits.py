#!/usr/bin/env python3
"""Makes corelib-train.txt, corelib-valid.txt and corelib-test.txt: the splits of `zermelo eval corelib`.

usage: make-corelib-splits.py FOLDER

FOLDER: where `zermelo eval corelib` keeps the problems that it has made, a file for each module of Init and Std
(docs/evaluation.md). The splits depend on nothing but these problems and the seed.

Modules are divided, not theorems, so that a proof in one split seldom has the text of one in another. Modules that
mirror each other are one family, which is in one split: List, Array and Vector; hash maps, tree maps and their sets; Nat
and Int; the fixed-width numbers. Of the test and valid families, `PER_MODULE` theorems of a module at most are taken, in
turn from all modules until there are 600; the others are in no split. A statement that occurs twice is taken once.
"""
import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

SEED = "corelib 1"
SIZE = 600
SMALLEST = 60  # modules of a split
PER_MODULE = 20
LARGEST = 0.05  # of all theorems; a family with more is train
HERE = Path(__file__).resolve().parent
SEQUENCES = {"List", "Array", "Vector", "Subarray", "ByteArray", "FloatArray"}
NUMBERS = {"Nat", "Int"}
WORDS = {"UInt", "SInt"}


def family(module):
    """What a module's name has in common with those of the modules that mirror it."""
    parts = module.split(".")
    if re.search(r"(Hash|Tree)(Map|Set)", module):
        return "maps"
    for kinds, name in ((SEQUENCES, "sequences"), (NUMBERS, "numbers"), (WORDS, "words")):
        kind = next((i for i, part in enumerate(parts) if part in kinds), None)
        if kind is not None:  # Init.Data.List.Nat.Range and Init.Data.Vector.Range are one
            return ".".join([name] + [p for p in parts[kind + 1:] if p not in kinds | NUMBERS])
    return module


def order(text):
    return hashlib.sha256(f"{SEED}: {text}".encode()).hexdigest()


def read(folder):
    """The names of each module's problems, without repetitions of a statement in the order of modules."""
    modules, seen = {}, set()
    for path in sorted(folder.glob("*.json"), key=lambda p: p.stem):
        module = json.loads(path.read_text(encoding="utf-8"))
        if not re.match(r"(Init|Std)(\.|$)", module["module"]) or "error" in module:
            continue
        names = []
        for problem in module["problems"]:
            statement = problem["statement"].removeprefix(f"theorem {problem['name']}")
            if statement not in seen:
                seen.add(statement)
                names.append(problem["name"])
        if names:
            modules[module["module"]] = names
    return modules


def divide(modules):
    """The split of each module: families in the order of a hash are test until that is large enough, then valid."""
    families = {}
    for module in modules:
        families.setdefault(family(module), []).append(module)
    total = sum(map(len, modules.values()))
    split_of, splits, members = {}, ["test", "valid", "train"], []
    for name in sorted(families, key=order):
        if sum(len(modules[m]) for m in families[name]) > LARGEST * total:
            split_of.update(dict.fromkeys(families[name], "train"))
            continue
        split_of.update(dict.fromkeys(families[name], splits[0]))
        members += families[name]
        if len(members) >= SMALLEST and sum(map(len, sample({m: modules[m] for m in members}).values())) == SIZE:
            splits, members = splits[1:] if len(splits) > 1 else splits, []
    return split_of


def sample(modules):
    """At most SIZE theorems, in turn from all modules."""
    shuffled = {m: sorted(names, key=lambda n, m=m: order(f"{m} {n}"))[:PER_MODULE] for m, names in modules.items()}
    chosen = [(m, names[turn]) for turn in range(PER_MODULE)
              for m, names in sorted(shuffled.items(), key=lambda e: order(e[0])) if turn < len(names)]
    taken = {}
    for module, name in chosen[:SIZE]:
        taken.setdefault(module, []).append(name)
    return taken


def write(split, modules):
    count = sum(map(len, modules.values()))
    lines = [f"# {count} theorems of {len(modules)} modules: the {split} split of corelib (make-corelib-splits.py)."]
    if split == "test":
        lines.append("# Nothing may be tuned on it.")
    for module in sorted(modules):
        lines.append(module)
        lines += [f"  {name}" for name in sorted(modules[module])]
    (HERE / f"corelib-{split}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{split}: {count} theorems of {len(modules)} modules")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    modules = read(parser.parse_args().folder)
    split_of = divide(modules)
    for split in ("train", "valid", "test"):
        own = {m: names for m, names in modules.items() if split_of[m] == split}
        if split != "train":
            own = sample(own)
            if len(own) < SMALLEST or sum(map(len, own.values())) < SIZE:
                sys.exit(f"there are too few modules for the {split} split")
        write(split, own)


if __name__ == "__main__":
    main()
