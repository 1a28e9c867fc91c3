#!/usr/bin/env python3
"""The page of an evaluation in headless Chromium: at three widths, with 1, 60, 1,000 and 100,000 problems, as report.html and live.

The evaluations are invented; `zermelo eval merge` writes their reports, and `zermelo view` shows a folder. KEEP_PICTURES=DIR saves the screenshots.
"""
import json
import os
import pathlib
import struct
import unittest
import zlib

from testing import chromium
from testing.zermelo import ZermeloTest, main, skip, wait_until

PHONE, TABLET, DESKTOP = 390, 640, 1280
HOSTILE = "</script><script>document.title='hacked'</script>"
CATEGORIES = ["IMO", "AIME", "AMC", "MATH Algebra", "MATH Number Theory", "Custom Induction"]


def problem(i, name):
    return {"name": name, "split": "test", "category": CATEGORIES[i % 6], "theorem": name,
            "header": "import Mathlib\n\n", "trailer": "\n", "informal": f"Words about problem {i}: show that a < b & c.",
            "statement": f"theorem t{i} (x y : ℝ) (h₀ : 0 < x) (h₁ : x < y) (h₂ : x + y + x * y = {i}) :\n"
                         "    x ^ 2 + y ^ 2 ≥ 2 * x * y := by\n  sorry",
            "lean": "v4.28.0", "source": {"file": "minif2f.jsonl", "line": i + 1, "sha256": "0" * 64}}


def result(i, name):
    outcome = "invalid" if i % 19 == 18 else ("proved" if i % 5 < 3 else "unproved")
    cost = {"seconds": 0.5 + i % 50, "samples": 1 + i * 7 % 6400, "tokens": 300 * (1 + i * 7 % 6400), "money": 0.0003 * (1 + i * 7 % 6400)}
    proved = int(outcome == "proved")
    proof = "\n".join(["nlinarith [sq_nonneg (x - y), h₀, h₁]"] * (1 + i * i % 37)) if proved else ""
    models = {"kimina": {"role": "prover", "calls": 3 + i % 7, "samples": cost["samples"], "prompt_tokens": 1000,
                         "completion_tokens": cost["tokens"] - 1000, "money": cost["money"], "estimated": False},
              "gemini": {"role": "reasoner", "calls": 1 + i * i % 90, "samples": 1, "prompt_tokens": 5000 * (1 + i % 30),
                         "completion_tokens": 700, "money": 0, "estimated": False}}
    return {"problem": name, "run": 1, "outcome": outcome, "sha256": "0" * 64, "attempts": int(outcome != "invalid"),
            "proved": proved, "proof": proof, "attempt": "" if proved else "intro x\nsorry\n-- ⊢ x < y",
            "message": "" if proved else "no proof within the time limit", "axioms": ["propext"] * proved, "cost": cost,
            "to_proof": cost if proved else None, "seed": i, "ended": f"2026-08-01T{12 + i // 60 % 12:02}:{i % 60:02}:00Z",
            "models": models, "models_to_proof": models if proved else None,
            "checks_to_proof": 1 + i * 5 % 300 if proved else None,
            "lean_by_role": {"file": {"checks": 2, "lean_seconds": 0.25}, "prover": {"checks": 300, "lean_seconds": 30.25}}}


def names_of(count):
    return [HOSTILE if i == 0 else f"mathd_algebra_{i}" for i in range(count)]


def is_blank(png):
    """Whether nearly all of a screenshot has the same colour."""
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", png[at + 8:at + 18])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    raw = zlib.decompress(data)
    # In a plain picture, all filtered rows except the first are zeros.
    return depth != 8 or width * height == 0 or sum(map(bool, raw)) < 0.002 * len(raw)


