#!/usr/bin/env python3
"""A language model server for tests: OpenAI's HTTP interface, a table of proofs, and faults on demand.

    sim_model.py [--proofs FILE] [--spoil P] [--delay S] [--token-delay S] [--fault NAME=P]… [more]

Answers /v1/completions, /v1/chat/completions (streamed or not), /v1/embeddings and /v1/models. It
listens on a free port of 127.0.0.1, prints {"port": N} and exits when its standard input closes.

An answer (answers.py) depends only on the prompt, the seed and the choice's index, so a repeated
request gets the same answer; without a seed, it also depends on the number of the request.

A fault (faults.py) affects the answer to a request: at random (--fault NAME=P, seeded), or in order for
the next requests (POST /sim/faults ["429:1", "half", ""]; "" is no fault). GET /sim/log returns the
requests and how they ended, GET /sim/connections the number of open connections.
"""
import argparse
import asyncio
import json
import os
import ssl
import subprocess
import sys
import tempfile

import answers
import faults

JSON = "application/json"
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


def error_body(status, message, **more):
    return {"error": {"message": message, "type": "error", "code": status, **more}}


class Refused(Exception):
    def __init__(self, status, message, **more):
        super().__init__(message)
        self.status, self.body = status, error_body(status, message, **more)


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.fields = {}

    def parse(self):
        try:
            self.fields = json.loads(self.body)
        except ValueError:
            raise Refused(400, "the body is not JSON") from None


class Connection(asyncio.Protocol):
    """One client: its requests in order, each answered by a task that is cancelled with the connection."""

    def __init__(self, server):
        self.server, self.buffer, self.task, self.transport = server, b"", None, None

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections.add(self)

    def connection_lost(self, _):
        self.server.connections.discard(self)
        if self.task:
            self.task.cancel()

    def data_received(self, data):
        self.buffer += data
        self.take_request()

    def take_request(self):
        head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if not separator or self.task:
            return
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        path = target.split("://", 1)[-1].partition("/")[2] if "://" in target else target[1:]
        request = Request(method, "/" + path, {**headers, "target": target}, rest[:length])
        self.task = asyncio.ensure_future(self.answer(request))

    async def answer(self, request):
        try:
            await self.server.answer(request, self)
        finally:
            self.task = None
        if not self.transport.is_closing():
            self.take_request()

    # Parts of answers.

    def send(self, status, body, content_type=JSON, headers=(), cut=None):
        """Sends a whole reply, or only the first `cut` bytes of its body."""
        body = json.dumps(body).encode() if not isinstance(body, bytes) else body
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", f"Content-Type: {content_type}",
                 f"Content-Length: {len(body)}", *headers]
        self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body[:cut])

    def begin_stream(self):
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                             b"Transfer-Encoding: chunked\r\n\r\n")

    def send_event(self, data):
        event = b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"
        self.transport.write(b"%x\r\n%s\r\n" % (len(event), event))

    def end_stream(self):
        self.transport.write(b"0\r\n\r\n")

    def close(self):
        self.transport.close()

    def reset(self):
        self.transport.abort()


