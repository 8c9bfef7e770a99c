"""Log-probabilities of tokens under an adapter: adapter.py BASE FOLDER TOKENS prints those of the tokens after the first, as transformers
has them with the adapter loaded into the base, as PEFT has them, and those of the base alone."""
import json
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402
from peft import AutoPeftModelForCausalLM  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

base, folder, tokens = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


def logprobs(model):
    with torch.no_grad():
        found = model.eval()(torch.tensor([tokens])).logits.log_softmax(-1)[0]
    return [found[at, token].item() for at, token in enumerate(tokens[1:])]


model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
alone = logprobs(model)
model.load_adapter(folder)
peft = AutoPeftModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
print(json.dumps({"base": alone, "transformers": logprobs(model), "peft": logprobs(peft)}))
