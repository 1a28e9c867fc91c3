#!/usr/bin/env python3
"""The page of runs in headless Chromium: recorded runs of every strategy at three sizes, a tree of 100,000 nodes, a run
that grows while the page looks at it, and hostile texts. KEEP_PICTURES=DIR saves the screenshots.
"""
import base64
import contextlib
import hashlib
import json
import lzma
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import time
import unittest

from testing import chromium
from testing.zermelo import ROOT, ZermeloTest, main, skip, wait_until

PHONE, TABLET, DESKTOP = 390, 768, 1280
HOSTILE = "</script><script>document.title='hacked'</script><img src=x onerror=document.title='hacked'>"
# A recorded run of each strategy, and the views that have something to show.
RUNS = {
    "rmaxts_steps_1": "tree proof costs events", "sg_mdp_steps_1": "tree proof costs",
    "best_first_bestfirst_1": "tree proof costs", "auto_kinds_1": "tree proof", "whole_proof_hard_3": "proof events",
    "hilbert_stories_1": "lemmas proof costs", "agent_two_1": "lemmas talk proof", "sketch_two_1": "lemmas talk costs",
}
LIMIT = 90.0  # generous: other tests run beside this one
# Frames, and seconds, while the pointer drags the tree about for two seconds.
PAN = """new Promise(done => {
  const canvas = document.querySelector('canvas'), box = canvas.parentElement.getBoundingClientRect();
  const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type,
    {pointerId: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true}));
  canvas.setPointerCapture = () => {};
  let frames = 0;
  send('pointerdown', 300, 300);
  const began = performance.now();
  const step = () => {
    frames++;
    send('pointermove', 300 + 80 * Math.sin(frames / 9), 300 + 60 * Math.cos(frames / 7));
    const seconds = (performance.now() - began) / 1000;
    if (seconds < 2) return requestAnimationFrame(step);
    send('pointerup', 300, 300);
    done([frames, seconds]);
  };
  requestAnimationFrame(step);
})"""

# Drags the tree from the first place to the last one, and waits until that is drawn.
DRAG = """new Promise(done => {
  const places = PLACES, canvas = document.querySelector('canvas'), box = canvas.parentElement.getBoundingClientRect();
  canvas.setPointerCapture = () => {};
  const send = (type, [x, y]) => canvas.dispatchEvent(new PointerEvent(type,
    {pointerId: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true}));
  send('pointerdown', places[0]);
  for (const place of places.slice(1)) send('pointermove', place);
  send('pointerup', places[places.length - 1]);
  requestAnimationFrame(() => requestAnimationFrame(() => done(0)));
})"""

# Zooms in until about 1,000 of 100,000 nodes are in view.
ZOOM = """(() => { const c = document.querySelector('canvas'), b = c.parentElement.getBoundingClientRect();
  for (let i = 0; i < 14; i++) c.dispatchEvent(new WheelEvent('wheel',
    {deltaY: -200, clientX: b.left + 400, clientY: b.top + 300, cancelable: true})); })()"""


def restored(path, name, folder="/recorded"):
    """A database with a recorded run of tests/golden."""
    with lzma.open(ROOT / "tests/golden/runs" / name / "database.sql.xz", "rt", encoding="utf-8") as file:
        script = file.read().replace("@FOLDER@", folder).replace("@LEAN@", "/lean")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.executescript(script)
    return path


