"""Faults of model servers, by name.

Instead of an answer: 400 401 429 429:SECONDS (Retry-After) 429-date (Retry-After as a date)
429-reset:DURATION (OpenAI's headers) 429-array:DURATION (Gemini's body) 429-quota 500 503 (loading)
refused reset close stall empty html error-200 array-200 fastapi-422
In the answer: invalid-json wrong-types empty-choices no-choices
After the headers: late-body (a second of silence)
In the middle: half (the connection closes) half-stall (silence) half-garbage (not JSON)
"""
import asyncio
import copy
import email.utils
import json
import random
import time

PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
REFUSED_SECONDS = 0.1
LATE_SECONDS = 1


class Faults:
    def __init__(self, chances, seed):
        self.chances, self.random, self.next = chances, random.Random(seed), []

    def pick(self):
        if self.next:
            return self.next.pop(0)
        draw = self.random.random()
        for name, probability in self.chances:
            draw -= probability
            if draw < 0:
                return name
        return ""


def error(message, code, kind="error"):
    return {"error": {"message": message, "type": kind, "code": code}}


def too_many(name, argument):
    """(body, headers)"""
    body, headers = error("Rate limit reached", "rate_limit_exceeded", "requests"), []
    if name == "429" and argument:
        headers = [f"Retry-After: {argument}"]
    elif name == "429-date":
        headers = [f"Retry-After: {email.utils.formatdate(time.time() + 1, usegmt=True)}"]
    elif name == "429-reset":
        headers = ["x-ratelimit-remaining-requests: 0", f"x-ratelimit-reset-requests: {argument}",
                   "x-ratelimit-remaining-tokens: 149984", "x-ratelimit-reset-tokens: 6m0s"]
    elif name == "429-array":
        body = [{"error": {"code": 429, "message": "Resource has been exhausted", "status": "RESOURCE_EXHAUSTED",
                           "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo",
                                        "retryDelay": argument}]}}]
    elif name == "429-quota":
        body = error("You exceeded your current quota", "insufficient_quota", "insufficient_quota")
    return body, headers


async def answer(fault, request, connection, server):
    """Answers instead of the model. Returns False for the faults that alter the model's answer."""
    name, _, argument = fault.partition(":")
    if name.startswith("429"):
        body, headers = too_many(name, argument)
        connection.send(429, body, headers=headers)
    elif name in ("400", "401", "404", "408", "409", "425", "500", "502"):
        connection.send(int(name), error(f"a fault with status {name}", int(name)))
    elif name == "503":
        connection.send(503, error("Loading model", 503, "unavailable_error"))
    elif name == "fastapi-422":
        connection.send(422, {"detail": [{"loc": ["body", "n"], "msg": "extra fields not permitted"}]})
    elif name == "refused":
        connection.reset()
        asyncio.ensure_future(server.refuse(REFUSED_SECONDS))
    elif name == "reset":
        connection.reset()
    elif name == "close":
        connection.close()
    elif name == "stall":
        await asyncio.sleep(3600)
    elif name == "empty":
        connection.send(200, b"")
    elif name == "html":
        connection.send(200, PAGE, content_type="text/html")
    elif name == "error-200":
        connection.send(200, error("CUDA out of memory", 500, "server_error"))
    elif name == "array-200":
        connection.send(200, [error("The model is overloaded", 503)])
    elif name == "invalid-json" and not request.fields.get("stream"):
        connection.send(200, b'{"choices": [{"text": "rfl')
    elif name == "invalid-json":
        connection.begin_stream()
        connection.send_event(b'{"choices": [{"te')
        connection.end_stream()
    else:
        return False
    return True


def twist(fault, reply):
    """Alters a reply, or an event of one, as this fault requires."""
    if fault == "wrong-types":
        reply = copy.deepcopy(reply)
        for choice in reply["choices"]:
            choice.update(index="zero", text=17, message="rfl", delta=["rfl"], finish_reason={})
    elif fault == "empty-choices":
        reply = {**reply, "choices": []}
    elif fault == "no-choices":
        reply = {"id": reply["id"], "object": "ok"}
    return reply


async def break_off(fault, connection):
    if fault == "half-stall":
        await asyncio.sleep(3600)
    if fault == "half-garbage":
        connection.send_event(json.dumps({"choices": [{"text": "rfl"}]})[:-9].encode())
        connection.end_stream()
        return
    connection.close()
