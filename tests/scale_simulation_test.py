#!/usr/bin/env python3
"""The simulation of bench/programs/scale_model.py: its stations, its tree, and that equal seeds give equal figures."""
import json
import pathlib
import random
import sys
import unittest

BENCH = pathlib.Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH / "programs"))

import scale_model as sim  # noqa: E402

CHECKS = [0.1, 0.2, 0.3, 0.8]


def model(**changes):
    return sim.Assumed(**{"tokens": 100, "gpu_tokens": 1000, "mathlib": 1, "timeouts": 0, "training": 1, **changes})


def search(seed=1, leans=8, **changes):
    options = {"gpus": 1, "at_once": 4, "in_flight": 4, "theorems": 12, "most": 50, "model": model(), **changes}
    return sim.Searches(seed, CHECKS, leans, **options).run().figures()


def training(seed=1, leans=8, **changes):
    options = {"gpus": 1, "steps": 3, "samples": 40, "model": model(), **changes}
    return sim.Training(seed, CHECKS, leans, **options).run().figures()


class Stations(unittest.TestCase):
    def setUp(self):
        self.clock, self.ended = sim.Clock(), []

    def end(self, name):
        return lambda: self.ended.append((name, round(self.clock.now, 6)))

    def test_jobs_wait_for_a_free_server(self):
        station = sim.Station(self.clock, 3)
        for job in range(10):
            station.submit(1, self.end(job))
        self.clock.run()
        self.assertEqual([at for _, at in self.ended], [1] * 3 + [2] * 3 + [3] * 3 + [4])
        self.assertAlmostEqual(station.use(), 10 / 12)

    def test_the_job_of_a_server_that_fails_begins_again_elsewhere(self):
        station = sim.Station(self.clock, 2)
        for job in "abc":
            station.submit(2, self.end(job))
        self.clock.after(1, lambda: station.fail([0], 10))
        self.clock.run()
        self.assertEqual(self.ended, [("b", 2), ("a", 4), ("c", 6)])
        self.assertEqual(station.lost, 1)

    def test_a_server_comes_back(self):
        station = sim.Station(self.clock, 1)
        station.fail([0], 10)
        station.fail([0], 10)  # it is down already
        station.submit(2, self.end("a"))
        self.clock.run()
        self.assertEqual(self.ended, [("a", 12)])

    def test_sequences_share_a_gpu(self):
        gpu = sim.Gpu(self.clock, 100, 0, 2)
        for name, tokens in (("short", 50), ("long", 150), ("waits", 100)):
            gpu.submit(tokens, self.end(name))
        self.clock.run()  # both at 50 tokens a second until 1; then long and waits until 3
        self.assertEqual(self.ended, [("short", 1), ("long", 3), ("waits", 3)])
        self.assertAlmostEqual(gpu.use(), 1)

    def test_one_sequence_alone_is_slower_than_the_whole_gpu(self):
        gpu = sim.Gpu(self.clock, 100, 3, 8)
        gpu.submit(100, self.end("alone"))
        self.clock.run()
        self.assertEqual(self.ended, [("alone", 4)])


class Trees(unittest.TestCase):
    def test_a_model_that_is_always_right_proves_at_once(self):
        tree = sim.Tree(5, 1, 0, random.Random(1))
        self.assertTrue(tree.end(tree.begin()))

    def test_a_search_keeps_the_beginning_of_a_wrong_proof(self):
        made = 0
        for seed in range(50):
            tree = sim.Tree(8, 0.5, 0, random.Random(seed))
            made += 1
            while not tree.end(tree.begin()):
                made += 1
        self.assertLess(made / 50, 2 ** 8 / 3)  # proofs from the beginning take 2 ** 8 on average

    def test_pending_generations_leave_no_trace(self):
        tree = sim.Tree(9, 0.5, 0.5, random.Random(1))
        pending = [tree.begin() for _ in range(20)]
        for node in pending:
            tree.end(node)
        self.assertEqual({arm[2] for arms in tree.arms for arm in arms.values()}, {0})


class Simulations(unittest.TestCase):
    def test_equal_seeds_give_equal_figures(self):
        self.assertEqual(search(), search())
        self.assertEqual(training(), training())
        self.assertNotEqual(search(), search(seed=2))

    def test_more_leans_help_until_something_else_is_the_wall(self):
        few, many, more = (search(leans=leans)["seconds"] for leans in (1, 64, 128))
        self.assertLess(many, few / 2)
        self.assertAlmostEqual(more, many)

    def test_the_one_thread_of_a_process_is_a_wall(self):
        slow = sim.Measured(loop_search=1.0)
        one, four = (search(leans=64, at_once=16, theorems=None, seconds=100, measured=slow, processes=processes)
                     for processes in (1, 4))
        self.assertGreater(one["thread_use"], 0.95)
        self.assertAlmostEqual(one["per_s"], 1, delta=0.1)
        self.assertGreater(four["per_s"], 2)

    def test_a_step_need_not_wait_for_checks_that_time_out(self):
        hard = {"model": model(timeouts=0.02), "samples": 200}
        whole, most = training(**hard), training(wanted=0.9, **hard)
        self.assertGreater(whole["tail_seconds"], 30)
        self.assertLess(most["step_seconds"], whole["step_seconds"] / 1.5)

    def test_writing_during_the_update_saves_its_time(self):
        slow = model(training=20)
        self.assertLess(training(model=slow, overlapped=True)["step_seconds"], training(model=slow)["step_seconds"])

    def test_checks_on_nodes_that_fail_are_not_lost(self):
        weak = model(node_cores=2, node_hours=0.0005, repair=5)
        failing = search(model=weak)
        self.assertGreater(failing["lost_checks"], 0)
        self.assertGreater(failing["seconds"], search()["seconds"])

    def test_the_recorded_service_times_are_there(self):
        recorded = json.loads((BENCH / "data/lean-seconds.json").read_text(encoding="utf-8"))
        self.assertGreater(len(recorded["seconds"]), 100)


if __name__ == "__main__":
    unittest.main()