def write_events(path, events, first=0):
    """Appends (kind, fields, answer) to run 1."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.executemany("INSERT INTO events (run, seq, at, kind, fields, answer) VALUES (1, ?, ?, ?, ?, ?)",
                             [(first + i, (first + i) / 1000, kind, json.dumps(fields), json.dumps(answer) if answer else "")
                              for i, (kind, fields, *rest) in enumerate(events) for answer in [rest[0] if rest else None]])


def invented(path, events, state="finished"):
    """A database whose only run has these events."""
    restored(path, "rmaxts_steps_1")
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM events")
        database.execute("UPDATE runs SET state = ?", (state,))
    write_events(path, events)
    return path


def begun(name="big"):
    return "theorem_begun", {"theorem": 0, "name": name, "line": 1}


def added(node, parent, tactic="simp", goals="⊢ p"):
    return "node_added", {"tree": 0, "node": node, "parent": parent, "tactics": tactic, "goals": goals}


def big_tree(nodes):
    """Events of a search with so many nodes, none deeper than about 30."""
    chance, depth, events = random.Random(1), [0], [begun()]
    for node in range(1, nodes):
        parent = chance.randrange(max(0, node - 4000), node)
        if depth[parent] > 28:
            parent = chance.randrange(node // 4 + 1)
        depth.append(depth[parent] + 1)
        if node % 4 == 0:
            events.append(("selected", {"tree": 0, "node": parent, "prefix": 0}))
        events.append(added(node, parent, f"simp [h{node}]", f"n : Nat\nh{node} : n = {node}\n⊢ n < {node}"))
        if node % 4 == 0:
            events.append(("backed_up", {"tree": 0, "node": node, "reward": 0.5, "prefix": 0, "last": node}))
    return events


@unittest.skipIf(chromium.PROGRAM is None, "Chromium is not installed (Debian: apt install chromium)")
class PageTest(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = chromium.Chromium()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.call("Page.navigate", url="about:blank")  # ends what the last test's page still asks for

    def until(self, expression, what=None):
        deadline = time.monotonic() + LIMIT
        while not self.browser.ask(f"!!({expression})"):  # an element has no value
            if time.monotonic() > deadline:
                self.fail(f"never: {what or expression}\n{self.browser.complaints()}\n{self.browser.ask('document.body.innerText')[:2000]}")
            time.sleep(0.03)

    def text(self, selector):
        return self.browser.ask(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def texts(self, selector):
        return self.browser.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def click(self, selector):
        self.browser.ask(f"document.querySelector({json.dumps(selector)}).click()")

    def fill(self, selector, value):
        self.browser.ask(f"""(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};
            e.dispatchEvent(new Event('input', {{bubbles: true}})); e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")

    def open_file(self, path, place="", width=DESKTOP, height=800, dark=False):
        self.browser.open(path, width, height, dark)
        self.browser.ask(f"location.hash = {json.dumps(place)}")
        self.until("document.querySelector('.head h1')")

    @classmethod
    def exported(cls, database):
        page = database.with_suffix(".html")
        run = cls.zermelo("runs", "show", "1", "--run-db", database, "--html", page)
        assert run.code == 0 and run.out == "", run
        return page

    def assert_whole(self, width):
        """No errors, nothing loaded, nothing beside the screen, something drawn."""
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [], "it loads nothing from elsewhere")
        self.assertLessEqual(self.browser.ask("document.scrollingElement.scrollWidth"), width, "it scrolls sideways")

    def keep(self, name):
        if folder := os.environ.get("KEEP_PICTURES"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            pathlib.Path(folder, f"{name}.png").write_bytes(self.browser.picture())


class Recorded(PageTest):
    """Recorded runs as files."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = {name: cls.exported(restored(cls.folder / f"{name}.db", name)) for name in RUNS}

    def test_every_strategy_at_every_size(self):
        for name, views in RUNS.items():
            for width, dark in ((PHONE, False), (TABLET, True), (DESKTOP, False)):
                self.browser.open(self.pages[name], width, 844 if width == PHONE else 800, dark)
                self.until("document.querySelector('.head h1')")
                for view in views.split():
                    with self.subTest(run=name, width=width, view=view):
                        self.click(f"#tab-{view}")
                        self.until(f"document.querySelector('.view.{view}')")
                        self.assert_whole(width)
                        self.assertGreater(len(self.text(f".view.{view}")), 40)
                        self.keep(f"{name}-{view}-{width}")

    def test_a_chosen_node_shows_its_state_and_how_it_was_reached(self):
        self.open_file(self.pages["rmaxts_steps_1"], "#view=tree&tree=0&node=3")
        self.until("document.querySelector('.node')")
        self.assertEqual(self.texts(".node .path li"), ["constructor", "· constructor", "· exact hp"])
        self.assertIn("⊢ q", self.text(".node pre"))
        self.assertEqual(self.texts(".node dd")[2], "3", "its depth")
        self.assertEqual(self.browser.ask("document.querySelector('.node').ariaLive"), "polite")

    def test_a_node_is_chosen_by_pointer_and_by_keyboard(self):
        self.open_file(self.pages["rmaxts_steps_1"], "#view=tree")
        self.browser.ask("""(() => { const c = document.querySelector('canvas'), b = c.parentElement.getBoundingClientRect();
            c.setPointerCapture = () => {};
            for (const t of ['pointerdown', 'pointerup']) c.dispatchEvent(new PointerEvent(t,
              {pointerId: 1, clientX: b.left + 24, clientY: b.top + b.height / 2, bubbles: true})); })()""")
        self.until("document.querySelector('.node h2')?.textContent.startsWith('Root')")
        for key, title in (("ArrowRight", "node 1"), ("ArrowRight", "node 2"), ("ArrowLeft", "node 1"), ("Home", "Root")):
            self.browser.ask("document.querySelector('canvas').focus()")
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
            self.until(f"document.querySelector('.node h2').textContent.startsWith({json.dumps(title)})", title)
        self.assertIn("node=0", self.browser.ask("location.hash"), "the address names the node")

    def test_the_slider_shows_an_earlier_moment(self):
        self.open_file(self.pages["rmaxts_steps_1"], "#view=tree&tree=0&node=0")
        self.until("document.querySelector('.node dd')")
        visits = int(self.texts(".node dd")[0])
        self.browser.ask("""(() => { const s = document.querySelector('.slider input'); s.value = 60;
            s.dispatchEvent(new Event('input', {bubbles: true})); })()""")
        self.until("location.hash.includes('at=60')")
        self.assertLess(int(self.texts(".node dd")[0]), visits)
        self.open_file(self.pages["rmaxts_steps_1"], "#view=tree&node=5&at=60")
        self.until("document.querySelector('.moment').textContent.startsWith('event 60 ')", "a link to a moment")
        self.assertIsNone(self.text(".node"), "node 5 does not exist yet")

    def test_lemmas_show_who_proved_them_and_what_refutes_the_false_ones(self):
        self.open_file(self.pages["sketch_two_1"], "#view=lemmas")
        labels = self.browser.ask("[...document.querySelectorAll('.card')].map(c => c.getAttribute('aria-label'))")
        self.assertEqual(labels, ["chain: proved", "bad: false", "one: proved", "two: proved", "three: proved"])
        self.browser.ask("document.querySelectorAll('.card')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.until("document.querySelector('.side h2').textContent.startsWith('bad')")
        self.assertIn("Counterexample", self.texts(".side h3"))
        self.assertIn("bad_is_false", self.texts(".side pre")[1])

    def test_the_conversation_about_a_lemma_is_beside_the_graph(self):
        def choose(name):
            self.browser.ask(f"""[...document.querySelectorAll('.card')].find(c => c.getAttribute('aria-label').startsWith('{name}:'))
                .dispatchEvent(new MouseEvent('click', {{bubbles: true}}))""")
            self.until(f"document.querySelector('.side h2').textContent.startsWith('{name}')")
        places = "(() => { const box = s => document.querySelector(s).getBoundingClientRect(), g = box('.split .main'), t = box('.side .talk');" \
                 " return [t.left >= g.right, t.top >= g.bottom]; })()"
        for width in (PHONE, TABLET, DESKTOP):
            self.open_file(self.pages["sketch_two_1"], "#view=lemmas", width)
            choose("chain")
            self.assertIsNone(self.text(".side .talk"), "nobody talked about the theorem itself")
            choose("one")
            self.assertEqual(self.texts(".side .choice option"), ["one · one 0.0 (6)"])
            self.assertEqual(len(self.texts(".side .talk .message")), 6)
            beside, below = self.browser.ask(places)
            self.assertTrue(beside if width == DESKTOP else below, width)
            self.assert_whole(width)
            self.keep(f"lemma-talk-{width}")
        self.open_file(self.pages["sketch_two_1"], "#view=lemmas&at=39")
        choose("one")
        self.assertEqual(self.texts(".side .talk .message"), [], "it has not begun at that moment")
        self.open_file(self.pages["agent_two_1"], "#view=lemmas")
        choose("pow_step")
        self.assertRegex(self.text(".side .choice option"), r"^doubling · 0\.0 ")

    def test_proofs_name_their_kernels_and_axioms(self):
        self.open_file(self.pages["best_first_bestfirst_1"], "#view=proof")
        said = self.text(".theorem")
        self.assertIn("Kernels: Zermelo (accepted).", said)
        self.assertIn("No axioms.", said)
        self.assertIn("grind", "\n".join(self.texts(".theorem pre")))

    def test_the_state_is_shown_beside_the_tactic_at_the_cursor(self):
        text = "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor -- «\U0001d538»\n  · exact hp\n  · exact hq"
        def step(line, begin, end, before, following):
            return {"start": [line, begin], "end": [line, end], "depth": 0, "before": before, "next": following}
        steps = [step(2, 3, 14, "⊢ p ∧ q", 1), step(3, 3, 13, "⊢ p\n\n⊢ q", 3), step(3, 5, 13, "⊢ p", None),
                 step(4, 3, 13, "⊢ q", None)]
        database = restored(self.folder / "steps.db", "whole_proof_hard_3")
        with contextlib.closing(sqlite3.connect(database)) as opened, opened:
            opened.execute("UPDATE events SET fields = json_set(fields, '$.steps', json(?)) WHERE kind = 'proved'",
                           (json.dumps({"text": text, "steps": steps}),))
        page = self.exported(database)
        for width, dark in ((PHONE, False), (TABLET, True), (DESKTOP, False)):
            self.open_file(page, "#view=proof", width, dark=dark)
            self.until("document.querySelector('.cursor')")
            self.assertEqual(self.text(".cursor"), text)
            self.assertEqual(self.texts(".theorem:first-of-type .step.chosen"), ["constructor"])
            self.assertEqual([state.strip() for state in self.texts(".theorem:first-of-type .state pre")], ["⊢ p ∧ q", "⊢ p\n\n⊢ q"])
            self.browser.ask("document.querySelector('[data-step]').focus()")
            for key, expected in (("ArrowDown", "⊢ p\n\n⊢ q"), ("ArrowDown", "⊢ p"), ("End", "⊢ q"), ("ArrowUp", "⊢ p")):
                self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
                self.until(f"document.querySelector('.state pre').textContent.trim() === {json.dumps(expected)}", key)
            self.assertEqual(self.browser.ask("document.activeElement.dataset.step"), "2", "the focus moves along")
            self.assertEqual(self.text(".state"), "Before the tacticcopy⊢ p\nAfter itNo goals are left.")
            self.assertEqual(self.texts(".theorem:first-of-type .lean-comment"), ["-- «\U0001d538»"])
            self.click(".theorem:first-of-type [data-step='1']")
            self.assertEqual("".join(self.texts(".theorem:first-of-type .step.chosen")), "· exact hp", "with the tactic inside it")
            self.assert_whole(width)
            self.keep(f"steps-{width}")

    def test_costs_are_those_of_the_record(self):
        shown = self.zermelo("runs", "show", "1", "--json", "--run-db", self.folder / "sketch_two_1.db").json
        self.open_file(self.pages["sketch_two_1"], "#view=costs")
        rows = self.browser.ask("[...document.querySelectorAll('table')[0].querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual([row[0] for row in rows], [f"{role} (estimated)" for role in shown["roles"]])
        self.assertEqual([row[1] for row in rows], [str(spent["calls"]) for spent in shown["roles"].values()])

    def test_costs_are_shown_beside_the_budget_and_unknown_ones_are_not_zero(self):
        self.open_file(self.pages["rmaxts_steps_1"], "#view=costs")
        shown = self.zermelo("runs", "show", "1", "--json", "--run-db", self.folder / "rmaxts_steps_1.db").json
        samples = sum(role["samples"] for role in shown["roles"].values())
        self.assertIn(f"{samples} samples of models of 64", [" ".join(tile.split()) for tile in self.texts(".tile")])
        self.assertEqual(self.browser.ask("document.querySelectorAll('.tile progress')[1].max"), 64)
        database = invented(self.folder / "going_on.db", [begun("growing")], state="open")
        with contextlib.closing(sqlite3.connect(database)) as opened, opened:
            opened.execute("UPDATE runs SET result = ''")
        self.open_file(self.exported(database), "#view=costs")
        tiles = [" ".join(tile.split()) for tile in self.texts(".tile")]
        self.assertIn("? samples of models of 64", tiles)
        self.assertIn("? of Lean's time", tiles)


class Invented(PageTest):
    def test_hostile_texts_are_only_text(self):
        database = invented(self.folder / "hostile.db", [
            begun(HOSTILE), ("selected", {"tree": 0, "node": 0}), added(1, 0, HOSTILE, HOSTILE),
            ("message", {"task": HOSTILE, "by": HOSTILE, "role": HOSTILE, "content": HOSTILE, "calls": [{"name": HOSTILE, "arguments": HOSTILE}]}),
            ("blueprint", {"lemma": 0, "name": HOSTILE, "statement": HOSTILE, "status": HOSTILE, "depends": [], "reason": HOSTILE}),
            (HOSTILE, {HOSTILE: HOSTILE}, {"reply": HOSTILE}),
            ("proved", {"theorem": 0, "name": HOSTILE, "kernels": [{"kernel": HOSTILE, "verdict": HOSTILE}], "steps": {
                "text": HOSTILE, "steps": [{"start": [1, 1], "end": [1, 9], "depth": 0, "before": HOSTILE, "next": None}]}})])
        with contextlib.closing(sqlite3.connect(database)) as opened, opened:
            opened.execute("UPDATE runs SET file = ?", (f"/a/{HOSTILE}",))
            opened.execute("UPDATE theorems SET line = 1, name = ?, proof = ?, message = ?, status = ?", (HOSTILE,) * 4)
        page = self.exported(database)
        for view in ("tree&node=1", "lemmas", "proof", "talk", "costs", "events"):
            with self.subTest(view=view):
                self.open_file(page, f"#view={view}")
                self.browser.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
                time.sleep(0.1)
                self.assertNotEqual(self.browser.ask("document.title"), "hacked")
                self.assertEqual(self.browser.ask("document.images.length"), 0)
                self.assertEqual(self.browser.ask("[...document.scripts].map(s => s.type)"), ["application/json", ""])
                self.assertIn("onerror", self.browser.ask("document.body.innerText"))
                self.assert_whole(DESKTOP)
        # An injected script would not run anyway: the policy allows only one script.
        self.browser.ask("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
        self.assertIsNone(self.browser.ask("window.ran"))

    def test_a_hundred_thousand_nodes_stay_fluid(self):
        database = invented(self.folder / "big.db", big_tree(100_000))
        self.open_file(self.exported(database), "#view=tree")
        self.until("document.querySelector('select option')?.textContent.includes('(100,000)')")
        rates = {"all": self.pan()}
        self.keep("big-all")
        self.browser.ask(ZOOM)
        rates["1,000"] = self.pan()
        self.keep("big-1000")
        for shown, (rate, cpu) in rates.items():
            print(f"{shown} nodes in view: {rate:.1f} frames a second, {cpu:.1f} ms of processor time each ", end="")
            # `./zermelo bench page` measures; this is far above what a slow machine with other work needs.
            self.assertLess(cpu, 300, f"with {shown} nodes in view")
        self.assert_whole(DESKTOP)

    def test_panning_shows_what_drawing_again_shows(self):
        """The picture that moves with the pointer, and the one that is drawn in its place. All nodes are in view: edges to those
        far outside are left out of either."""
        self.open_file(self.exported(invented(self.folder / "pan.db", big_tree(100))), "#view=tree")
        self.until("document.querySelector('select option')?.textContent.includes('(100)')")
        def drag(*places):
            self.browser.ask(DRAG.replace("PLACES", json.dumps(places)))
        drag((300, 300), (301, 300))  # now the page does not fit the tree into its place any more
        pairs = []
        for by in ((70, 50), (-120, 90), (-40, -150)):
            drag((300, 300), (300 + by[0], 300 + by[1]))
            self.assertIn("translate", self.browser.ask("document.querySelector('canvas').style.transform"), "it has moved")
            moved = self.browser.picture()
            drag((300, 300), (700, 300))
            drag((700, 300), (300, 300))
            self.assertEqual(self.browser.ask("document.querySelector('canvas').style.transform"), "", "it is drawn again")
            pairs.append((moved, self.browser.picture()))
        self.browser.open("about:blank", DESKTOP)  # whose policy lets it read pictures
        for moved, drawn in pairs:
            self.assertEqual(self.different_pixels(moved, drawn), 0)
        self.assertGreater(self.different_pixels(pairs[0][1], pairs[1][1]), 1000, "there is something to see")

    def different_pixels(self, *pictures):
        """Those of two pictures whose colours differ by more than rounding at the edges of lines."""
        both = [base64.b64encode(picture).decode() for picture in pictures]
        return self.browser.ask(f"""(async () => {{
            const [a, b] = await Promise.all({json.dumps(both)}.map(async (text) => {{
              const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]));
              const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
              context.drawImage(picture, 0, 0);
              return context.getImageData(0, 0, picture.width, picture.height).data;
            }}));
            let different = 0;
            for (let i = 0; i < a.length; i++) if (Math.abs(a[i] - b[i]) > 16) different++;
            return different;
        }})()""")

    def pan(self):
        """Frames a second, and milliseconds of processor time for each."""
        before = self.browser.processor_seconds()
        frames, seconds = self.browser.ask(PAN)
        return frames / seconds, 1000 * (self.browser.processor_seconds() - before) / frames

    def test_one_node_and_no_events_are_shown_too(self):
        for name, events in (("one", [begun(), ("selected", {"tree": 0, "node": 0})]), ("none", [])):
            page = self.exported(invented(self.folder / f"{name}.db", events))
            for width in (PHONE, DESKTOP):
                self.open_file(page, "#view=tree", width)
                self.assert_whole(width)
                self.keep(f"{name}-{width}")

    def test_a_tree_has_the_name_of_the_strategy_that_the_record_names(self):
        def born(node, parent):
            return "node_added", {"node": node, "parent": parent, "tactic": f"apply h{node}", "goals": ["⊢ p"], "cost": 1}
        said = "strategy_begun", {"strategy": "my_search"}
        selected = "selected", {"node": 0, "cost": 0.5}
        for name, events in (("my_search", [begun("t"), said, selected, born(1, 0)]), ("best_first", [begun("t"), selected, born(1, 0)])):
            self.open_file(self.exported(invented(self.folder / f"{name}.db", events)), "#view=tree")
            self.until("document.querySelector('canvas')")
            self.assertIn(f"t · {name}", self.browser.ask("document.querySelector('canvas').getAttribute('aria-label')"))

    def test_arms_are_those_that_the_bandit_saw(self):
        arms = [{"arm": None, "w": 1.5, "n": 2, "score": 1.25, "pending": 1, "closed": False},
                {"arm": 1, "w": 0, "n": 0, "score": "inf", "pending": 0, "closed": True}]
        events = [begun(), added(1, 0), ("selected", {"tree": 0, "node": 1, "path": [{"node": 0, "arms": arms, "taken": 1}]})]
        self.open_file(self.exported(invented(self.folder / "arms.db", events)), "#view=tree&node=0")
        self.until("document.querySelector('.node table')")
        self.assertEqual(self.texts(".node td"), ["∅ expand here", "1.50", "2.00", "0.500", "1.250", "1", "", "node 1", "0.00", "0.00", "∞", "∞", "0", "closed"])
        self.assertEqual(self.texts(".node th"), ["arm", "W", "N", "bonus", "score", "pending", ""])


    def test_a_subgoal_has_its_own_cost(self):
        def subgoal(node, parent, name):
            return "subgoal", {"node": node, "parent": parent, "depth": 0 if parent is None else 1, "name": name, "statement": ": p"}
        def used(node, checks):
            return "subgoal_used", {"node": node, "calls": 2, "samples": 4, "tokens": 1200, "checks": checks, "lean_seconds": 2.5}
        events = [begun("t"), subgoal(0, None, "t"), ("sketch", {"node": 0, "attempt": 1, "refinement": 0, "tactics": "skip"}),
                  subgoal(1, 0, "t_h1"), ("subgoal_state", {"node": 1, "state": "proved", "why": "the prover"}), used(1, 5), used(1, 7)]
        self.open_file(self.exported(invented(self.folder / "used.db", events)), "#view=lemmas")
        self.until("document.querySelectorAll('.card').length == 2")
        self.assertNotIn("samples", self.texts(".side dt"), "the record does not say it of the theorem")
        self.browser.ask("document.querySelectorAll('.card')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.until("document.querySelector('.side h2').textContent.startsWith('t_h1')")
        shown = dict(zip(self.texts(".side dt"), self.texts(".side dd")))
        self.assertEqual(shown, {"reason": "the prover", "calls": "2", "samples": "4", "tokens": "1,200", "checks by Lean": "7", "Lean's time": "2.50 s"})

    def test_closed_nodes_are_open_again_in_another_pass(self):
        def selected(node):
            return "selected", {"node": node, "cost": 0.5, "candidate": 0, "retries": 0}
        def born(node, parent):
            return "node_added", {"node": node, "parent": parent, "tactic": f"apply h{node}", "goals": ["⊢ p"]}
        def closed(node):
            return "node_closed", {"node": node}
        events = [begun(), selected(0), born(1, 0), born(2, 0), closed(0), selected(1), closed(1), selected(2), closed(2), selected(1)]
        page = self.exported(invented(self.folder / "closed.db", events))
        # Before it is selected; while it is tried; when that has failed; in the next pass, begun by event 9.
        for node, at, state in ((1, 4, "open"), (1, 5, "selected"), (1, 6, "closed"), (2, 7, "selected"), (2, 8, "closed"), (2, 9, "selected"), (0, 8, "closed"), (0, 9, "selected")):
            with self.subTest(node=node, at=at):
                self.open_file(page, f"#view=tree&node={node}&at={at}")
                self.until("document.querySelector('.node h2 .soft')")
                self.assertEqual(self.text(".node h2 .soft"), state)
        self.assertIn("closed", self.text(".legend"))
        self.open_file(page, "#view=tree&at=8")
        drawn = self.colours_drawn()
        self.assertIn(self.browser.ask("getComputedStyle(document.documentElement).getPropertyValue('--closed').trim()"), drawn)

    def colours_drawn(self):
        """The opaque colours of the tree's canvas, as #rrggbb."""
        self.browser.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        return self.browser.ask("""(() => {
            const canvas = document.querySelector('canvas'), colours = new Set();
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            for (let i = 0; i < data.length; i += 4) colours.add('#' + [0, 1, 2].map(j => data[i + j].toString(16).padStart(2, '0')).join(''));
            return [...colours]; })()""")


