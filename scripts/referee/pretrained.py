"""transformers, PEFT and PyTorch's AdamW on a pretrained model: referees for all that our engine computes with it.

The argument is a folder with task.json and the files that it names; test/pretrained.test.ts writes them and says what they
hold. Makes one adapter of its own in that folder (peft/, with what it computes in peft.json) and prints differences as JSON.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

place = Path(sys.argv[1])
task = json.loads((place / "task.json").read_text())
torch.set_num_threads(task["threads"])


def load(folder, dtype=torch.float32):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager").eval()


@torch.no_grad()
def distributions(model, tokens):
    """Log-probabilities [position, vocabulary] of what follows each token but the last."""
    return model(torch.tensor([tokens])).logits[0, :-1].log_softmax(-1)


def floats(name):
    return torch.from_numpy(np.fromfile(place / name, dtype=np.float32))


def largest(values):
    return max(float(value) for value in values)


def scored_differences(found, sequences):
    """Largest differences of the tokens' and of their alternatives' log-probabilities, and by how much a likelier one was left out.

    found holds the distributions along each sequence, and perhaps beyond it.
    """
    own, others, left_out = [], [], []
    for theirs, sequence in zip(found, sequences, strict=True):
        tokens = torch.tensor(sequence["tokens"][1:])
        theirs = theirs[: len(tokens)]
        own.append((theirs.gather(1, tokens[:, None])[:, 0] - torch.tensor(sequence["logprobs"][1:])).abs().max())
        listed = torch.tensor(sequence["alternatives"][1:])
        logprobs = theirs.gather(1, listed)
        others.append((logprobs - torch.tensor(sequence["alternativeLogprobs"][1:])).abs().max())
        least = theirs.topk(listed.shape[1]).values[:, -1]
        left_out.append((least - logprobs.min(-1).values).max())
    return {"own": largest(own), "alternatives": largest(others), "leftOut": largest(left_out)}


def greedy_divergences(found, answers, end):
    """Where greedy text is first another one, and how much likelier its token is there. Up to there both have read the same."""
    divergences, compared = [], 0
    for row, (theirs, answer) in enumerate(zip(found, answers, strict=True)):
        ours = torch.tensor(answer["tokens"])
        assert len(ours) == task["newTokens"] or ours[-1] == end, f"answer {row} ends early"
        theirs = theirs[-len(ours) :]
        differs = (theirs.argmax(-1) != ours).nonzero()
        at = int(differs[0]) if len(differs) else len(ours)
        compared += at
        if at < len(ours):
            margin = theirs[at].max() - theirs[at, ours[at]]
            divergences.append({"answer": row, "token": at, "margin": margin.item()})
    return {"compared": compared, "divergences": divergences}


def chat_differences(tokenizer, conversations):
    """Conversations whose tokens are others with transformers' template."""
    found = []
    for i, conversation in enumerate(conversations):
        ids = tokenizer.apply_chat_template(conversation["messages"], add_generation_prompt=True, return_dict=True)["input_ids"]
        if ids != conversation["tokens"]:
            found.append(i)
    return found


def text_differences(tokenizer, texts):
    """Texts that become other tokens, and how many there were in all."""
    theirs = tokenizer([text["text"] for text in texts], add_special_tokens=False)["input_ids"]
    different = [i for i, (ids, text) in enumerate(zip(theirs, texts)) if ids != text["tokens"]]
    return {"tokens": sum(map(len, theirs)), "different": different}


def gradient_differences(model, order, data):
    """Relative difference of every tensor's gradient, the loss's, and the flat gradient of ours."""
    total = 0.0
    for datum in data:
        tokens = torch.tensor([datum["tokens"]])
        logprobs = model(tokens).logits[0, :-1].log_softmax(-1).gather(1, tokens[0, 1:, None])[:, 0]
        loss = -(logprobs * torch.tensor(datum["weights"][1:])).sum()
        loss.backward()
        total += loss.item()
    parameters = dict(model.named_parameters())
    assert sorted(parameters) == sorted(order)
    ours, at, differences = floats("gradient.bin"), 0, {}
    for name in order:
        theirs = parameters[name].grad.flatten()
        own = ours[at : at + len(theirs)]
        at += len(theirs)
        differences[name] = ((own - theirs).double().norm() / theirs.double().norm()).item()
    model.zero_grad(set_to_none=True)
    return {"loss": total, "differences": differences}


