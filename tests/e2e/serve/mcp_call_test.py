#!/usr/bin/env python3
"""`zermelo mcp call` and `zermelo mcp tools`: the tools for coding agents from the shell, as other servers' users call
them to find out why an agent's call hangs."""
import json
import os
import signal
import subprocess

from testing.zermelo import PROGRAM, ZermeloTest, environment, main, wait_until

GOOD = "theorem t (a b : Nat) : a + b = b + a := by\n  omega\n"
OPEN = "theorem easy (a b : Nat) : a + b = b + a := by\n  sorry\n"
SLOW = "theorem slow : (List.range 100000000).length = 100000000 := by\n  decide +kernel\n"


class Tools(ZermeloTest):
    def test_the_list_has_names_descriptions_and_required_arguments(self):
        run = self.zermelo("mcp", "tools")
        self.assertEqual(run.code, 0, run)
        self.assertIn("goals (required: line)\n  Returns the tactic state", run.out)
        tools = {tool["name"]: tool for tool in self.zermelo("mcp", "tools", "--json").json}
        self.assertEqual(tools["try_proofs"]["required"], ["proofs"])
        self.assertEqual(tools["check"]["required"], [])

    def test_one_tool_has_its_schema(self):
        schema = self.zermelo("mcp", "tools", "premise_search").json
        self.assertEqual((schema["type"], schema["required"]), ("object", ["query"]))
        unknown = self.zermelo("mcp", "tools", "premises")
        self.assertEqual(unknown.code, 2, unknown)


class Call(ZermeloTest):
    def call(self, *arguments, **options):
        return self.zermelo("mcp", "call", *arguments, **options)

    def test_the_answer_is_that_of_the_server(self):
        self.write("Good.lean", GOOD)
        run = self.call("check", '{"file": "Good.lean"}', "--json")
        self.assertEqual((run.code, run.json["status"], run.json["verdict"]), (0, "ok", "accepted"), run)
        text = self.call("check", json.dumps({"text": OPEN}))
        self.assertTrue(text.out.startswith("status: ok\n"), text)
        self.assertIn("goal:\n      a b : Nat\n      ⊢ a + b = b + a\n", text.out)

    def test_arguments_come_from_standard_input(self):
        done = subprocess.run([PROGRAM, "mcp", "call", "check", "-", "--json"], input=json.dumps({"text": GOOD}),
                              cwd=self.folder, env=environment({}), capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual((done.returncode, json.loads(done.stdout)["verdict"]), (0, "accepted"), done)

    def test_a_job_is_waited_for(self):
        run = self.call("prove_start", json.dumps({"text": OPEN, "seconds": 100}), "--json")
        self.assertEqual((run.code, run.json["state"], run.json["status"]), (0, "finished", "ok"), run)

    def test_errors_of_the_tool_and_of_the_command_line_differ(self):
        for arguments in '{"file": "nowhere.lean"}', '{"txt": ""}', "{}":
            run = self.call("check", arguments, "--json")
            self.assertEqual((run.code, run.json["status"]), (1, "failed"), run)
        for arguments in ("chek", "{}"), ("check", "[]"), ("check", "{"), (), ("check", "{}", "--jsn"):
            run = self.call(*arguments)
            self.assertEqual((run.code, run.out), (2, ""), run)
        self.assertIn("did you mean `check`", self.call("chek", "{}").err)

    def test_ctrl_c_cancels_the_call_and_ends_its_lean(self):
        run = self.start("mcp", "call", "check", json.dumps({"text": SLOW, "timeout_seconds": 100}))
        wait_until(run.lean_processes, 60, "a Lean at work")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait(30)
        self.assertEqual((run.code, run.out, run.left_behind()), (130, "", []), run)


if __name__ == "__main__":
    main()