class Live(PageTest):
    """`zermelo view`, with the run growing meanwhile."""

    def view(self, database, *arguments):
        run = self.start("view", *arguments, "--run-db", database, "--no-browser")
        run.wait_for("until Ctrl-C")
        self.addCleanup(run.process.terminate)
        return run, run.out.strip()

    @staticmethod
    def has_run(database):
        with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(database)) as opened:
            return opened.execute("SELECT count(*) FROM runs").fetchone()[0] > 0
        return False

    def test_a_run_is_shown_as_it_grows(self):
        database = invented(self.folder / "live.db", [begun("growing"), ("selected", {"tree": 0, "node": 0})], state="open")
        _, address = self.view(database)
        self.browser.open(address, DESKTOP)
        self.until("document.querySelector('.runs a')")
        self.assertNotIn("key=", self.browser.ask("location.href"), "the key does not stay in the address")
        self.click(".runs a")
        self.until("document.querySelector('.tabs')")
        self.click("#tab-tree")
        self.until("document.querySelector('option')?.textContent.includes('(1)')")
        write_events(database, [added(1, 0, "intro h"), added(2, 1)], first=2)
        self.until("document.querySelector('option').textContent.includes('(3)')", "the new nodes")
        write_events(database, [added(3, 2, "rfl", "")], first=4)
        self.until("document.querySelector('option').textContent.includes('(4)')")
        with contextlib.closing(sqlite3.connect(database)) as opened, opened:
            opened.execute("UPDATE runs SET state = 'finished'")
        self.until("document.querySelector('.head .status').textContent.includes('proved')", "the end of the run")
        self.assertEqual(self.browser.complaints(), [])
        self.keep("live")

    def test_costs_by_role_are_shown_while_the_run_goes_on(self):
        database = invented(self.folder / "costs.db", [begun("growing")], state="open")
        def use(first, checks, **roles):
            spent = {role: {"calls": calls, "samples": 4 * calls, "prompt_tokens": 1000 * calls, "completion_tokens": 10 * calls,
                            "dollars": calls / 4, "estimated": False} for role, calls in roles.items()}
            with contextlib.closing(sqlite3.connect(database)) as opened, opened:
                opened.execute("UPDATE runs SET result = ?", (json.dumps(
                    {"roles": spent, "checks": checks, "lean_seconds": checks / 2,
                     "lean_by_role": {"builtin": {"checks": checks, "lean_seconds": checks / 4},
                                      "prover": {"checks": 1, "lean_seconds": checks / 4}}}),))
            write_events(database, [("selected", {"tree": 0, "node": 0})], first)
        use(1, 3, prover=1)
        _, address = self.view(database, "1")
        rows = "[...document.querySelector('.costs table').querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent).join(' ')).join('; ')"
        for width, dark in ((PHONE, True), (TABLET, False), (DESKTOP, True)):
            self.browser.open("about:blank", width, 844 if width == PHONE else 800, dark)
            self.browser.open(f"{address}&view=costs", width, 844 if width == PHONE else 800, dark)
            self.until("document.querySelector('.costs tbody tr')")
            self.keep(f"live-costs-{width}")
            self.assertLessEqual(self.browser.ask("document.scrollingElement.scrollWidth"), width, "it scrolls sideways")
        self.assertEqual(self.browser.ask(rows), "builtin – – – – – 3 0.75 s; prover 1 4 1,000 10 $0.2500 1 0.75 s")
        use(2, 6, prover=2, reasoner=3)
        self.until(f"{rows} == 'builtin – – – – – 6 1.50 s; prover 2 8 2,000 20 $0.5000 1 1.50 s; reasoner 3 12 3,000 30 $0.7500 – –'",
                   "what was used meanwhile")
        tiles = [" ".join(tile.split()) for tile in self.texts(".tile")]
        self.assertIn("20 samples of models of 64", tiles)
        self.assertIn("$1.25 for models", tiles)
        self.assertIn("6 checks by Lean", tiles)
        self.assertIn("3.00 s of Lean's time", tiles)
        self.assertEqual(self.browser.complaints(), [])

    def test_a_page_catches_up_after_its_server_was_away(self):
        database = invented(self.folder / "away.db", [begun("growing"), added(1, 0)], state="open")
        server, address = self.view(database, "1")
        port = address.split(":")[2].split("/")[0]
        self.browser.open(f"{address}&view=tree", DESKTOP)
        self.until("document.querySelector('option')?.textContent.includes('(2)')")
        server.process.terminate()
        server.wait(20)
        self.until("document.querySelector('[role=alert]')?.textContent.includes('Not connected')")
        write_events(database, [added(2, 1)], first=2)
        _, address = self.view(database, "1", "--port", port)
        self.until("document.querySelector('input[type=password]')", "the new server has another key")
        self.fill("input", address.split("key=")[1])
        self.click("button[type=submit]")
        self.until("document.querySelector('option')?.textContent.includes('(3)')")

    def test_trouble_with_the_list_ends_with_the_next_answer(self):
        _, address = self.view(invented(self.folder / "list.db", [begun()]))
        self.addCleanup(self.browser.hurry())
        self.browser.open(address, DESKTOP)
        self.until("document.querySelector('.runs a') && !document.querySelector('[role=alert]')")
        self.addCleanup(self.browser.go_offline, False)
        self.browser.go_offline(True)
        self.until("document.querySelector('[role=alert]') && document.querySelector('.runs a')", "a look that fails")
        self.browser.go_offline(False)
        self.until("!document.querySelector('[role=alert]')", "a look that succeeds")

    def test_the_list_is_asked_for_again_only_after_the_answer(self):
        _, address = self.view(invented(self.folder / "slow.db", [begun()]))
        self.addCleanup(self.browser.hurry())
        self.browser.open(address, DESKTOP)
        self.until("document.querySelector('.runs a')")
        self.browser.ask("""  // jobs are asked for, too: once, after the list has been drawn
            window.asked = 0;
            window.fetch = (path) => { asked += path.startsWith('/api/runs?'); return new Promise(() => {}); };
            0""")
        self.until("asked > 0")
        self.browser.ask("new Promise(done => setTimeout(done, 15_000))")  # five times that between two looks
        self.assertEqual(self.browser.ask("asked"), 1)

    def test_a_later_verdict_may_have_fewer_steps(self):
        def verdict(*tactics):
            text = "\n".join(tactics)
            steps = [{"start": [i + 1, 1], "end": [i + 1, len(tactic) + 1], "depth": 0, "before": f"⊢ {tactic}", "next": None}
                     for i, tactic in enumerate(tactics)]
            return "proved", {"theorem": 0, "name": "one", "steps": {"text": text, "steps": steps}}
        database = invented(self.folder / "fewer.db", [begun("one"), verdict("intro", "simp", "omega")], state="open")
        with contextlib.closing(sqlite3.connect(database)) as opened, opened:
            opened.execute("UPDATE theorems SET name = 'one', line = 1, proof = 'omega'")
        _, address = self.view(database, "1")
        self.browser.open(f"{address}&view=proof", DESKTOP)
        self.until("document.querySelector('[data-step=\"2\"]')")
        self.click("[data-step='2']")
        self.until("document.querySelector('.step.chosen').textContent == 'omega'")
        write_events(database, [verdict("intro", "grind")], first=2)
        self.until("document.querySelector('.step.chosen')?.textContent == 'grind'", "the last step of the new verdict")
        self.assertEqual(self.text(".state pre").strip(), "⊢ grind")
        self.assertEqual(self.browser.complaints(), [])

    def test_without_the_key_there_are_no_data(self):
        database = invented(self.folder / "locked.db", [begun(HOSTILE)])
        _, address = self.view(database)
        self.browser.open(address.split("#")[0], DESKTOP)
        self.browser.ask("sessionStorage.clear()")
        self.browser.open(address.split("#")[0] + "?again", DESKTOP)
        self.until("document.querySelector('input[type=password]')")
        self.assertNotIn("Steps.lean", self.browser.ask("document.body.innerText"))
        self.fill("input", address.split("key=")[1])
        self.click("button[type=submit]")
        self.until("document.querySelector('.runs a')")

    def test_a_proof_by_real_lean_is_watched(self):
        file = self.write("real/Sum.lean", "theorem sum (a b : Nat) (h : a = b) : b + 0 = a ∧ True := by\n  sorry\n")
        database = self.folder / "real/.zermelo/runs.db"
        prove = self.start("prove", file, "--strategy", "best_first", "--workers", "1", "--no-premises", cwd=file.parent)
        wait_until(lambda: database.exists() and self.has_run(database), 120, "the run's record")
        _, address = self.view(database)
        self.browser.open(address, DESKTOP)
        self.until("document.querySelector('.runs a')")
        self.click(".runs a")
        self.assertEqual(prove.wait(120).code, 0, prove)
        self.until("document.querySelector('.head .status')?.textContent.includes('proved')")
        self.click("#tab-proof")
        self.until("document.querySelector('.theorem')?.textContent.includes('Zermelo (accepted)')")
        self.until("document.querySelector('.cursor')", "the proof with its states")
        self.assertIn("theorem sum", self.text(".cursor"))
        self.assertIn("⊢ b + 0 = a ∧ True", self.text(".state pre"))
        self.click("#tab-costs")
        self.until("/[1-9]\\d* checks by Lean/.test(document.querySelector('.tiles')?.textContent)")
        self.assertRegex(self.text(".tiles"), r"[1-9][\d.]* (s|min) of Lean's time|0\.\d*[1-9]\d* s of Lean's time")
        self.assertRegex(self.text(".costs table"), r"builtin–––––[1-9]")
        self.assertEqual(self.browser.complaints(), [])


