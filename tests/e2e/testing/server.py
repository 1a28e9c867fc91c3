"""A `zermelo serve` for tests, and a client that returns exactly what it receives."""
import http.client
import json
import re
import urllib.parse

from .zermelo import ZermeloTest


class ServerTest(ZermeloTest):
    """Each class has one server, started with `arguments` and `env`."""

    arguments = ("--workers", "1")
    env = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.serve(*cls.arguments, env=cls.env)
        cls.url = cls.url_of(cls.server)

    @classmethod
    def serve(cls, *arguments, env=None):
        run = cls.start("serve", "--port", "0", *arguments, env=env)
        run.wait_for("listening on")
        return run

    @staticmethod
    def url_of(run):
        return re.search(r"listening on (\S+)", run.err)[1]

    def request(self, method, path, body=None, headers=None, limit=120, url=None):
        """(status, headers, JSON or text). `body` is sent as JSON unless it is bytes."""
        address = urllib.parse.urlsplit(url or self.url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=limit)
        self.addCleanup(connection.close)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        text = response.read().decode()
        is_json = response.headers["Content-Type"] == "application/json"
        return response.status, response.headers, json.loads(text) if is_json else text

    def post(self, path, body, **options):
        status, _, answer = self.request("POST", path, body, **options)
        self.assertEqual(status, 200, answer)
        return answer

    def check(self, *codes, **options):
        """The `results` of one batch, in order."""
        snippets = [{"id": str(i), "code": code} for i, code in enumerate(codes)]
        results = self.post("/api/check", {"snippets": snippets, **options})["results"]
        self.assertEqual([r["id"] for r in results], [s["id"] for s in snippets])
        return results

    @staticmethod
    def verdict(result):
        """The status that kimina-client's ReplResponse.analyze would return."""
        if "error" in result:
            return "timeout" if "timed out" in result["error"] else "server_error"
        response = result["response"]
        if any(m["severity"] == "error" for m in response.get("messages", [])):
            return "lean_error"
        return "sorry" if response.get("sorries") else "valid"
