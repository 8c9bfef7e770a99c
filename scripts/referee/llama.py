"""A plain PyTorch Llama with the same operations as the local engine: referee for speed.

The argument is {"folder": path}; the folder holds config.json, model.safetensors (F32) and task.json with
{"data": [{tokens, weights}], "threads": n}. Prints "ready" and then answers every line with the milliseconds of one
padded forward and backward, so that both sides can alternate.
"""

import json
import struct
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F


def read_safetensors(path: Path) -> dict[str, torch.Tensor]:
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        assert entry["dtype"] == "F32"
        begin, end = entry["data_offsets"]
        flat = torch.frombuffer(bytearray(raw[8 + length + begin : 8 + length + end]), dtype=torch.float32)
        tensors[name] = flat.reshape(entry["shape"]).requires_grad_()
    return tensors


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


def rms_norm(x: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
    return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon))


def token_losses(config: dict, w: dict[str, torch.Tensor], tokens: torch.Tensor) -> torch.Tensor:
    """Negative log-probability of tokens[:, 1:] given those before, [batch, length - 1]."""
    batch, length = tokens.shape[0], tokens.shape[1] - 1
    heads, kv = config["num_attention_heads"], config["num_key_value_heads"]
    size, eps = config["hidden_size"] // heads, config["rms_norm_eps"]
    x = w["model.embed_tokens.weight"][tokens[:, :-1]]
    inverse = config["rope_theta"] ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * inverse
    cos, sin = (torch.cat([f, f], -1).to(x.dtype) for f in (angle.cos(), angle.sin()))
    for i in range(config["num_hidden_layers"]):
        p = f"model.layers.{i}."
        h = rms_norm(x, w[p + "input_layernorm.weight"], eps)
        q = (h @ w[p + "self_attn.q_proj.weight"].T).view(batch, length, heads, size).transpose(1, 2)
        k = (h @ w[p + "self_attn.k_proj.weight"].T).view(batch, length, kv, size).transpose(1, 2)
        v = (h @ w[p + "self_attn.v_proj.weight"].T).view(batch, length, kv, size).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=kv != heads)
        x = x + a.transpose(1, 2).reshape(batch, length, -1) @ w[p + "self_attn.o_proj.weight"].T
        h = rms_norm(x, w[p + "post_attention_layernorm.weight"], eps)
        gate = F.silu(h @ w[p + "mlp.gate_proj.weight"].T)
        x = x + (gate * (h @ w[p + "mlp.up_proj.weight"].T)) @ w[p + "mlp.down_proj.weight"].T
    x = rms_norm(x, w["model.norm.weight"], eps)
    head = w["model.embed_tokens.weight" if config["tie_word_embeddings"] else "lm_head.weight"]
    logits = x @ head.T
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none").view(batch, length)


def main() -> None:
    folder = Path(json.loads(sys.argv[1])["folder"])
    task = json.loads((folder / "task.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    torch.set_num_threads(task["threads"])
    w = read_safetensors(folder / "model.safetensors")
    longest = max(len(d["tokens"]) for d in task["data"])
    tokens = torch.zeros(len(task["data"]), longest, dtype=torch.long)
    weights = torch.zeros(len(task["data"]), longest)
    for i, d in enumerate(task["data"]):
        tokens[i, : len(d["tokens"])] = torch.tensor(d["tokens"])
        weights[i, : len(d["tokens"])] = torch.tensor(d["weights"])

    def step() -> None:
        for tensor in w.values():
            tensor.grad = None
        loss = (token_losses(config, w, tokens) * weights[:, 1:]).sum()
        loss.backward()

    print("ready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        step()
        print((time.perf_counter() - start) * 1000, flush=True)


main()