def adam_difference(settings):
    """Largest difference of a weight after all steps, relative where the weight is above 1, and how far weights moved."""
    start, gradient = floats("weights.bin"), floats("part.bin")
    weights = torch.nn.Parameter(start.clone())
    optimiser = torch.optim.AdamW(
        [weights],
        lr=settings["learningRate"],
        betas=(settings["beta1"], settings["beta2"]),
        eps=settings["epsilon"],
        weight_decay=settings["weightDecay"],
    )
    for step in range(settings["steps"]):
        weights.grad = gradient.roll(step * settings["shift"])
        optimiser.step()
    difference = (floats(settings["file"]) - weights.detach()).abs() / weights.detach().abs().clamp(min=1)
    return {"difference": difference.max().item(), "moved": (weights.detach() - start).abs().max().item()}


def equal_values(folder, expected, dtype):
    """Whether a folder loads in the type that it names, with exactly the values expected."""
    loaded = load(folder, dtype="auto")
    assert loaded.dtype == dtype, loaded.dtype
    theirs = dict(loaded.named_parameters())
    return all(torch.equal(theirs[name], value.to(dtype)) for name, value in expected.named_parameters())


@torch.no_grad()
def merged_difference(folder, merged):
    """Largest difference of a weight, relative where it is above 1."""
    theirs = dict(load(folder).named_parameters())
    return largest(
        ((theirs[name] - value).abs() / value.abs().clamp(min=1)).max() for name, value in merged.named_parameters()
    )


def make_adapter(folder, base, settings, sequences):
    """An adapter with random matrices, and the likeliest tokens with it."""
    torch.manual_seed(0)
    config = LoraConfig(task_type="CAUSAL_LM", init_lora_weights=False, **settings)
    model = get_peft_model(load(base), config)
    plain, answers = [], []
    for tokens in sequences:
        theirs = distributions(model, tokens)
        top = theirs.topk(5)
        with model.disable_adapter():
            plain.append((distributions(model, tokens) - theirs).abs().max())
        own = theirs.gather(1, torch.tensor(tokens[1:])[:, None])[:, 0]
        answers.append({"logprobs": own.tolist(), "tokens": top.indices.tolist(), "tokenLogprobs": top.values.tolist()})
    model.save_pretrained(folder)
    (place / "peft.json").write_text(json.dumps(answers))
    return largest(plain)


tokenizer = AutoTokenizer.from_pretrained(task["model"])
model = load(task["model"])
found = [distributions(model, one["prompt"] + one["tokens"]) for one in task["answers"]]
answer = {
    "chats": chat_differences(tokenizer, task["chats"]),
    "texts": text_differences(tokenizer, json.loads((place / "texts.json").read_text())),
    "scored": scored_differences(found, task["scored"]),
    "greedy": greedy_divergences(found, task["answers"], tokenizer.eos_token_id),
    "gradient": gradient_differences(model, task["order"], task["data"]),
    "adam": [adam_difference(settings) for settings in task["adam"]],
    "half": equal_values(place / "bf16", model, torch.bfloat16),
}
adapted = PeftModel.from_pretrained(model, place / "lora").eval()
sequences = [one["tokens"] for one in task["adapted"]]
answer["adapter"] = scored_differences([distributions(adapted, tokens) for tokens in sequences], task["adapted"])
answer["merged"] = merged_difference(place / "f32", adapted.merge_and_unload())
answer["made"] = make_adapter(place / "peft", task["model"], task["peft"], sequences)
print(json.dumps(answer))
