"""A plain training step of transformers in eager PyTorch: forward, backward, clipping, AdamW, on one sequence.

Task: {folder, threads, device, seed, tokens, adam: {learningRate, beta1, beta2, epsilon, weightDecay, clipNorm}}.
Request: {bf16}. Answer: {gradientMs, adamMs, totalMs, loss (float32 only), peakBytes}.
"""

from common import Clock, autocast, checked, device, open_model, peak_bytes, serve, task

import torch

model = open_model().train()
tokens = torch.tensor([task["tokens"]], device=device)
adam = task["adam"]
optimiser = torch.optim.AdamW(
    model.parameters(),
    lr=adam["learningRate"],
    betas=(adam["beta1"], adam["beta2"]),
    eps=adam["epsilon"],
    weight_decay=adam["weightDecay"],
    fused=True,
)


def step(request):
    clock = Clock()
    with autocast(request):
        loss = model(tokens, labels=tokens, use_cache=False).loss
    loss.backward()
    # The norm counts with the gradient: our engine computes it there, too.
    torch.nn.utils.clip_grad_norm_(model.parameters(), adam["clipNorm"])
    gradient = clock.lap()
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    update = clock.lap()
    return {
        "gradientMs": gradient,
        "adamMs": update,
        "totalMs": gradient + update,
        **checked(request, loss.item()),
        "peakBytes": peak_bytes(),
    }


serve(step)
