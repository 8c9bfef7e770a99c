"""The gradient of one GRPO group on transformers in eager PyTorch: the padded batch, every answer with its prompt.

Task: {folder, threads, seed, prompt, answers, advantages, oldLogprob, clip, sizes}; `sizes` are the micro-batches to try, the
fastest is kept. Request: {bf16}. Answer: {gradientMs, loss (float32 only), peakBytes}.
"""

from common import Clock, autocast, checked, open_model, peak_bytes, serve, task
from micro_batch import backward, fastest

import torch

model = open_model().train()
prompt = len(task["prompt"])
tokens = torch.tensor([task["prompt"] + answer for answer in task["answers"]])
advantages = torch.tensor(task["advantages"])
scale = 1 / tokens[:, prompt:].numel()


def gradient(size):
    model.zero_grad(set_to_none=True)
    return backward(model, tokens, prompt, advantages, size, old=task["oldLogprob"], clip=task["clip"], scale=scale)


sizes = task["sizes"]
size = fastest(sizes, gradient) if len(sizes) > 1 else sizes[0]


def step(request):
    model.zero_grad(set_to_none=True)
    clock = Clock()
    with autocast(request):
        loss = backward(
            model, tokens, prompt, advantages, size, old=task["oldLogprob"], clip=task["clip"], scale=scale
        )
    return {"gradientMs": clock.lap(), **checked(request, loss), "peakBytes": peak_bytes()}


serve(step, microBatch=size)
