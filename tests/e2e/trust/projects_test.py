#!/usr/bin/env python3
"""`zermelo kernel` on what other people wrote: the modules of ../shared/projects, which no clone has, compiled in the
order of their imports."""
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from testing.zermelo import EMBEDDED, LEAN, ROOT, SKIPPED, ZermeloTest, main

PROJECTS = ROOT.parent / "shared/projects"
LIBRARY = EMBEDDED / "build/lib/lean"
# Declarations that may be refused, by module: none. Lean's own reason belongs beside each.
NOT_ACCEPTED = {}


def modules_of(project):
    """The project's modules and the ones of it that each imports."""
    files = {".".join(f.relative_to(project).with_suffix("").parts): f for f in project.rglob("*.lean")}
    files = {name: file for name, file in files.items() if file.name != "lakefile.lean"}
    imports = {}
    for name, file in files.items():
        named = re.findall(r"^(?:public |meta )*import (?:all )?([\w.]+)", file.read_text(), re.MULTILINE)
        imports[name] = [module for module in named if module in files]
    return files, imports


def in_waves(imports):
    """The modules in groups: each imports only what is in groups before its own."""
    done = set()
    while len(done) < len(imports):
        wave = [name for name in imports if name not in done and done.issuperset(imports[name])]
        if not wave:
            raise AssertionError("modules import each other")
        yield wave
        done.update(wave)


class Projects(ZermeloTest):
    def compile_all(self, project, compiled):
        files, imports = modules_of(project)

        def compile_one(name):
            target = compiled / pathlib.Path(*name.split(".")).with_suffix(".olean")
            target.parent.mkdir(parents=True, exist_ok=True)
            run = subprocess.run([LEAN, f"--root={project}", files[name], "-o", target], cwd=project, timeout=600,
                                 env={**os.environ, "LEAN_PATH": str(compiled)}, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, f"{name}: {run.stdout}{run.stderr}")
            return target

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            targets = {}
            for wave in in_waves(imports):
                targets.update(zip(wave, pool.map(compile_one, wave)))
            return targets

    def test_every_declaration_is_accepted(self):
        for project in sorted(p.parent for p in PROJECTS.glob("*/lakefile.*")):
            with self.subTest(project=project.name):
                compiled = self.folder / project.name
                targets = self.compile_all(project, compiled)
                self.assertGreater(len(targets), 0)
                declarations, refused = 0, {}
                for name, target in targets.items():
                    run = self.zermelo("kernel", "--path", compiled, "--path", LIBRARY, "--keep-going", "--json",
                                       target)
                    declarations += run.json["declarations"]
                    if run.json["refused"]:
                        refused[name] = [it["declaration"] for it in run.json["refused"]]
                    self.assertEqual(run.code == 0, not run.json["refused"], run)
                self.assertEqual(refused, NOT_ACCEPTED)
                print(f"{project.name}: {len(targets)} modules, {declarations} declarations")


if __name__ == "__main__":
    if not PROJECTS.is_dir():  # in CI, too
        print(f"skipped: {PROJECTS} is not there")
        sys.exit(SKIPPED)
    main()
