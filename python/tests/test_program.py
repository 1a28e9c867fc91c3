"""How the program is found and started, and what becomes of its errors."""
import itertools
import os
import pickle
import shlex
import signal
import subprocess
import sys

from support import ROOT, PythonTest, wait_until

import zermelo
from zermelo import _program, embedded

COMMAND = [sys.executable, "-c", "import sys; from zermelo._command import main; sys.exit(main())"]


class Rules(PythonTest):
    """The command `zermelo` and the launcher ./zermelo decide alike."""

    def launcher_says(self, function, arguments, **changes):
        script = (f"source <(sed -n '/^{function}() {{/,/^}}/p' {shlex.quote(str(ROOT / 'zermelo'))}); "
                  f'{function} "$@"')
        return subprocess.run(["bash", "-c", script, "bash", *arguments], env={**os.environ, **changes},
                              check=False).returncode == 0

    def test_which_verbs_need_lean(self):
        verbs = ["prove", "check", "eval", "serve", "mcp", "doctor", "index", "search", "runs", "events",
                 "blueprint", "view", "completion", "--version", "kernel"]
        for verb, rest in itertools.product(verbs, ([], ["x.lean"], ["resume", "3"], ["--help"], ["x", "-h"])):
            arguments = [verb, *rest]
            self.assertEqual(_program.needs_lean(arguments), self.launcher_says("needs_lean", arguments),
                             arguments)
        self.assertFalse(_program.needs_lean([]))

    def test_which_lean_makes_the_embedded_one_unnecessary(self):
        self.write("bin/lean", "#!/bin/sh\necho 'Lean (version 4.28.0, x86_64)'\n", 0o755)
        self.write("broken/lean", "#!/bin/sh\necho no toolchain >&2\nexit 1\n", 0o755)
        with_lean, with_none = (f"{self.folder}/{bin}:{os.environ['PATH']}" for bin in ("bin", "broken"))
        self.assertTrue(_program.other_lean_is_there(["prove"], {**os.environ, "PATH": with_lean}))
        self.assertFalse(_program.other_lean_is_there(["prove"], {**os.environ, "PATH": with_none}))
        for arguments, changes in itertools.product(
                (["prove", "x"], ["prove", "x", "--lean", "/l"], ["prove", "--lean=/l", "x"]),
                ({}, {"ZERMELO_LEAN": "/l"}, {"ZERMELO_LEAN": ""}, {"PATH": with_lean}, {"PATH": with_none})):
            self.assertEqual(_program.other_lean_is_there(arguments, {**os.environ, **changes}),
                             self.launcher_says("other_lean_is_there", arguments, **changes),
                             (arguments, changes))


