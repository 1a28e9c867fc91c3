"""VAPO (arXiv 2504.05118) for verl 0.9: set VERL_USE_EXTERNAL_MODULES=vapo and adv_estimator=gae, as vapo.yaml does.

Estimators that are registered with verl do not see the values, so its function for GAE is replaced: the critic learns
from Monte Carlo returns (λ = 1), the policy from advantages with λ = 1 - 1/(α l) for a response of l tokens, at least 0.
Advantages are not normalised. The policy's loss gets the negative log-likelihood of the tokens of proofs, times
NLL_WEIGHT. It is divided by all tokens of the batch; the paper divides by those of proofs alone, but verl's loss sees
only a part of the batch.

What else VAPO has is configured: clipping and averaging in vapo.yaml, and value pretraining as `trainer.critic_warmup`.
"""
import torch
from verl.trainer.ppo import core_algos
from verl.workers.utils import losses
from verl.workers.utils.padding import no_padding_2_padding

ALPHA = 0.05
NLL_WEIGHT = 0.1

_gae = core_algos.compute_gae_advantage_return
_ppo_loss = losses.ppo_loss


def compute_gae_advantage_return(token_level_rewards, values, response_mask, gamma, lam):
    """verl's function, with VAPO's λ instead of `lam`. Tokens of tools are skipped, and do not count in l."""
    length = response_mask.sum(dim=-1).clamp(min=1)
    adapted = (1 - 1 / (ALPHA * length)).clamp(min=0)
    _, returns = _gae(token_level_rewards, values, response_mask, gamma, 1.0)
    _, adapted_returns = _gae(token_level_rewards, values, response_mask, gamma, adapted)
    return (adapted_returns - values) * response_mask, returns


def ppo_loss(config, model_output, data, dp_group=None):
    """verl's function, plus the likelihood of proofs: the responses whose return is positive."""
    loss, metrics = _ppo_loss(config, model_output, data, dp_group)
    logprobs = no_padding_2_padding(model_output["log_probs"], data)
    padded = data.select("response_mask", "returns").to_padded_tensor()
    mask = padded["response_mask"].bool()
    proofs = mask & (padded["returns"] > 0)
    tokens = data["batch_num_tokens"] if data["batch_num_tokens"] is not None else mask.sum()
    nll = -torch.where(proofs, logprobs, 0).sum() / tokens * data["dp_size"]
    metrics["actor/nll"] = nll.detach().item()
    return loss + NLL_WEIGHT * nll, metrics


core_algos.compute_gae_advantage_return = compute_gae_advantage_return
losses.ppo_loss = ppo_loss
