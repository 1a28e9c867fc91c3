#!/usr/bin/env python3
"""`zermelo serve` with real Lean: verdicts that trainers can rely on, and a shutdown that loses nothing."""
import json
import pathlib
import signal
import socket
import threading
import time
import urllib.parse

from testing.programs import LIAR, TACTIC
from testing.server import ServerTest
from testing.zermelo import main, wait_until

GOOD = "theorem t (a b : Nat) : a + b = b + a := by\n  omega\n"
BAD = "theorem t (a b : Nat) : a + b = b + a + 1 := by\n  omega\n"
SORRY = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
SLOW = "theorem t : (List.range 100000000).length = 100000000 := by\n  decide +kernel\n"
CRASH = "#eval (IO.Process.exit 7 : IO Unit)\n"

# Each of these proves False, or seems to, without an error from Lean and without a `sorry`.
CHEATS = {
    "an axiom": "axiom cheat : False\ntheorem t : False := cheat\n",
    "a kernel that is off": "set_option debug.skipKernelTC true in\ntheorem t : True := trivial\n",
    "a silenced sorry": "set_option warn.sorry false\ntheorem t : False := by sorry\n",
    "sorry by its inner name": "theorem t : False := sorryAx _ true\n",
    "compiled code": "theorem t : 2 + 2 = 4 := by native_decide\n",
    "a sorry that a macro makes": """\
open Lean in
macro "easy" : term => return mkApp (mkIdent (.str .anonymous ("sorry" ++ "Ax"))) #[mkIdent `_]
theorem t : False := easy
""",
    "an axiom that a macro makes": """\
open Lean in
macro "assume" : command => do
  let decl := mkNode ``Lean.Parser.Command.axiom #[mkAtom ("axi" ++ "om"),
    mkNode ``Lean.Parser.Command.declId #[mkIdent `hidden, mkNullNode],
    mkNode ``Lean.Parser.Command.declSig #[mkNullNode,
      mkNode ``Lean.Parser.Term.typeSpec #[mkAtom ":", mkIdent `False]]]
  let modifiers := mkNode ``Lean.Parser.Command.declModifiers (Array.replicate 7 mkNullNode)
  return mkNode ``Lean.Parser.Command.declaration #[modifiers, decl]
assume
theorem t : False := hidden
""",
    "an axiom in what looks like a comment": """\
notation "x--" => True
theorem u : x-- axiom
  := trivial
""",
}


