"""Rewards for training provers, from a running `zermelo serve` (docs/verifier-api.md).

verl:  reward.custom_reward_function.path=examples/rewards/lean_rewards.py
       reward.custom_reward_function.name=compute_score
       with the statement, Lean code with a `sorry`, as each row's ground_truth
TRL:   GRPOTrainer(reward_funcs=lean_reward, ...) with a dataset column `statement`

ZERMELO_URL and ZERMELO_API_KEY say where the server is and the key that it wants.
"""
import json
import os
import time
import urllib.error
import urllib.request

URL = os.environ.get("ZERMELO_URL", "http://127.0.0.1:8000")
PATIENCE = 600.0  # seconds, for a server that is busy


def rewards(answers, statements):
    """1.0 for each answer that proves its statement, else 0.0."""
    headers = {"Content-Type": "application/json"}
    if "ZERMELO_API_KEY" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["ZERMELO_API_KEY"]
    body = json.dumps({"query": answers, "labels": statements}).encode()
    deadline = time.monotonic() + PATIENCE
    while True:
        request = urllib.request.Request(URL + "/get_reward", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return json.load(response)["rewards"]
        except urllib.error.HTTPError as error:
            wait = float(error.headers.get("Retry-After", "nan"))
            if error.code not in (429, 503) or not time.monotonic() + wait < deadline:
                raise RuntimeError(f"{error}: {error.read().decode(errors='replace')}") from error
            time.sleep(wait)


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """verl's signature: one sample a call."""
    return rewards([solution_str], [ground_truth])[0]


def lean_reward(prompts, completions, statement, **_):
    """TRL's signature: completions are texts, or chats whose last message is the answer."""
    answers = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
    return rewards(answers, statement)