class Server:
    def __init__(self, options):
        self.options = options
        self.model = answers.Model(options.proofs, options.spoil, options.seed, options.reasoning,
                                    options.script, options.sketches, options.rules)
        self.faults = faults.Faults(options.fault, options.fault_seed)
        self.connections, self.log, self.listener, self.port = set(), [], None, options.port

    async def listen(self):
        loop = asyncio.get_running_loop()
        self.listener = await loop.create_server(lambda: Connection(self), "127.0.0.1", self.port,
                                                 ssl=self.options.tls, backlog=4096)
        self.port = self.listener.sockets[0].getsockname()[1]

    async def refuse(self, seconds):
        """Stops listening for the given time; open connections stay open."""
        loop = asyncio.get_running_loop()
        for listening in self.listener.sockets:
            loop.remove_reader(listening)
        await asyncio.sleep(0)  # otherwise asyncio loses connections that it accepted just before a close
        self.listener.close()
        await asyncio.sleep(seconds)
        await self.listen()

    async def answer(self, request, connection):
        if request.path.startswith("/sim/"):
            connection.send(200, self.control(request))
            return
        entry = {"method": request.method, "path": request.path, "headers": request.headers, "fault": "",
                 "tokens": 0, "end": "open"}
        if self.options.log:
            self.log.append(entry)
        try:
            await self.serve(request, connection, entry)
            entry["end"] = "answered"
        except Refused as refusal:
            connection.send(refusal.status, refusal.body)
            entry["end"] = "refused"
        except asyncio.CancelledError:
            entry["end"] = "closed by the client"
            raise

    def control(self, request):
        if request.path == "/sim/log":
            return self.log
        if request.path == "/sim/connections":
            return len(self.connections) - 1  # without this one
        self.faults.next.extend(json.loads(request.body))
        return "ok"

    async def serve(self, request, connection, entry):
        self.check_key(request)
        if request.path == "/v1/models":
            entry = {"id": self.options.model, "object": "model"}
            if self.options.context:
                entry["max_model_len"] = self.options.context
            connection.send(200, {"object": "list", "data": [entry]})
            return
        request.parse()
        entry["body"] = request.fields
        entry["fault"] = fault = self.faults.pick()
        self.check_fields(request)
        if self.options.delay:
            await asyncio.sleep(self.options.delay)
        if fault and await faults.answer(fault, request, connection, self):
            return
        if request.path == "/v1/embeddings":
            connection.send(200, answers.embeddings(request.fields))
            return
        generation = self.model.generate(request.path, request.fields)
        if request.fields.get("stream"):
            await self.stream(generation, connection, entry, fault)
            return
        entry["tokens"] = generation.completion_tokens
        if self.options.token_delay:
            await asyncio.sleep(self.options.token_delay * generation.longest)
        body = json.dumps(faults.twist(fault, generation.reply(usage=not self.options.no_usage))).encode()
        if fault == "half":
            connection.send(200, body, cut=len(body) // 2)
            connection.close()
            return
        connection.send(200, body)

    async def stream(self, generation, connection, entry, fault):
        connection.begin_stream()
        if fault == "late-body":
            await asyncio.sleep(faults.LATE_SECONDS)
        events = list(generation.events())
        cut = len(events) // 2 if fault in ("half", "half-stall", "half-garbage") else len(events)
        for event in events[:cut]:
            if self.options.token_delay:
                await asyncio.sleep(self.options.token_delay)
            if connection.transport.is_closing():  # the client has closed the connection
                return
            if self.options.no_usage:
                event.pop("usage", None)
            connection.send_event(faults.twist(fault, event))
            entry["tokens"] += 1
        if cut < len(events):
            await faults.break_off(fault, connection)
            return
        if (generation.fields.get("stream_options") or {}).get("include_usage") and not self.options.no_usage:
            connection.send_event(generation.usage_event())
        connection.send_event(b"[DONE]")
        connection.end_stream()

    def check_key(self, request):
        key = self.options.key
        if key and request.headers.get("authorization") != f"Bearer {key}":
            raise Refused(401, "Incorrect API key provided")

    def check_fields(self, request):
        fields = request.fields
        for name in self.options.refuse:
            if name in fields:
                raise Refused(400, f'Invalid JSON payload received. Unknown name "{name}"')
        if fields.get("model") != self.options.model:
            raise Refused(404, f"The model `{fields.get('model')}` does not exist.")
        asked = fields.get("max_tokens") or fields.get("max_completion_tokens") or 16
        if self.options.context and asked >= self.options.context:
            raise Refused(400, f"This model's maximum context length is {self.options.context} tokens. However, "
                               f"you requested {asked} output tokens. Please reduce the length.")
        if request.path not in ("/v1/completions", "/v1/chat/completions", "/v1/embeddings"):
            raise Refused(404, "Not Found")


def make_certificate(folder):
    """An SSL context with a self-signed certificate for localhost."""
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True,
                   stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return certificate, context


def chance(text):
    name, _, probability = text.partition("=")
    return name, float(probability)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    parser.add_argument("--model", default="sim", help="name of the model; other names do not exist")
    parser.add_argument("--proofs", default=os.path.join(os.path.dirname(__file__), "proofs.jsonl"),
                        help="JSON lines of {name, statement, proof, before (lemmas)}, or {state, tactic} for step models")
    parser.add_argument("--rules", help="file of rules (rules.py) that answer every request instead of the proofs")
    parser.add_argument("--spoil", type=float, default=0, help="probability that a tactic is wrong")
    parser.add_argument("--script", help="file with the answers to the steps of Hilbert (hilbert.py)")
    parser.add_argument("--sketches", action="store_true", help="answer the prompts of hilbert, agent and sketch from the known proofs")
    parser.add_argument("--seed", type=int, default=0, help="seed for requests without one")
    parser.add_argument("--reasoning", choices=["reasoning", "reasoning_content"], help="send a thought first, in this field")
    parser.add_argument("--delay", type=float, default=0, help="seconds before each answer")
    parser.add_argument("--token-delay", type=float, default=0, help="seconds for each token")
    parser.add_argument("--fault", type=chance, action="append", default=[], help="probability of a fault, NAME=PROBABILITY")
    parser.add_argument("--fault-seed", type=int, default=0)
    parser.add_argument("--refuse", action="append", default=[], help="request field that is answered with status 400")
    parser.add_argument("--context", type=int, help="context length in tokens; reported by /models")
    parser.add_argument("--key", help="required API key")
    parser.add_argument("--no-usage", action="store_true", help="never report usage")
    parser.add_argument("--no-log", dest="log", action="store_false", help="keep no log (for long runs)")
    parser.add_argument("--tls", action="store_true", help="use TLS with a self-signed certificate")
    return parser.parse_args()


async def main():
    options = parse_options()
    with tempfile.TemporaryDirectory(prefix="sim-model-") as folder:
        ready = {}
        if options.tls:
            ready["certificate"], options.tls = make_certificate(folder)
        else:
            options.tls = None
        server = Server(options)
        await server.listen()
        print(json.dumps({"port": server.port, **ready}), flush=True)
        loop, closed = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(sys.stdin, lambda: os.read(0, 65536) or closed.set())
        await closed.wait()


if __name__ == "__main__":
    asyncio.run(main())
