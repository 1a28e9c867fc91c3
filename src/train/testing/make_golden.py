#!/usr/bin/env python3
"""Computes the expected losses and advantages of objectives_test.cc with verl's and TRL's own code.

usage: make_golden.py VERL TRL     (folders of the packages, as their wheels have them; needs torch and numpy)

Writes golden_objectives.json beside this file, which is committed, so that the tests need none of these. Only the
functions are executed, so that neither package has to be installed: made with verl 0.9.1 and TRL 1.16.0.
"""
import ast
import collections
import json
import pathlib
import sys
import types
import typing
import unittest.mock

import numpy as np
import torch

EPSILON_LOW, EPSILON_HIGH, BETA, LONGEST = 0.2, 0.28, 0.02, 12
LENGTHS = [3, 6, 1, 4]


def function(path, name, names):
    """A function of a file that cannot be imported here; without its decorators."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            node.decorator_list = []
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
            exec(compile(ast.Module([node], []), str(path), "exec"), names)
            return names[name]
    sys.exit(f"there is no {name} in {path}")


def of_verl(folder):
    tools = {"torch": torch, "Optional": typing.Optional}
    for name in ("masked_sum", "masked_mean", "masked_var", "masked_whiten"):
        function(folder / "utils/torch_functional.py", name, tools)
    names = {"torch": torch, "np": np, "Optional": typing.Optional, "defaultdict": collections.defaultdict,
             "verl_F": types.SimpleNamespace(**tools)}
    for name in ("agg_loss", "compute_policy_loss", "compute_gae_advantage_return", "compute_grpo_outcome_advantage",
                 "kl_penalty_forward"):
        function(folder / "trainer/ppo/core_algos.py", name, names)
    return names


def trl_loss(compute, kind, sample):
    """GRPOTrainer._compute_loss for given log-probabilities."""
    trainer = unittest.mock.MagicMock()
    trainer._get_per_token_logps_and_entropies.return_value = (sample["now"], torch.zeros_like(sample["now"]), None)
    trainer.aux_loss_enabled = trainer.use_vllm = trainer._entropy_bonus_enabled = False
    trainer.top_entropy_quantile, trainer.off_policy_mask_threshold = 1.0, None
    trainer.importance_sampling_level, trainer.loss_type, trainer.beta = "token", kind, BETA
    trainer.epsilon_low, trainer.epsilon_high, trainer.max_completion_length = EPSILON_LOW, EPSILON_HIGH, LONGEST
    trainer.args.use_bias_correction_kl, trainer.args.delta, trainer.args.steps_per_generation = False, None, 1
    trainer.accelerator.num_processes = trainer.current_gradient_accumulation_steps = 1
    nothing = torch.zeros(len(LENGTHS), 1)
    return compute(trainer, None, {
        "prompt_ids": nothing, "prompt_mask": nothing, "completion_ids": torch.zeros_like(sample["now"]),
        "completion_mask": sample["mask"], "advantages": sample["by_sequence"], "old_per_token_logps": sample["old"],
        "ref_per_token_logps": sample["reference"], "num_items_in_batch": sample["mask"].sum()}).item()


def main():
    verl_folder, trl_folder = map(pathlib.Path, sys.argv[1:])
    verl = of_verl(verl_folder)
    of_logs = {"nanmin": unittest.mock.MagicMock(), "nanmax": unittest.mock.MagicMock()}  # the result does not need them
    compute = function(trl_folder / "trainer/grpo_trainer.py", "_compute_loss", {"torch": torch, **of_logs})
    torch.manual_seed(3)
    shape = (len(LENGTHS), max(LENGTHS))
    mask = (torch.arange(shape[1]) < torch.tensor(LENGTHS).unsqueeze(1)).float()
    old = -2 * torch.rand(shape)
    sample = {"mask": mask, "old": old, "now": old + 0.4 * torch.randn(shape), "reference": old + 0.3 * torch.randn(shape),
              "by_sequence": torch.tensor([1.2, -0.7, -0.4, 0.3])}
    rewards, values = torch.zeros(shape), torch.randn(shape)
    for i, length in enumerate(LENGTHS):
        rewards[i, length - 1] = [1.0, 0.0, 0.0, 1.0][i]

    def flat(tensor):
        """Of the tokens that count, sequence after sequence."""
        return [round(x, 7) for x in tensor[mask > 0].tolist()]

    golden = {"lengths": LENGTHS, "clip_low": EPSILON_LOW, "clip_high": EPSILON_HIGH, "kl_weight": BETA,
              "longest": LONGEST, "advantages": sample["by_sequence"].tolist(),
              **{key: flat(sample[key]) for key in ("old", "now", "reference")}}
    by_token = sample["by_sequence"].unsqueeze(1).expand(shape)
    golden["verl_loss"] = {}
    for ours, theirs in (("sequence", "seq-mean-token-mean"), ("token", "token-mean")):
        # Far above any ratio: the paper's loss has no bound for negative advantages.
        golden["verl_loss"][ours] = verl["compute_policy_loss"](
            old, sample["now"], by_token, mask, cliprange_low=EPSILON_LOW, cliprange_high=EPSILON_HIGH, clip_ratio_c=1e6,
            loss_agg_mode=theirs)[0].item()
    golden["trl_loss"] = {ours: trl_loss(compute, theirs, sample)
                          for ours, theirs in (("sequence", "grpo"), ("token", "dapo"), ("constant", "dr_grpo"))}
    golden["verl_kl"] = flat(verl["kl_penalty_forward"](sample["now"], sample["reference"], "low_var_kl"))
    scores = torch.tensor([1.0, 0.0, 0.0, 1.0, 1.0, 0.25, 0.5]).unsqueeze(1)
    group = np.array([0, 0, 0, 0, 1, 1, 1])
    golden["rewards"], golden["groups"] = scores.squeeze(1).tolist(), group.tolist()
    for ours, divide in (("verl_advantages", True), ("verl_advantages_undivided", False)):
        golden[ours] = verl["compute_grpo_outcome_advantage"](
            scores.clone(), torch.ones(7, 1), group, norm_adv_by_std_in_grpo=divide)[0].squeeze(1).tolist()
    golden["token_rewards"], golden["values"] = flat(rewards), flat(values)
    golden["verl_returns"] = {}  # before they are whitened, the advantages are these less the values
    for weight in (1.0, 0.95, 0.0):
        golden["verl_returns"][str(weight)] = flat(
            verl["compute_gae_advantage_return"](rewards, values, mask, 1.0, weight)[1])
    path = pathlib.Path(__file__).resolve().with_name("golden_objectives.json")
    path.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