class Started(PageTest):
    """Runs that the page of `zermelo serve` starts, with real Lean."""

    def test_runs_are_started_and_cancelled_behind_the_key(self):
        self.write("Part/Given.lean", "theorem given : 1 + 1 = 2 := by\n  sorry\n")
        (self.folder / "Linked.lean").symlink_to("/etc/hostname")
        server = self.start("serve", "--port", "0", "--workers", "1", "--project", self.folder, "--no-premises",
                            env={"ZERMELO_API_KEY": "secret"})
        server.wait_for("listening on")
        self.browser.open(re.search(r"listening on (\S+)", server.err)[1] + "/", DESKTOP)
        self.until("document.querySelector('input[type=password]')")
        self.fill("input", "secret")
        self.click("button[type=submit]")
        self.until("document.querySelector('.new-run')")
        self.click(".new-run summary")
        self.until("document.querySelector('#files option')", "the files of the project")
        offered = self.browser.ask("[...document.querySelector('.new-run input').list.options].map(o => o.value)")
        self.assertIn("Part/Given.lean", offered)
        self.assertNotIn("Linked.lean", offered)
        self.fill(".new-run textarea", "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n")
        self.fill(".new-run select", "best_first")
        self.click(".new-run button")
        self.until("document.querySelector('.runs .status.proved')", "the run is proved")
        self.until("document.querySelector('.new-run li').textContent.includes('finished')")
        self.keep("started")
        self.fill(".new-run textarea", "theorem u (f : Nat → Nat) (h : ∀ n, f n ≤ f (n + 1)) : f 7 = f 8 := by\n  sorry\n")
        self.click(".new-run button")
        self.until("document.querySelector('.new-run li:first-child a') && document.querySelector('.new-run li:first-child button')", "its number")
        # Without events, there would be nothing to resume, and cancelling would remove the run.
        self.until("document.querySelectorAll('.runs tbody tr').length == 2 &&"
                   " document.querySelector('.runs td:nth-child(6)').textContent != '0.00 s'", "its first events")
        self.click(".new-run li button")
        self.until("document.querySelector('.new-run li').textContent.includes('cancelled')")
        self.until("document.querySelector('.runs .status').textContent.includes('open')", "an open run, which can be resumed")
        self.fill(".new-run input", "Part/Given.lean")
        self.until("document.querySelector('.new-run textarea').disabled", "the file is proved in place of the text")
        self.click(".new-run button")
        self.until("document.querySelector('.runs tbody tr').textContent.includes('Given.lean') &&"
                   " document.querySelector('.runs tbody tr .status.proved')", "the file's run")
        server.process.terminate()
        self.assertEqual(server.wait(30).code, 0, server)