class Command(PythonTest):
    def run_command(self, *arguments, **options):
        return subprocess.run([*COMMAND, *arguments], text=True, timeout=60, check=False, **options)

    def test_arguments_input_output_and_exit_code_pass_through(self):
        self.fake_program('printf "<%s>" "$@"; cat; echo said >&2; exit 7')
        done = self.run_command("prove", "a b", "", "ü", "--json", input="in", capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "<prove><a b><><ü><--json>in", "said\n"))

    def test_the_program_takes_the_place_of_python(self):
        self.fake_program("trap 'echo ended; exit 5' TERM; echo $$; while :; do sleep 0.05; done")
        with subprocess.Popen([*COMMAND, "--version"], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(int(process.stdout.readline()), process.pid)
            process.terminate()
            self.assertEqual((process.wait(30), process.stdout.read()), (5, "ended\n"))

    def test_no_signal_is_ignored_that_was_not_before(self):
        self.fake_program("grep SigIgn /proc/self/status")
        before = subprocess.run(["grep", "SigIgn", "/proc/self/status"], capture_output=True, text=True, check=True)
        self.assertEqual(self.run_command(capture_output=True).stdout, before.stdout)

    def test_a_program_that_is_missing_is_said(self):
        os.environ["ZERMELO_PROGRAM"] = "/nonexistent/zermelo"
        done = self.run_command("prove", capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr.splitlines()[0], "zermelo: there is no program at /nonexistent/zermelo")

    def test_the_packages_folders_are_in_the_environment_unless_the_user_has_set_them(self):
        del os.environ["ZERMELO_EMBEDDED"]
        package, installer = _program.PACKAGE, embedded.INSTALLER
        self.addCleanup(setattr, _program, "PACKAGE", package)
        self.addCleanup(setattr, embedded, "INSTALLER", installer)
        _program.PACKAGE, embedded.INSTALLER = self.folder, self.folder / "embedded_lean"
        self.write("prompts/chat.txt", "")
        self.write("embedded_lean/install.sh", "exit 1\n")
        ours = _program.environment(["runs"])
        self.assertEqual(ours["ZERMELO_PROMPTS"], str(self.folder / "prompts"))
        self.assertEqual(ours["ZERMELO_EMBEDDED"], str(embedded.folder()))
        os.environ.update(ZERMELO_PROMPTS="mine", ZERMELO_EMBEDDED="my own")
        theirs = _program.environment(["prove", "x.lean"])
        self.assertEqual((theirs["ZERMELO_PROMPTS"], theirs["ZERMELO_EMBEDDED"]), ("mine", "my own"))


class Errors(PythonTest):
    def test_an_error_has_the_programs_message_hint_and_exit_code(self):
        said = "zermelo: note: something\\nzermelo: it broke\\n  mend it\\n  or not\\n"
        self.fake_program(f"printf '{said}' >&2; exit 2")
        error = self.raised(zermelo.UsageError, zermelo.prove, "x.lean")
        self.assertEqual((error.message, error.hint, error.exit_code), ("it broke", "mend it\nor not", 2))
        self.assertEqual(str(error), "it broke\n  mend it\n  or not")

    def test_an_end_without_words_is_an_error_too(self):
        for code in (0, 1, 3, 130, 137):
            self.fake_program(f"exit {code}")
            error = self.raised(zermelo.EnvironmentProblem, zermelo.prove, "x.lean")
            self.assertEqual((error.message, error.exit_code), (f"zermelo ended with exit code {code}", code))

    def test_errors_survive_pickling(self):
        for error in (zermelo.UsageError("m", "h"), zermelo.EnvironmentProblem("m", "h", 130),
                      zermelo.ServerError("m", "h", 2, 422)):
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), vars(copy), str(copy)), (type(error), vars(error), str(error)))

    def test_past_its_timeout_the_program_is_stopped(self):
        self.fake_program(f"trap 'touch {self.folder}/ended; exit 130' INT; while :; do sleep 0.05; done")
        error = self.raised(zermelo.Timeout, zermelo.prove, "x.lean", timeout=3)
        self.assertEqual(error.message, "zermelo prove took longer than 3 seconds")
        self.assertTrue((self.folder / "ended").exists())

    def test_a_program_that_does_not_stop_is_killed(self):
        self.addCleanup(setattr, _program, "PATIENCE", _program.PATIENCE)
        _program.PATIENCE = 0.4
        self.fake_program(f"trap '' INT; echo $$ >{self.folder}/pid; exec sleep 60")
        self.raised(zermelo.Timeout, zermelo.prove, "x.lean", timeout=3)
        process = int((self.folder / "pid").read_text())
        with self.assertRaises(ProcessLookupError):
            os.kill(process, 0)

    def test_ctrl_c_stops_the_program(self):
        self.fake_program(f"trap 'touch {self.folder}/ended; exit 130' INT; touch {self.folder}/started; "
                          "while :; do sleep 0.05; done")
        script = "import zermelo\ntry: zermelo.prove('x.lean')\nexcept KeyboardInterrupt: print('interrupted')"
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
            wait_until((self.folder / "started").exists, 30, "the program's start")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.communicate(timeout=30)[0], "interrupted\n")
        self.assertTrue((self.folder / "ended").exists())
