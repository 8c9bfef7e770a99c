"""Plain PyTorch decoding of a Llama-style model with a key/value cache: referee for the sampler's speed.

Argument: JSON with the shape (vocabulary, width, inner, layers, heads), threads, batch, context and steps. Prints
"ready", then answers every line on standard input with the milliseconds that `steps` greedy-free sampling steps took,
from a cache already filled to `context`.
"""

import json
import sys
import time

import torch
import torch.nn.functional as F


@torch.inference_mode()
def main() -> None:
    task = json.loads(sys.argv[1])
    torch.set_num_threads(task["threads"])
    torch.manual_seed(0)
    v, d, inner, layers, heads = (task[k] for k in ("vocabulary", "width", "inner", "layers", "heads"))
    batch, context, steps = task["batch"], task["context"], task["steps"]
    size = d // heads
    embedding = torch.randn(v, d) * 0.02
    blocks = [
        {
            "qkv": torch.randn(3 * d, d) * 0.02,
            "out": torch.randn(d, d) * 0.02,
            "gate": torch.randn(inner, d) * 0.02,
            "up": torch.randn(inner, d) * 0.02,
            "down": torch.randn(d, inner) * 0.02,
            "keys": torch.randn(batch, heads, context + steps, size),
            "values": torch.randn(batch, heads, context + steps, size),
        }
        for _ in range(layers)
    ]
    ones = torch.ones(d)
    inverse = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angle = torch.arange(context + steps, dtype=torch.float64)[:, None] * inverse
    cos, sin = (torch.cat([f, f], -1).float() for f in (angle.cos(), angle.sin()))

    def norm(x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, (d,), ones, 1e-5)

    def rotate(x: torch.Tensor, at: int) -> torch.Tensor:
        half = size // 2
        return x * cos[at] + torch.cat([-x[..., half:], x[..., :half]], -1) * sin[at]

    def step(tokens: torch.Tensor, at: int) -> torch.Tensor:
        x = embedding[tokens]
        for block in blocks:
            q, k, value = F.linear(norm(x), block["qkv"]).view(batch, 3 * heads, 1, size).split(heads, 1)
            block["keys"][:, :, at : at + 1] = rotate(k, at)
            block["values"][:, :, at : at + 1] = value
            keys, values = block["keys"][:, :, : at + 1], block["values"][:, :, : at + 1]
            mixed = F.scaled_dot_product_attention(rotate(q, at), keys, values)
            x = x + F.linear(mixed.reshape(batch, d), block["out"])
            h = norm(x)
            x = x + F.linear(F.silu(F.linear(h, block["gate"])) * F.linear(h, block["up"]), block["down"])
        return torch.multinomial(F.linear(norm(x), embedding).softmax(-1), 1)[:, 0]

    def run() -> float:
        start = time.perf_counter()
        tokens = torch.zeros(batch, dtype=torch.long)
        for i in range(steps):
            tokens = step(tokens, context + i)
        return (time.perf_counter() - start) * 1000

    run()
    print("ready", flush=True)
    for _ in sys.stdin:
        print(run(), flush=True)


main()
