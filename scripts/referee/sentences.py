"""transformers on a sentence encoder: the vectors of texts, and the encoder's graph for our engine.

The argument is a folder with task.json: where the encoder is, and texts. Where the encoder has no onnx/model.onnx yet, PyTorch
writes it. Prints the vectors as JSON: the mean of the tokens', of length 1.
"""

import json
import os
import sys
import warnings
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
task = json.loads((Path(sys.argv[1]) / "task.json").read_text())
encoder = Path(task["encoder"])
limit = json.loads((encoder / "sentence_bert_config.json").read_text())["max_seq_length"]
tokenizer = AutoTokenizer.from_pretrained(encoder)
model = AutoModel.from_pretrained(encoder, dtype=torch.float32, attn_implementation="eager").eval()

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.model(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state


def export(path):
    """Into a file beside its place first: half a graph must not be taken for one."""
    path.parent.mkdir(exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    batch = tokenizer(["a first text", "another"], padding=True, return_tensors="pt")
    axes = {0: "batch", 1: "length"}
    torch.onnx.export(
        # The export leaves a module as it found it: one in training would have dropout afterwards.
        Encoder().eval(),
        tuple(batch[name] for name in INPUTS),
        str(half),
        input_names=INPUTS,
        output_names=["last_hidden_state"],
        dynamic_axes={name: axes for name in [*INPUTS, "last_hidden_state"]},
        opset_version=17,
        dynamo=False,
    )
    half.rename(path)


@torch.no_grad()
def vector(text):
    batch = tokenizer(text, truncation=True, max_length=limit, return_tensors="pt")
    mean = model(**batch).last_hidden_state[0].mean(0)
    return (mean / mean.norm()).tolist()


graph = encoder / "onnx" / "model.onnx"
if not graph.exists():
    export(graph)
print(json.dumps([vector(text) for text in task["texts"]]))
