"""What the peers of `npm run bench -- peers` share: the task they are given, and answers line by line.

Every script is started with one argument, its task as JSON. It prints {"ready": …} and then answers every line, a JSON object,
with one. Whatever libraries print goes to standard error.
"""

import json
import os
import resource
import sys
import time

# Before any import of Hugging Face's: nothing is looked up elsewhere, and nothing but answers is printed.
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", TOKENIZERS_PARALLELISM="false", TQDM_DISABLE="1")

answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

task = json.loads(sys.argv[1])
device = task.get("device", "cpu")


def say(answer):
    answers.write(json.dumps(answer) + "\n")


def serve(answer, **about):
    """Ready; from now on one answer a line."""
    say({"ready": about})
    for line in sys.stdin:
        say(answer(json.loads(line)))


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def now():
    """Seconds, when all that was asked of the device is done."""
    if device != "cpu":
        import torch

        torch.cuda.synchronize()
    return time.perf_counter()


class Clock:
    """Milliseconds since the last lap."""

    def __init__(self):
        self.start = now()

    def lap(self):
        end = now()
        passed, self.start = (end - self.start) * 1000, end
        return passed


def open_model():
    """The model as eager PyTorch runs it best: float32 weights, fused attention, as many threads as we take."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(task["threads"])
    torch.manual_seed(task["seed"])
    model = AutoModelForCausalLM.from_pretrained(task["folder"], dtype=torch.float32, attn_implementation="sdpa")
    return model.to(device)


def autocast(request):
    import torch

    return torch.autocast(device, torch.bfloat16, enabled=request.get("bf16", False))


def checked(request, loss):
    """What the sides must agree in; bfloat16 rounds too much for that."""
    return {} if request.get("bf16") else {"loss": loss}