class Verdicts(ServerTest):
    def test_good_bad_and_unfinished_proofs_are_distinguished(self):
        results = self.check(GOOD, BAD, SORRY)
        self.assertEqual([self.verdict(r) for r in results], ["valid", "lean_error", "sorry"])

    def test_positions_are_the_whole_snippets_as_lean_prints_them(self):
        result, = self.check("-- 𝔸\n\n/- 𝔸 -/ example (h : 1 = 2) : 𝔸 := h\n#check Nat\n")
        error, info = result["response"]["messages"]
        self.assertEqual((error["severity"], error["pos"]["line"]), ("error", 3))
        self.assertEqual(info, {"severity": "info", "pos": {"line": 4, "column": 0},
                                "endPos": {"line": 4, "column": 6}, "data": "Nat : Type"})
        self.assertEqual(error["pos"]["column"], len("/- 𝔸 -/ example (h : 1 = 2) : 𝔸 := "))

    def test_a_sorry_comes_with_its_goal(self):
        tactic, term = (r["response"] for r in self.check(SORRY, "example : 1 = 1 := sorry\n"))
        sorry, = tactic["sorries"]
        self.assertEqual(sorry["pos"], {"line": 2, "column": 2})
        self.assertEqual(sorry["endPos"], {"line": 2, "column": 7})
        self.assertEqual(sorry["goal"], "a b : Nat\n⊢ a + b = b + a")
        self.assertEqual(term["sorries"][0]["goal"], "⊢ 1 = 1")

    def test_cheating_is_never_valid(self):
        for name, code in CHEATS.items():
            with self.subTest(name):
                result, = self.check(code, timeout=120)
                self.assertNotEqual(self.verdict(result), "valid", result)

    def test_honest_notation_is_valid(self):
        result, = self.check('local notation "ℕ" => Nat\ntheorem t (n : ℕ) : n = n := rfl\n')
        self.assertEqual(self.verdict(result), "valid", result)

    def test_a_missing_import_is_an_error(self):
        result, = self.check("import Mathlib\ntheorem t : 1 = 1 := rfl\n")
        self.assertEqual(self.verdict(result), "lean_error", result)

    def test_an_error_is_not_forgotten_when_the_next_snippet_shares_its_beginning(self):
        for _ in range(3):
            broken, mended = self.check(GOOD + BAD.replace("t (", "u ("), GOOD)
            self.assertEqual(self.verdict(broken), "lean_error")
            self.assertEqual(self.verdict(mended), "valid")
            self.assertNotIn("messages", mended["response"])

    def test_nothing_leaks_from_one_snippet_to_the_next(self):
        uses = "theorem t : (0 : Nat) = 0 ∧ LEAK := by simp [leaked]\n"
        leaves = [
            'notation "LEAK" => True\n',
            'macro "LEAK" : term => `(True)\n',
            "def LEAK := True\ntheorem leaked : LEAK := trivial\n",
            "axiom leaked : False\n",
            "variable (LEAK : Prop) (leaked : LEAK)\n",
            "namespace Open\ndef LEAK := True\n",
            "@[simp] theorem leaked (n : Nat) : n + 0 = n := rfl\n",
            "instance : Add Bool := ⟨fun a _ => a⟩\n",
            "set_option maxRecDepth 17\n",
        ]
        for left in leaves:
            with self.subTest(left):
                self.check(left)
                self.assertEqual(self.verdict(self.check(uses)[0]), "lean_error")
                self.assertEqual(self.verdict(self.check("theorem t : true + true = true := rfl\n")[0]),
                                 "lean_error")
                self.assertEqual(self.verdict(self.check(GOOD)[0]), "valid")

    def test_slow_and_crashing_snippets_affect_no_others(self):
        slow, crash, good = self.check(SLOW, CRASH, GOOD, timeout=20)
        self.assertEqual(slow["error"], "Lean REPL command timed out in 20.0 seconds")
        self.assertEqual(self.verdict(crash), "server_error")
        self.assertEqual(self.verdict(good), "valid")


class Rewards(ServerTest):
    arguments = ("--workers", "1", "--quiet")
    statement = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"

    def rewards(self, *answers):
        fenced = [f"Let me see.\n```lean4\n{a}```<|im_end|>" for a in answers]
        return self.post("/get_reward", {"query": fenced, "prompts": None,
                                         "labels": [self.statement] * len(answers)})

    def test_only_a_proof_of_the_given_statement_is_rewarded(self):
        answer = self.rewards(
            GOOD,
            BAD,
            SORRY,
            GOOD.replace("b + a :=", "b + a ∨ True :="),
            "theorem t (a b : Nat) : True := trivial\n",
            "theorem u (a b : Nat) : a + b = b + a := by omega\n",
            "axiom c : False\ntheorem t (a b : Nat) : a + b = b + a := c.elim\n",
            "local instance : Add Nat := ⟨fun _ _ => 0⟩\n" + GOOD.replace("omega", "rfl"),
            "-- " + GOOD.replace("\n", " ") + "\ntheorem u : True := trivial\n",
        )
        self.assertEqual(answer["rewards"], [1.0] + [0.0] * 8, answer)
        self.assertEqual(answer["scores"], answer["rewards"])
        self.assertEqual(answer["verdicts"][:3], ["accepted", "rejected", "sorry"])
        self.assertEqual(answer["reasons"][0], [])
        self.assertTrue(all(answer["reasons"][1:]), answer)

    def test_a_bare_proof_replaces_the_sorry(self):
        self.assertEqual(self.rewards("omega\n", "by omega\n", "rfl\n")["rewards"], [1.0, 1.0, 0.0])

    def test_a_statement_that_does_not_compile_is_reported(self):
        answer = self.post("/get_reward", {"query": ["theorem t : True := trivial"],
                                           "labels": ["theorem t : Nope := by\n  sorry\n"]})
        self.assertEqual((answer["rewards"], answer["verdicts"]), ([0.0], ["invalid_statement"]))

    def test_the_sandbox_contract(self):
        def run(code, **options):
            return self.post("/execute", {"generated_code": code, "language": "lean4", "timeout": 30.0,
                                          "max_output_characters": 1000, **options})
        self.assertEqual(run(GOOD), {"process_status": "completed", "stdout": "", "stderr": ""})
        self.assertEqual(run(BAD)["process_status"], "failed")
        self.assertIn(":2:2: error: omega", run(BAD)["stdout"])
        self.assertIn("sorry", run(SORRY)["stdout"])
        self.assertEqual(run(SLOW, timeout=2.0)["process_status"], "timeout")
        self.assertEqual(run("axiom c : False\n")["process_status"], "failed")