@unittest.skipIf(chromium.PROGRAM is None, "Chromium is not installed (Debian: apt install chromium)")
class Report(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.reports = {count: cls.report(count, map(result, range(count), names_of(count))) for count in (1, 60, 1000)}
        cls.browser = chromium.Chromium()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def report(cls, count, results):
        names, results = names_of(count), list(results)
        folder = cls.folder / f"{count}" / "shard-1"
        (folder / "proofs").mkdir(parents=True)
        (folder / "eval.json").write_text(json.dumps({
            "setup": {"dataset": {"name": "miniF2F-test"}, "zermelo": {"version": "0.1.0", "commit": "a" * 40}},
            "parameters": {"strategy": "auto", "budget": "16x6400", "lean": "4.28.0", "seed": 1},
            "runs": 1, "shard": 0, "shards": 1, "models": "kimina", "independent_attempts": True,
            "problems": [problem(i, name) for i, name in enumerate(names)]}), encoding="utf-8")
        (folder / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in results), encoding="utf-8")
        (folder / "sessions.jsonl").write_text('{"seconds": 5400}\n', encoding="utf-8")
        for r in results:
            if r["proved"]:
                name = "".join(c if c.isalnum() or c in "_-.'" else f"%{ord(c):02X}" for c in r["problem"])
                (folder / "proofs" / f"{name}.lean").write_text("-- proof\n", encoding="utf-8")
        run = cls.zermelo("eval", "merge", folder)
        assert run.code == 0, run
        return cls.folder / f"{count}" / "report.html"

    def look(self, count, width, dark=False):
        """Opens a report and checks that it is free of errors at this size."""
        page = self.browser
        page.open(self.reports[count], width, dark=dark)
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.requests(), [], "it loads nothing from elsewhere")
        page.wait_for("document.title.includes('miniF2F-test')")  # it is set after the page has been painted
        self.assertLessEqual(page.ask("document.scrollingElement.scrollWidth"), width, "it scrolls sideways")
        pictures = page.ask("[...document.querySelectorAll('svg')].map(s => [s.getBoundingClientRect().width,"
                            " s.querySelectorAll('path, rect').length])")
        self.assertEqual(len(pictures), 8 + (count > 1), "one result has no time")
        for drawn_width, shapes in pictures:
            self.assertGreater(drawn_width, min(width, 400) * 0.6)
            self.assertGreater(shapes, 0)
        png = page.picture()
        self.assertFalse(is_blank(png))
        name = f"report-{count}-{width}{'-dark' if dark else ''}"
        self.keep(name)
        page.ask("document.querySelector('.charts').scrollIntoView()")
        self.keep(f"{name}-charts")
        page.ask("document.querySelector('#tools').scrollIntoView();"
                 "document.querySelectorAll('.problem')[Math.min(1, document.querySelectorAll('.problem').length - 1)].open = true")
        self.keep(f"{name}-problems")

    def test_it_is_complete_at_every_size(self):
        for count in self.reports:
            for width in (PHONE, TABLET, DESKTOP):
                with self.subTest(problems=count, width=width):
                    self.look(count, width)
        self.look(60, DESKTOP, dark=True)
        self.assertEqual(self.browser.ask("getComputedStyle(document.body).backgroundColor"), "rgb(20, 22, 26)")

    def test_it_filters_and_sorts(self):
        page = self.browser
        page.open(self.reports[1000], DESKTOP)
        shown = "[...document.querySelectorAll('.problem')].filter(p => !p.hidden)"
        def choose(control, value):
            page.ask(f"document.getElementById('{control}').value = {json.dumps(value)};"
                     f"document.getElementById('{control}').dispatchEvent(new Event('input'))")
            return page.ask(f"{shown}.length")
        self.assertEqual(choose("find", ""), 1000)
        self.assertEqual(choose("find", "ALGEBRA_99"), 11)
        self.assertEqual(page.ask("document.getElementById('shown').textContent"), "11 of 1000")
        choose("find", "")
        self.assertEqual(choose("outcome", "invalid"), 52)
        choose("outcome", "")
        self.assertEqual(choose("category", "IMO"), 167)
        choose("category", "")
        samples = f"{shown}.map(p => +p.dataset.samples)"
        page.ask("document.querySelector('button[data-key=samples]').click()")
        up = page.ask(samples)
        self.assertEqual(up, sorted(up))
        page.ask("document.querySelector('button[data-key=samples]').click()")
        down = page.ask(samples)
        self.assertEqual(down, sorted(up, reverse=True))
        self.assertEqual(page.complaints(), [])

    def test_a_hostile_name_is_only_text(self):
        page = self.browser
        page.open(self.reports[1], DESKTOP)
        self.assertNotEqual(page.ask("document.title"), "hacked")
        self.assertEqual(page.ask("document.querySelector('.problem span').textContent"), HOSTILE)
        self.assertEqual(page.ask("[...document.scripts].map(s => s.type)"), ["application/json", ""], "data, then the script")
        # An injected script would not run anyway: the policy allows only one script.
        page.ask("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
        self.assertIsNone(page.ask("window.ran"))

    def test_figures_and_charts_have_the_right_numbers(self):
        results = [result(0, name) for name in names_of(4)]
        for minute, (row, samples, lines) in enumerate(zip(results, (1, 10, 100, 1125), (1, 9, 0, 0))):
            row["ended"] = f"2026-08-01T12:0{minute}:00Z"
            row["cost"] = {"seconds": 12.25, "samples": samples, "tokens": 0, "money": 1.0625}
            row["to_proof"], row["proof"] = (row["cost"], "omega\n" * lines) if lines else (None, "")
            if not lines:
                row.update(outcome="unproved", proved=0)
        page = self.browser
        page.open(self.report(4, results), DESKTOP)
        def texts(selector):
            return page.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")
        self.assertEqual(texts("#tiles b")[:2], ["2 / 4", "50.0 %"])
        self.assertEqual(texts("#categories tbody tr:first-child td"), ["IMO", "1/1", "100.0 %", "", "0"])
        self.assertEqual(texts("#roles tbody tr:nth-child(1) td")[:3], ["reasoner", "gemini", "4"])
        self.assertEqual(texts("#roles tbody tr:nth-child(2) td")[:4], ["prover", "kimina", "12", "4"])
        self.assertEqual(texts("#lean tbody td"), ["file", "8", "1.0 s", "2.0", "0.2 s", "prover", "1.2k", "2.0 min", "300.0", "30.2 s"])
        self.assertEqual(texts(".legend")[0], "proverreasonerall roles")
        calls = page.ask("[...document.querySelectorAll('.legend')].map(l => l.parentElement.querySelectorAll('path').length)")
        self.assertEqual(calls, [3, 3], "a curve for each role and one for their sum")
        # A tie is rounded to the even digit, as everywhere in Zermelo.
        self.assertEqual(texts("#problems > :last-child summary span")[3:], ["1.12k", "0", "$1.062", "12.2 s", "0"])
        curve, = page.ask("[...document.querySelector('.chart').querySelectorAll('path')].map(p => p.getAttribute('d'))")
        self.assertRegex(curve, r"^M46\.0 208\.0H46\.0V110\.0H\d+\.\dV12\.0H428\.0$")
        self.assertEqual(texts(".chart:last-child svg text")[::2], ["1", "2", "3–4", "5–8", "9–16", "lines of the proof"])
        solved, = page.ask("[...document.querySelectorAll('.chart')].filter(c => c.textContent.startsWith('Solved over time'))"
                           ".map(c => c.querySelector('path').getAttribute('d'))")
        self.assertRegex(solved, r"^M46\.0 208\.0H46\.0V159\.0H173\.3V110\.0H428\.0$")
        self.assertEqual(page.complaints(), [])

    def changed(self, name, change):
        """The report with 60 problems after a change of its evaluation, and what the change returns."""
        head, rest = self.reports[60].read_text(encoding="utf-8").split(' id="data">', 1)
        data, tail = rest.split("</script>", 1)
        data = json.loads(data)
        returned = change(data["evaluation"])
        page = self.folder / f"{name}.html"
        safe = json.dumps(data).replace("<", "\\u003c")
        page.write_text(f'{head} id="data">{safe}</script>{tail}', encoding="utf-8")
        return page, returned

    def test_of_a_hundred_thousand_problems_only_those_in_view_are_in_the_document(self):
        def grow(evaluation):
            known = evaluation["problems"]
            evaluation["problems"] = [{**one, "problem": {**one["problem"], "name": f"p{i}"}}
                                      for i in range(100_000) for one in [known[i % len(known)]]]
        page, (many, _) = self.browser, self.changed("problems", grow)
        first = "document.querySelector('.problem span').textContent"
        focus = "document.activeElement.matches('summary') ? document.activeElement.firstChild.textContent : document.activeElement.tagName"
        def press(key, expected):
            page.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode={"Tab": 9}.get(key, 0))
            wait_until(lambda: page.ask(focus) == expected, 60, f"{key}: {expected} and not {page.ask(focus)}")
        for width, dark in ((PHONE, True), (TABLET, False), (DESKTOP, False)):
            page.open(many, width, dark=dark)
            page.ask("document.querySelector('#tools').scrollIntoView()")
            wait_until(lambda: page.ask("document.querySelectorAll('.problem').length") > 15, 60, "the rows in view")
            self.assertLess(page.ask("document.querySelectorAll('.problem').length"), 100)
            self.assertEqual(page.ask("(r => [r.role, r.ariaSetSize, r.ariaPosInSet, r.parentElement.role])(document.querySelectorAll('.row')[7])"),
                             ["listitem", "100000", "8", "list"])
            page.ask("document.querySelectorAll('.problem')[1].open = true")
            apart = "(r => r.slice(1).filter((b, i) => Math.abs(b.top - r[i].bottom) > 0.6).length)([...document.querySelectorAll('.row')].map(r => r.getBoundingClientRect()))"
            wait_until(lambda: page.ask("document.querySelector('.problem[open] pre') !== null") and page.ask(apart) == 0, 60, "no row lies on another")
            self.keep(f"problems-{width}")
            page.ask("document.querySelector('.problem summary').focus()")
            press("End", "p99999")
            press("ArrowUp", "p99998")
            press("Home", "p0")
            press("ArrowDown", "p1")
            press("Tab", "BUTTON")  # inside the open row
            page.ask("document.querySelectorAll('.problem summary')[2].focus()")
            for i in range(3, 60):
                press("Tab", f"p{i}")
            box = page.ask("(b => [b.top, b.bottom])(document.activeElement.getBoundingClientRect())")
            self.assertTrue(0 < box[0] < box[1] <= 900, f"Tab moves through all rows, and the one with the focus is in view: {box}")
            page.ask("document.querySelector('main').scrollTop = 500_000")
            wait_until(lambda: page.ask("document.querySelectorAll('.row')[3].ariaPosInSet > 1000"), 60, "other rows")
            self.assertEqual(page.ask(focus), "p59", "a row keeps the focus out of view")
            self.assertLess(page.ask("document.querySelectorAll('.problem').length"), 100)
            page.ask("document.querySelector('#find').value = '9999'; document.querySelector('#find').dispatchEvent(new Event('input'))")
            wait_until(lambda: page.ask(first) == "p9999", 60, "the first hit")
            self.assertEqual(page.ask("document.getElementById('shown').textContent"), "19 of 100000")
            self.assertEqual(page.ask("document.querySelectorAll('.problem').length"), 19)
            self.assertEqual(page.complaints(), [])
            self.assertLessEqual(page.ask("document.scrollingElement.scrollWidth"), width, "it scrolls sideways")

    def keep(self, name):
        if folder := os.environ.get("KEEP_PICTURES"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            pathlib.Path(folder, f"{name}.png").write_bytes(self.browser.picture())

    def test_a_curve_of_many_points_is_drawn(self):
        """150,000 points are more than a call can have arguments."""
        count = 150_000
        def grow(evaluation):
            for role in evaluation["summary"]["curves"]["roles"]:
                role["tokens"] = [[i, round(i / count, 6)] for i in range(count)]
            return len(evaluation["summary"]["curves"]["roles"])
        page = self.browser
        many, roles = self.changed("many", grow)
        page.open(many, DESKTOP)
        self.assertEqual(page.complaints(), [])
        name, points, ticks = page.ask("""(() => { const picture = document.querySelector('svg[aria-label*="tokens by role"]');
            return [picture.ariaLabel, [...picture.querySelectorAll('path')].map(p => p.getAttribute('d').split('V').length - 1),
                    [...picture.querySelectorAll('text')].map(t => t.textContent)]; })()""")
        self.assertEqual(name, "Pass rate against tokens by role: 100.0 % at 150k")
        self.assertEqual(points, [count] * roles)
        self.assertEqual(ticks[6:-1], ["1", "10", "100", "1k", "10k", "100k"], "from the smallest cost that is not 0 to the largest")

    def test_trouble_ends_with_the_next_answer(self):
        self.report(6, [result(i, name) for i, name in enumerate(names_of(6))])
        view = self.start("view", self.folder / "6", "--no-browser")
        view.wait_for("until Ctrl-C")
        self.addCleanup(view.process.terminate)
        page, alert = self.browser, "document.querySelector('[role=alert]') !== null"
        self.addCleanup(page.hurry())
        page.open("about:blank", DESKTOP)
        page.open(view.out.strip(), DESKTOP)
        wait_until(lambda: page.ask("document.querySelector('#tiles') !== null"), 30, "the evaluation")
        self.assertFalse(page.ask(alert))
        self.addCleanup(page.go_offline, False)
        page.go_offline(True)
        wait_until(lambda: page.ask(alert), 30, "a look that fails")
        self.assertTrue(page.ask("document.querySelector('#tiles') !== null"), "what is known stays")
        page.go_offline(False)
        wait_until(lambda: not page.ask(alert), 30, "a look that succeeds")

    def test_an_evaluation_is_watched_behind_its_key(self):
        results = [result(i, name) for i, name in enumerate(names_of(5))]
        self.report(5, results)
        folder = self.folder / "5"
        log = folder / "results.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
        log.write_text("".join(lines[:2]), encoding="utf-8")
        view = self.start("view", folder, "--no-browser")
        view.wait_for("until Ctrl-C")
        self.addCleanup(view.process.terminate)
        page, address = self.browser, view.out.strip()
        page.open(address.split("#")[0], DESKTOP)
        wait_until(lambda: page.ask("document.querySelector('input[type=password]') !== null"), 30, "the question for the key")
        self.assertNotIn("miniF2F", page.ask("document.body.innerText"))
        page.open("about:blank", DESKTOP)
        page.open(address, DESKTOP)
        tile = "document.querySelector('#tiles b')?.textContent"
        wait_until(lambda: page.ask(tile) == "2 / 5", 30, "the first results")
        self.assertIn("warn", page.ask("document.getElementById('first').className"), "it is not complete")
        log.write_text("".join(lines), encoding="utf-8")
        wait_until(lambda: page.ask(tile) == "3 / 5", 30, "the other results")
        self.assertEqual(page.complaints(), [])

    def test_what_is_no_evaluation_is_a_usage_error(self):
        self.assert_ends(self.zermelo("view", self.folder, "--no-browser"), 2, "eval.json")
        self.assert_ends(self.zermelo("view", "nowhere", "--no-browser"), 2, "neither the number of a run nor a folder")

    def test_every_problem_shows_its_proof_or_its_best_attempt(self):
        page = self.browser
        page.open(self.reports[60], PHONE)
        missing = page.ask("[...document.querySelectorAll('.problem')].filter(p => p.dataset.outcome != 'invalid' &&"
                           " ![...p.querySelectorAll('h3')].some(h => /Proof|Best attempt/.test(h.textContent))).length")
        self.assertEqual(missing, 0)


if __name__ == "__main__":
    if chromium.PROGRAM is None:
        skip("Chromium is not installed (Debian: apt install chromium)")
    main()
