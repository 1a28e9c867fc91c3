#!/usr/bin/env python3
"""MCP's `try_proofs` with a state server gives the answers that it gives without one."""
import json
import subprocess

from testing.zermelo import PROGRAM, ZermeloTest, environment, main, processes_of, wait_until

LAST = """\
theorem last (p q : Prop) (hp : p) (hq : q) (a b : Nat) : (p ∧ q) ∧ a + b = b + a := by
  constructor
  · exact ⟨hp, hq⟩
  · sorry
"""
# Its declaration has another error, after the hole.
INNER = """\
variable {α : Type} [Inhabited α]

theorem inner (f : Nat → Nat) (h : ∀ n, f n = n) : f 1 + f 2 = 3 := by
  have one : f 1 = 1 ∧ f 2 = 2 := by
    sorry
  have two : f 2 = 2 := one.left
  omega
"""
FIRST = "theorem first (a b : Nat) : a + b = b + a := by\n  first | sorry | omega\n"
EACH = "theorem each (p q : Prop) (hp : p) : p ∧ q := by\n  try constructor <;>\n    sorry\n"
# One proof of both goals.
TOGETHER = "theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor <;>\n    sorry\n"

PROOFS = {
    LAST: ["exact Nat.add_comm a b", "omega", "rfl", "exact missing", "intro x\nomega", "induction a", "exact hp",
           "have h : a = b := by\n  omega\nomega", "have h : a = a := rfl\nskip", "rw [missing]", "simp [missing]",
           "exact\n", "rw [Nat.add_comm", "cases a with\n| zero => rfl\n| succ n => omega", "skip", "-- nothing",
           "have h : b + a = a + b := by simp\nsimp at missing", "· rfl\n· rfl", "decide", "constructor", "next => rfl",
           "set_option maxRecDepth 20 in\nsimp", "run_tac return", "intro"],
    INNER: ["exact ⟨h 1, h 2⟩", "constructor\n· exact h 1\n· exact h 3", "constructor\nexact h 1", "exact h 1", "simp",
            "constructor <;> simp [h]", "refine ⟨?_, h 2⟩\nrw [h", "refine ⟨?_, h 2⟩\nrw [h, missing]", "omega",
            "have k := h 5\nexact k", "exact h", "intro n"],
    FIRST: ["rfl", "exact missing", "intro x", "skip"],
    EACH: ["exact hp", "exact missing", "intro x", "skip", "rfl"],
    TOGETHER: ["all_goals assumption", "exact hp", "exact hp\nexact hq", "exact missing", "· exact hp\n· rfl"],
}


class Agent:
    """A client of `zermelo mcp`."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen([PROGRAM, "mcp", "--workers", "2", "--no-premises", *options], cwd=folder,
                                        text=True, start_new_session=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment({}))
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "test", "version": "1"}})

    def request(self, method, parameters):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def try_proofs(self, text, proofs):
        return self.request("tools/call", {"name": "try_proofs", "arguments": {
            "text": text, "proofs": proofs, "timeout_seconds": 60}})["structuredContent"]

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(60)
        self.process.stdout.close()
        return code


def without_times(answer):
    """Also without the number of answers that came from states."""
    answer = {key: value for key, value in answer.items() if key != "in_states"}
    answer["attempts"] = [{key: value for key, value in attempt.items() if key != "seconds"}
                          for attempt in answer["attempts"]]
    return answer


class TryProofs(ZermeloTest):
    def answers(self, *options):
        """The answers about all texts, by text; with a state server, once it is used."""
        agent = Agent(self.folder, *options)
        self.addCleanup(agent.process.kill)
        if options:
            wait_until(lambda: "in_states" in agent.try_proofs(LAST, ["rfl", "exact hp", "intro x"]), 100,
                       "the state server")
        answers = {text: agent.try_proofs(text, proofs) for text, proofs in PROOFS.items()}
        processes = [command for _, command in processes_of(agent.process.pid)]
        self.assertEqual(any("state_server.lean" in command for command in processes), bool(options), processes)
        self.assertEqual(agent.end(), 0)
        wait_until(lambda: not processes_of(agent.process.pid), 30, "the end of the server and its Leans")
        return answers

    def test_states_give_the_answers_that_workers_give(self):
        by_workers = self.answers()
        self.assertFalse(any("in_states" in answer for answer in by_workers.values()), by_workers)
        answers = self.answers("--states", "on")
        for text, answer in answers.items():
            for mine, other in zip(without_times(answer)["attempts"], without_times(by_workers[text])["attempts"]):
                self.assertEqual(mine, other)
            self.assertEqual(without_times(answer), without_times(by_workers[text]))
        in_states = [answers[text].get("in_states", 0) for text in PROOFS]
        self.assertGreater(in_states[0], 5)
        self.assertGreater(in_states[1], 3)
        self.assertEqual(in_states[2:4], [0, 0], "Lean runs these tactics more than once, or hides their errors")
        self.assertEqual([answers[text]["accepted"] for text in PROOFS], [[0, 1], [], [0, 1, 2], [], [0, 2]], in_states)


if __name__ == "__main__":
    main()