def rewards_of(test, *answers, statement="import Lean\n" + SORRY, **options):
    return test.post("/get_reward", {"query": [f"```lean4\n{a}```" for a in answers],
                                     "labels": [statement] * len(answers)}, **options)


class Programs(ServerTest):
    """Answers with code that runs inside Lean, where the server allows it."""

    arguments = ("--workers", "1", "--allow-programs")

    def test_are_rewarded_and_marked_if_the_kernel_accepts_what_they_make(self):
        answer = rewards_of(self, TACTIC, LIAR, "import Lean\n" + GOOD)
        self.assertEqual(answer["rewards"], [1.0, 0.0, 1.0], answer)
        self.assertEqual(answer["runs_programs"], [True, True, False], answer)
        self.assertEqual([k["verdict"] for [k] in answer["kernels"]], ["accepted", "rejected", "accepted"], answer)
        self.assertIn("kernel_rejected", " ".join(answer["reasons"][1]), answer)

    def test_do_not_open_the_door_for_other_code(self):
        lines = ("initialize x : IO.Ref Nat ← IO.mkRef 0", "@[implemented_by Nat.succ] def f (n : Nat) := n",
                 '@[extern "lean_nat_succ"] def f (n : Nat) := n')
        answer = rewards_of(self, *(TACTIC.replace("open Lean", f"{line}\nopen Lean") for line in lines))
        self.assertEqual((answer["rewards"], answer["runs_programs"]), ([0.0] * 3, [False] * 3), answer)
        for reasons, code in zip(answer["reasons"], ("forbidden_command", "forbidden_attribute", "forbidden_attribute")):
            self.assertIn(code, " ".join(reasons), answer)

    def test_need_a_name_for_what_they_prove(self):
        answer = rewards_of(self, TACTIC.replace("theorem t", "example"),
                            statement="import Lean\n" + SORRY.replace("theorem t", "example"))
        self.assertEqual((answer["rewards"], answer["runs_programs"]), ([0.0], [False]), answer)
        self.assertIn("forbidden_command", answer["reasons"][0][0], answer)

    def test_are_errors_in_a_snippet_without_a_statement(self):
        result, = self.check(TACTIC)
        self.assertEqual(self.verdict(result), "lean_error", result)

    def test_are_refused_by_a_server_without_the_option(self):
        server = self.serve("--workers", "1")
        answer = rewards_of(self, TACTIC, url=self.url_of(server))
        self.assertEqual(answer["rewards"], [0.0], answer)
        self.assertIn("forbidden_command", answer["reasons"][0][0], answer)
        self.assertNotIn("runs_programs", answer)

    def test_need_the_sandbox_and_the_kernel(self):
        for code, said, option in ((3, "full sandbox", ["--no-sandbox"]), (2, "--kernel off", ["--kernel", "off"])):
            run = self.zermelo("serve", "--port", "0", "--allow-programs", *option)
            self.assert_ends(run, code, said)
            self.assertNotIn("listening", run.err)


