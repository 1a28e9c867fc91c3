#!/usr/bin/env python3
"""Recorded runs are executed again from their recorded answers of Lean and of models (docs/adr/0009), without a call
and without a clock: every decision, and the key of every request, must be the recorded one, in its order. What the
runs deliver is then verified by real Lean. `record.py` records them."""
import json
import lzma
import pathlib
import re
import sqlite3
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from testing.zermelo import LEAN, ZermeloTest, main  # noqa: E402

RUNS = HERE / "runs"
# Written after the search, or by the resumption itself.
AFTERWARDS = ("resumed", "search_ended", "proved", "failed", "interrupted")
# Other in every execution: what passed while Lean verified the file. Seconds of the search are replayed.
TIMES = re.compile(r'"(seconds|lean_seconds|verification_seconds|checked_in)": [0-9.e-]+')


def restore(folder, name):
    """The run's files and database in `folder`, as if the program had been killed after the search; its command."""
    described = json.loads((RUNS / name / "run.json").read_text(encoding="utf-8"))
    for file, text in described["files"].items():
        (folder / file).write_text(text, encoding="utf-8")
    with lzma.open(RUNS / name / "database.sql.xz", "rt", encoding="utf-8") as file:
        script = file.read().replace("@FOLDER@", str(folder)).replace("@LEAN@", str(LEAN))
    with sqlite3.connect(folder / "runs.db") as database:
        database.executescript(script)
        ended, = database.execute("SELECT min(seq) FROM events WHERE kind = 'search_ended'").fetchone()
        database.execute("DELETE FROM events WHERE seq > ?", (ended,))
        database.execute("DELETE FROM theorems")
        database.execute("UPDATE runs SET state = 'open', result = ''")
    return described


def events(folder):
    with sqlite3.connect(folder / "runs.db") as database:
        rows = database.execute("SELECT kind, fields, answer FROM events WHERE run = 1 ORDER BY seq").fetchall()
    return [row for row in rows if row[0] not in AFTERWARDS]


class RecordedRuns(ZermeloTest):
    def replay(self, name):
        folder = self.folder / name
        folder.mkdir()
        described = restore(folder, name)
        before = events(folder)
        run = self.zermelo("runs", "resume", "1", "--run-db", "runs.db", "--json", cwd=folder, limit=300)
        self.assertEqual(run.code, described["code"], run)
        self.assertEqual(events(folder), before, "the search continued where the record ends")
        result = TIMES.sub(r'"\1": 0', json.dumps(run.json, indent=1, ensure_ascii=False)).replace(str(folder), "@FOLDER@")
        self.compare(RUNS / name / "result.json", result.replace(str(LEAN), "@LEAN@") + "\n")

    def compare(self, path, text):
        if not path.exists():
            path.write_text(text, encoding="utf-8")
            self.fail(f"there was no {path.name}; it is written, look at it")
        self.assertEqual(text, path.read_text(encoding="utf-8"))


    def assert_refused(self, name, change, *said):
        folder = self.folder / f"{name} changed"
        folder.mkdir()
        restore(folder, name)
        with sqlite3.connect(folder / "runs.db") as database:
            changed = database.execute(change).rowcount
        self.assertEqual(changed, 1)
        run = self.zermelo("runs", "resume", "1", "--run-db", "runs.db", "--json", cwd=folder)
        self.assert_ends(run, 2, "the run cannot be resumed", *said)

    def test_another_decision_is_noticed(self):
        first = "seq = (SELECT min(seq) FROM events WHERE kind = 'selected')"
        self.assert_refused("rmaxts_steps_1", f"""UPDATE events SET fields = '{{"node":99}}' WHERE {first}""", "99")

    def test_another_request_is_noticed(self):
        first = "seq = (SELECT min(seq) FROM events WHERE kind = 'generated')"
        self.assert_refused("hilbert_budget_1", f"UPDATE events SET fields = json_set(fields, '$.key', 'x') WHERE {first}",
                            "generated x")


def add_test(name):
    setattr(RecordedRuns, f"test_{name}", lambda self: self.replay(name))


for recorded in sorted(path.name for path in RUNS.iterdir()):
    add_test(recorded)

if __name__ == "__main__":
    main()
