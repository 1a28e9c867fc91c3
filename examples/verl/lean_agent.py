"""An agent loop for verl (0.9) that proves with the tools of `zermelo serve`.

    actor_rollout_ref.rollout.agent.agent_loop_config_path=agent_loops.yaml
    actor_rollout_ref.rollout.agent.default_agent_loop=zermelo_lean

A trajectory ends when Lean has accepted the theorem, when the model calls no tool, or when its calls or tokens are used
up. What the tools answer is masked (verl's ToolAgentLoop does it), and the reward is the judge's. The statement is each
row's `reward_model.ground_truth`, as `python -m zermelo.parquet` writes it; its `prompt`, which asks for a whole proof, is
not used.
"""
import asyncio
import os

from transformers.utils import get_json_schema
from verl.experimental.agent_loop.agent_loop import ToolListWrap
from verl.experimental.agent_loop.tool_agent_loop import AgentState, ToolAgentLoop
from verl.tools.function_tool import FunctionTool
from verl.tools.schemas import OpenAIFunctionToolSchema

from zermelo.environment import LeanEnvironment, chat
from zermelo.errors import NotJudged


def tool(method, lock):
    """verl's tool for a method of an environment. Verl makes the calls of one turn at once; with a lock, they are one after the
    other, so that each knows what those before it have added."""
    async def call(**words):
        async with lock:
            return await asyncio.to_thread(method, **words)
    return FunctionTool(name=method.__name__, fn=call, is_async=True,
                        tool_schema=OpenAIFunctionToolSchema.model_validate(get_json_schema(method)))


def end_with_the_model(output):
    """Drops a tool's answer that nothing follows. Verl puts the reward on the last token, but its GAE skips tools' tokens."""
    length = max((i + 1 for i, own in enumerate(output.response_mask) if own), default=len(output.response_mask))
    output.response_ids = output.response_ids[:length]
    output.response_mask = output.response_mask[:length]
    if output.response_logprobs is not None:
        output.response_logprobs = output.response_logprobs[:length]


class LeanAgentLoop(ToolAgentLoop):
    """verl makes one for each trajectory. `calls`, `seconds`, `most` and `failure` are those of LeanEnvironment."""

    def __init__(self, *arguments, calls=28, seconds=60.0, most=6000, failure=0.0, tools=None, **named):
        self.environment = LeanEnvironment(calls=calls, seconds=seconds, most=most, failure=failure)
        lock = asyncio.Lock()
        own = [tool(self.environment.verify_lean, lock), tool(self.environment.premise_search, lock)]
        super().__init__(*arguments, tools=ToolListWrap(own), **named)

    async def run(self, sampling_params, **row):
        statement = row["reward_model"]["ground_truth"]
        self.environment.reset(statement)
        output = await super().run(sampling_params, **{**row, "raw_prompt": chat(statement)})
        end_with_the_model(output)
        output.reward_score = self._reward()
        output.extra_fields["reward_extra_info"] = {"proved": self.environment.proved}
        return output

    async def _handle_processing_tools_state(self, agent_data):
        state = await super()._handle_processing_tools_state(agent_data)
        return AgentState.TERMINATED if self.environment.over else state

    def _reward(self):
        """With ZERMELO_UNJUDGED where the last proof was not judged; without it the trajectory fails, and is no sample."""
        reward = self.environment.get_reward()
        if reward is not None:
            return reward
        unjudged = os.environ.get("ZERMELO_UNJUDGED")
        if unjudged is None:
            raise NotJudged("The last proof was not judged, so the trajectory has no reward",
                            "set ZERMELO_UNJUDGED to the number that such trajectories get")
        return float(unjudged)
