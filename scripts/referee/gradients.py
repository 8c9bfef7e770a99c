"""Models of transformers in double precision: referees for the gradient of every parameter, of every family.

The argument is {"folders": [paths], "device": "cpu" or "cuda" (default cpu)}; each is a Hugging Face model folder with a task.json {"data": [{tokens, weights}],
"order": [names], "threads": n}. Writes gradients.bin (float32, parameters in that order) into each and prints the losses
sum(weight * -logprob) as a list.
"""

import json
import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM


def gradients(folder: Path, device: str) -> float:
    task = json.loads((folder / "task.json").read_text())
    torch.set_num_threads(task["threads"])
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").to(device)
    total = 0.0
    for datum in task["data"]:
        tokens = torch.tensor([datum["tokens"]], device=device)
        logprobs = model(tokens).logits[0, :-1].log_softmax(-1).gather(1, tokens[0, 1:, None])[:, 0]
        loss = -(logprobs * torch.tensor(datum["weights"][1:], dtype=torch.float64, device=device)).sum()
        loss.backward()
        total += loss.item()
    found = {name: parameter.grad for name, parameter in model.named_parameters()}
    assert sorted(found) == sorted(task["order"])
    flat = torch.cat([found[name].flatten() for name in task["order"]]).to("cpu", torch.float32)
    (folder / "gradients.bin").write_bytes(flat.numpy().tobytes())
    return total


task = json.loads(sys.argv[1])
print(json.dumps([gradients(Path(folder), task.get("device", "cpu")) for folder in task["folders"]]))
