"""What workers elsewhere have to do, whatever launches them: nodes that die, hang and come back."""
import concurrent.futures
import json
import os
import signal
import time

from .server import ServerTest
from .zermelo import PROGRAM, wait_until


def lemmas(name, count, wrong=False):
    """A text on which Lean works for some seconds."""
    proofs = [f"theorem {name}_{i} (a b c d : Nat) : a + b + c + d + {i} = {i} + d + c + b + a := by omega"
              for i in range(count)]
    if wrong:
        proofs.append(f"theorem {name}_wrong : 2 + 2 = 5 := by decide")
    return "\n".join(proofs) + "\n"


def write_place(test, node, **changes):
    """A zermelo.toml with one worker on the node."""
    program = test.folder / "zermelo"  # without the spaces that the path of PROGRAM may have
    if not program.is_symlink():
        program.symlink_to(PROGRAM)
    entry = {"launch": node.launch, "count": 1, "program": str(program), **changes}
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
    test.write("zermelo.toml", "[[workers]]\n" + lines)


class RemoteWorkers(ServerTest):
    """One worker here and one on `node`, which a subclass sets up."""

    silence = 8
    server_env = {}
    node = None  # with launch, start(), die(), signal(), leans() and processes()

    @classmethod
    def begin(cls):
        cls.configure()
        cls.server = cls.serve("--workers", "1", "--config", cls.folder / "zermelo.toml", env=cls.server_env)
        cls.url = cls.url_of(cls.server)

    @classmethod
    def configure(cls, **changes):
        write_place(cls, cls.node, silence=cls.silence, **changes)

    def metric(self, name):
        text = self.request("GET", "/metrics")[2]
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))

    def check_all(self, meanwhile=lambda: None):
        """Four texts at once, whose verdicts are known; `meanwhile` runs once the node has a Lean."""
        texts = [lemmas(f"t{i}", 40, wrong=i % 2 == 1) for i in range(4)]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            results = pool.submit(self.check, *texts, timeout=120)
            meanwhile()
            verdicts = [self.verdict(result) for result in results.result()]
        self.assertEqual(verdicts, ["valid", "lean_error", "valid", "lean_error"])

    def wait_for_a_lean_there(self):
        wait_until(self.node.leans, 60, f"a Lean on the node\n{self.server.err}")

    def test_1_checks_run_on_both_machines(self):
        self.check_all()
        self.assertEqual(len(self.node.leans()), 1, self.node.processes())
        self.assertEqual(self.metric("zermelo_workers_started_total"), 2)
        self.assertEqual(self.metric("zermelo_place_failures_total"), 0)
        self.assertEqual(self.metric("zermelo_place_up"), 1)

    def test_2_checks_of_a_node_that_hangs_go_elsewhere(self):
        given_up = set()

        def freeze():
            self.wait_for_a_lean_there()
            time.sleep(1)
            given_up.update(self.node.leans())
            self.node.signal(signal.SIGSTOP)
        try:
            self.check_all(freeze)
        finally:
            self.node.signal(signal.SIGCONT)
        self.assertIn("nothing was heard from it", self.server.err)
        self.assertGreaterEqual(self.metric("zermelo_place_failures_total"), 1)
        wait_until(lambda: not given_up & set(self.node.leans()), 20, "the end of the Lean that was given up")

    def test_3_no_lean_outlives_a_server_that_is_killed(self):
        def used():
            self.check_all()
            return self.node.leans()
        wait_until(used, 60, "a Lean on the node")
        os.kill(self.server.process.pid, signal.SIGKILL)
        self.server.process.wait()
        self.assertEqual(self.server.left_behind(), [])
        wait_until(lambda: not self.node.leans(), 20, "the end of the Lean on the node")
        self.begin()

    def test_4_checks_of_a_node_that_dies_go_elsewhere(self):
        def kill():
            self.wait_for_a_lean_there()
            time.sleep(1)
            self.node.die()
        self.check_all(kill)
        self.assertGreaterEqual(self.metric("zermelo_place_failures_total"), 1)  # it is tried again
        self.assertEqual(self.metric("zermelo_place_up"), 0)
        self.assertIn("its checks go elsewhere, next try in", self.server.err)
        self.check_all()  # a node that does not answer costs nothing
