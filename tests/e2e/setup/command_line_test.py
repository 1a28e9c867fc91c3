#!/usr/bin/env python3
"""Help, usage errors and shell completion: everything that needs no Lean."""
import re
import shutil
import subprocess

from testing.zermelo import ROOT, ZermeloTest, main

VERBS = ("prove", "check", "recheck", "kernel", "audit", "eval", "runs", "events", "blueprint", "view", "trace", "learn", "export", "index",
         "search", "serve", "mcp", "lsp", "doctor", "completion")


class Help(ZermeloTest):
    def test_the_program_explains_itself_with_an_example(self):
        run = self.zermelo("--help")
        self.assert_ends(run, 0)
        self.assertIn("Example:\n  zermelo prove ", run.out)
        verbs = re.findall(r"^  (\w+) +\w", run.out[run.out.index("Subcommands:"):], re.MULTILINE)
        self.assertEqual(tuple(v for v in verbs if v != "zermelo"), VERBS)

    def test_every_verb_explains_itself_with_an_example(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                run = self.zermelo(verb, "--help")
                texts = [line for line in run.out.splitlines() if not line.startswith(("  zermelo ", "  curl "))]
                self.assertLessEqual(max(map(len, texts)), 80, texts)
                self.assert_ends(run, 0)
                self.assertRegex(run.out, f"Example.*:\n  .*zermelo {verb}")

    def test_every_benchmark_is_in_the_launchers_list(self):
        listed = subprocess.run([ROOT / "zermelo", "bench"], stdout=subprocess.PIPE, text=True, check=True).stdout
        names = {file.stem for file in (ROOT / "bench").iterdir()
                 if file.is_file() and "# bench: " in file.read_text(encoding="utf-8")}
        self.assertEqual({line.split()[0] for line in listed.splitlines()}, names)

    def test_the_version_is_one_line_on_stdout(self):
        run = self.zermelo("--version")
        self.assert_ends(run, 0)
        self.assertRegex(run.out, r"^zermelo \d+\.\d+\.\d+\n$")


class UsageErrors(ZermeloTest):
    def refused(self, *arguments):
        run = self.zermelo(*arguments, limit=20)
        self.assertEqual(run.code, 2, run)
        self.assertEqual(run.out, "", run)
        self.assertIn("--help", run.err)
        return run.err

    def test_no_verb_at_all(self):
        self.refused()

    def test_an_unknown_verb_gets_the_nearest_one(self):
        self.assertIn("did you mean `prove`?", self.refused("prov", "a.lean"))

    def test_an_unknown_flag_gets_the_nearest_one(self):
        self.assertIn("did you mean `--theorem`?", self.refused("prove", "a.lean", "--theorme", "t"))
        self.assertIn("did you mean `--time`?", self.refused("prove", "a.lean", "--tim=3"))
        self.assertIn("did you mean `--json`?", self.refused("doctor", "--jsn"))

    def test_a_missing_file_argument_is_named(self):
        self.assertIn("file", self.refused("prove"))

    def test_an_invalid_time_gets_examples(self):
        for time in ("soon", "-3s", "0", "1e99", "nan"):
            with self.subTest(time=time):
                self.assertIn("60s, 5m", self.refused("prove", "a.lean", f"--time={time}"))

    def test_workers_must_be_a_number_in_range(self):
        for workers in ("0", "-1", "many"):
            with self.subTest(workers=workers):
                self.refused("prove", "a.lean", f"--workers={workers}")

    def test_in_place_and_out_exclude_each_other(self):
        self.refused("prove", "a.lean", "--in-place", "--out", "b.lean")

    def test_completion_knows_three_shells(self):
        error = self.refused("completion", "tcsh")
        for shell in ("bash", "zsh", "fish"):
            self.assertIn(shell, error)


class Completion(ZermeloTest):
    def script(self, shell):
        run = self.zermelo("completion", shell)
        self.assert_ends(run, 0)
        return str(self.write(f"completion.{shell}", run.out))

    def completed_by_bash(self, *words):
        """Bash's completions of the last word."""
        program = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _zermelo; '
                   'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", program, "bash", self.script("bash"), "zermelo", *words],
                              cwd=self.folder, capture_output=True, text=True, timeout=20, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_verbs_flags_and_files(self):
        self.write("Basic.lean", "")
        self.assertEqual(self.completed_by_bash("pro"), ["prove"])
        self.assertEqual(self.completed_by_bash("prove", "--in"), ["--in-place"])
        self.assertEqual(self.completed_by_bash("prove", "Bas"), ["Basic.lean"])
        self.assertLessEqual(set(VERBS), set(self.completed_by_bash("")))

    def test_bash_completes_registered_values(self):
        done = subprocess.run(["bash", "-c", 'source "$1" && complete -p zermelo', "bash",
                               self.script("bash")], capture_output=True, text=True, timeout=20, check=True)
        self.assertIn("-F _zermelo", done.stdout)

    def test_zsh_and_fish_accept_their_scripts(self):
        for shell in ("zsh", "fish"):
            with self.subTest(shell=shell):
                script = self.script(shell)
                if shutil.which(shell) is None:
                    continue
                subprocess.run([shell, "-n", script], timeout=20, check=True)

    def test_the_scripts_name_every_verb(self):
        for shell in ("bash", "zsh", "fish"):
            with open(self.script(shell), encoding="utf-8") as file:
                script = file.read()
            for verb in VERBS:
                self.assertIn(verb, script)
            self.assertIn("in-place", script)


if __name__ == "__main__":
    main()
