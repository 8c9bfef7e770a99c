"""Decoding with transformers' `generate` from a cache that holds the prompts already.

Task: {folder, threads, device, seed, prompts, steps, bf16}; prompts are of one length, `bf16` rounds the weights. Both kinds of cache are
tried, the faster is kept. Answer: {ms, loss (float32 only)}.
"""

import copy

from common import Clock, checked, device, open_model, serve, task

import torch
from transformers import DynamicCache, StaticCache

model = open_model().eval()
if task["bf16"]:
    model = model.to(torch.bfloat16)
tokens = torch.tensor(task["prompts"], device=device)
mask = torch.ones_like(tokens)
steps = task["steps"]


@torch.inference_mode()
def filled(kind):
    """A cache of all but the last token of every prompt."""
    length = tokens.shape[1] + steps
    static = kind == "static"
    cache = StaticCache(config=model.config, max_cache_len=length) if static else DynamicCache(config=model.config)
    model(tokens[:, :-1], past_key_values=cache, use_cache=True, logits_to_keep=1)
    return cache


@torch.inference_mode()
def decode(held):
    cache = copy.deepcopy(held)
    clock = Clock()
    output = model.generate(
        tokens,
        attention_mask=mask,
        past_key_values=cache,
        do_sample=True,
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        min_new_tokens=steps,
        max_new_tokens=steps,
        pad_token_id=0,
        # On a card, transformers compiles for a static cache: minutes, and it needs a C compiler.
        disable_compile=True,
    )
    passed = clock.lap()
    assert output.shape == (tokens.shape[0], tokens.shape[1] + steps)
    return {"ms": passed}


caches = {kind: filled(kind) for kind in ("dynamic", "static")}
for held in caches.values():
    decode(held)
times = {kind: decode(held)["ms"] for kind, held in caches.items()}
best = min(times, key=times.get)
held = caches.pop(best)
caches.clear()


@torch.inference_mode()
def surest():
    """Negative log-probability of the most probable token after the first prompt."""
    return -model(tokens[:1], logits_to_keep=1).logits[0, -1].log_softmax(-1).max().item()


loss = checked(task, surest())
serve(lambda _: decode(held) | loss, cache=best)
