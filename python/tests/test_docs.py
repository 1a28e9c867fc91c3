"""The examples of docs/python.md do what the page says."""
import contextlib
import io
import os
import re

from support import ROOT, ServerTest

DOCUMENT = (ROOT / "docs/python.md").read_text(encoding="utf-8")


class Document(ServerTest):
    def test_every_example_runs_in_the_order_of_the_page(self):
        self.write("Basic.lean", re.search(r"^```lean\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)[1])
        examples = re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(examples), 5)
        os.environ.update(ZERMELO_URL=self.url, ZERMELO_API_KEY="secret")
        names = {}
        for example in examples:
            with self.subTest(example.splitlines()[0]), contextlib.redirect_stdout(io.StringIO()):
                exec(example.replace("http://localhost:8000", self.url), names)
