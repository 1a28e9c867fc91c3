#!/usr/bin/env python3
"""Stands in for llama.cpp's llama-server: its arguments, environment, /health while it loads, and streamed chats.

FAKE_LLAMA: `broken` ends at once with an error; `mortal` ends after an answer; `taken` finds its port in use when it starts
first; `slow` never has loaded. FAKE_LLAMA_LOG: a file that gets a line for each start."""
import argparse
import http.server
import json
import os
import sys

parser = argparse.ArgumentParser()
for option in ("--model", "--host", "--port"):
    parser.add_argument(option, required=True)
arguments = parser.parse_args()
mode = os.environ.get("FAKE_LLAMA", "")
with open(os.environ["FAKE_LLAMA_LOG"], "a", encoding="utf-8") as log:
    log.write(f"{os.environ['LLAMA_ARG_CTX_SIZE']}/{os.environ['LLAMA_ARG_N_PARALLEL']} {os.path.basename(arguments.model)}\n")
with open(os.environ["FAKE_LLAMA_LOG"], encoding="utf-8") as log:
    starts = len(log.readlines())
if mode == "taken" and starts == 1:
    sys.exit("start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: " + arguments.port)
if mode == "broken":
    print("build: 1 (none)\nload_tensors: loading model tensors", file=sys.stderr)
    sys.exit("error loading model: tensor 'output.weight' is missing")
loading = 1 << 30 if mode == "slow" else 2  # requests that are told to wait


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        global loading
        loading -= self.path == "/health"
        if loading >= 0:
            return self.reply(503, b'{"error": {"message": "Loading model", "code": 503}}')
        return self.reply(200, b'{"status": "ok"}')

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Authorization") != "Bearer " + os.environ["LLAMA_API_KEY"]:
            return self.reply(401, b'{"error": {"message": "Invalid API Key", "code": 401}}')
        chunk = {"model": "tiny", "choices": [{"index": 0, "delta": {"content": "simp"}, "finish_reason": "stop"}],
                 "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
        self.reply(200, f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode(), "text/event-stream")
        if mode == "mortal":
            self.wfile.flush()
            os._exit(1)


http.server.ThreadingHTTPServer((arguments.host, int(arguments.port)), Handler).serve_forever()