class Built(ZermeloTest):
    def test_the_committed_page_was_built_from_these_sources(self):
        web = ROOT / "web"
        files = [web / "build.mjs", web / "package-lock.json", *sorted((web / "src").iterdir())]
        sources = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        self.assertIn(f'<meta name="sources" content="{sources}">', (ROOT / "src/view/page.html").read_text(encoding="utf-8"),
                      "src/view/page.html is not what web/ builds: run `npm run build` there")

    def without_npm(self, why):
        """Rebuilding is a check of CI; elsewhere the sources' hash must do."""
        if os.environ.get("CI"):
            self.fail(why)
        self.skipTest(why)

    def test_a_rebuild_gives_the_same_bytes(self):
        """npm installs what the lock file names."""
        if shutil.which("npm") is None:
            self.without_npm("npm is not installed (Debian: apt install npm)")
        folder = self.folder / "web"
        shutil.copytree(ROOT / "web", folder, ignore=shutil.ignore_patterns("node_modules"))
        installed = subprocess.run(["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        if installed.returncode != 0:
            self.without_npm(f"npm cannot install the packages: {installed.stderr[-300:]}")
        for script in ("check", "build"):
            done = subprocess.run(["npm", "run", "-s", script, *(["--", "built.html"] if script == "build" else [])],
                                  cwd=folder, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((folder / "built.html").read_bytes(), (ROOT / "src/view/page.html").read_bytes(),
                         "src/view/page.html is not what web/ builds: run `npm run build` there")

    def test_the_lock_file_names_no_registry(self):
        self.assertNotIn('"resolved"', (ROOT / "web/package-lock.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    if chromium.PROGRAM is None:
        skip("Chromium is not installed (Debian: apt install chromium)")
    main()
