"""The usual padded batch of a group's answers, in as many parts as this machine runs fastest."""

import time

import torch
import torch.nn.functional as F


def policy_loss(model, tokens, prompt, advantages, old, clip):
    """Clipped ratio to the sampling policy, summed over the answers' tokens. Logits of these only, as trainers have them."""
    answer = tokens.shape[1] - prompt
    logits = model(tokens, use_cache=False, logits_to_keep=answer + 1).logits[:, :-1]
    targets = tokens[:, prompt:]
    logprobs = -F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), reduction="none").view(targets.shape)
    ratio = (logprobs - old).exp()
    gain = torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    return -gain.sum()


def backward(model, tokens, prompt, advantages, size, *, old, clip, scale):
    """The gradient, the batch in parts of `size`."""
    total = 0.0
    for rows, gains in zip(tokens.split(size), advantages.split(size)):
        loss = policy_loss(model, rows, prompt, gains[:, None], old, clip) * scale
        loss.backward()
        total += loss.item()
    return total


def fastest(sizes, run):
    """The size at which `run` takes the least time, the first call of all left out."""
    run(sizes[0])
    times = []
    for size in sizes:
        start = time.perf_counter()
        run(size)
        times.append(time.perf_counter() - start)
    return sizes[times.index(min(times))]
