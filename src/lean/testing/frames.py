"""The frames of the Language Server Protocol on stdin and stdout, for the fakes of Lean."""

import json
import os


def read(stream):
    """The next message; None at the end of the stream. ValueError: a frame without a length."""
    length = None
    while True:
        line = stream.readline()
        if not line:
            return None
        if line == b"\r\n":
            break
        name, _, value = line.partition(b": ")
        if name == b"Content-Length":
            length = int(value)
    if length is None:
        raise ValueError("a frame without a length")
    return json.loads(stream.read(length))


def write(body):
    """Sends bytes as they are, anything else as JSON."""
    body = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    data = b"Content-Length: %d\r\n\r\n" % len(body) + body
    while data:
        data = data[os.write(1, data):]