class Bounds(ServerTest):
    arguments = ("--workers", "1", "--queue", "2")
    env = {"ZERMELO_API_KEY": "secret"}
    key = {"Authorization": "Bearer secret"}

    def test_without_the_key_only_health_answers(self):
        self.assertEqual(self.request("GET", "/health")[0], 200)
        self.assertEqual(self.request("POST", "/api/check", {"snippets": []})[0], 401)
        self.assertEqual(self.request("GET", "/metrics", headers={"Authorization": "Bearer nope"})[0], 401)

    def test_bad_requests_are_rejected_and_do_no_harm(self):
        for body, wanted in ((b"{", 400), (b"\xff", 400), (b"[" * 100000, 400), ({"snippets": "x"}, 422),
                             ({"snippets": [{"id": "a", "code": 1}]}, 422)):
            status, _, answer = self.request("POST", "/api/check", body, headers=self.key)
            self.assertEqual(status, wanted, answer)
            self.assertIn("detail", answer)
        self.assertEqual(self.request("GET", "/health")[0], 200)

    def test_a_body_of_100_megabytes_is_413(self):
        status, _, answer = self.request("POST", "/api/check", b"x" * 100_000_000, headers=self.key)
        self.assertEqual(status, 413, answer)

    def test_a_client_that_trickles_its_request_is_408(self):
        address = urllib.parse.urlsplit(self.url)
        with socket.create_connection((address.hostname, address.port), timeout=30) as slow:
            deadline = time.monotonic() + 25
            slow.sendall(b"POST /api/check HTTP/1.1\r\n")
            slow.settimeout(0.5)
            answer = b""
            while not answer and time.monotonic() < deadline:
                try:
                    answer = slow.recv(4096)
                except TimeoutError:
                    slow.sendall(b"X: y\r\n")
        self.assertIn(b" 408 ", answer.split(b"\r\n")[0])

    def test_when_the_queue_is_full_the_answer_is_429_until_there_is_room(self):
        def send(i):
            body = {"snippets": [{"id": str(i), "code": SLOW}], "timeout": 3}
            statuses.append(self.request("POST", "/api/check", body, headers=self.key)[:2])
        statuses = []
        threads = [threading.Thread(target=send, args=(i,)) for i in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(status for status, _ in statuses), [200, 200, 429, 429, 429])
        for status, headers in statuses:
            self.assertEqual("Retry-After" in headers, status == 429)

    def test_metrics_are_prometheus_text(self):
        status, headers, text = self.request("GET", "/metrics", headers=self.key)
        self.assertEqual(status, 200)
        self.assertIn("text/plain; version=0.0.4", headers["Content-Type"])
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [0-9.e+-]+)$')

    def test_each_request_is_one_json_line_on_stderr(self):
        self.request("GET", "/health?marked")

        def written():  # the line comes after the answer
            lines = [json.loads(line) for line in self.server.err.split("\n")[:-1] if line.startswith("{")]
            return [line for line in lines if line["path"] == "/health?marked"]
        marked, = wait_until(written, 10, "the request in the access log")
        self.assertEqual((marked["method"], marked["status"]), ("GET", 200))


class Ends(ServerTest):
    def test_stopping_answers_accepted_requests_and_leaves_nothing_running(self):
        server = self.serve("--workers", "1")
        url = self.url_of(server)
        answers = []

        def ask(code):
            body = {"snippets": [{"id": "a", "code": code}], "timeout": 4}
            answers.append(self.request("POST", "/api/check", body, url=url))
        threads = [threading.Thread(target=ask, args=(code,)) for code in (SLOW, GOOD)]
        for thread in threads:
            thread.start()
        wait_until(lambda: "zermelo_queue_length 2\n" in self.request("GET", "/metrics", url=url)[2], 20,
                   "two checks in the queue")
        server.process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join()
        self.assert_ends(server.wait(30), 0, "stopping")
        self.assertEqual([status for status, _, _ in answers], [200, 200])
        self.assertEqual(server.left_behind(), [])
        self.assertEqual(list(pathlib.Path(server.scratch).iterdir()), [])

    def test_a_taken_port_is_exit_code_3_and_says_so(self):
        port = urllib.parse.urlsplit(self.url).port
        self.assert_ends(self.zermelo("serve", "--port", port), 3, "cannot listen", str(port))

    def test_a_missing_lean_is_reported_before_it_listens(self):
        run = self.zermelo("serve", "--port", "0", "--lean", "/nonexistent")
        self.assert_ends(run, 2, "no Lean at /nonexistent")
        self.assertNotIn("listening", run.err)

    def test_wrong_flags_are_exit_code_2(self):
        self.assert_ends(self.zermelo("serve", "--workers", "0"), 2, "--workers")
        self.assert_ends(self.zermelo("serve", "--project", "/nonexistent"), 2, "--project")


if __name__ == "__main__":
    main()
