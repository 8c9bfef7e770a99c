"""
The ten lines of docs/other-trainers.md, called as TRL's GRPOTrainer and verl's reward managers call them.
Arguments: the document, the address of the server, a file with completions and their truth.
"""

import json
import re
import sys
from pathlib import Path

document, url, examples = sys.argv[1:]
blocks = re.findall(r"```python\n(.*?)```", Path(document).read_text(), re.S)
names = {}
for block in blocks:
    if "def rwml_reward" in block or "def compute_score" in block:
        exec(block.replace("http://127.0.0.1:8000/v1/rewards", url), names)
rows = json.loads(Path(examples).read_text())
texts = [row["completion"] for row in rows]
columns = {key: [row[key] for row in rows] for key in ("ground_truth", "answered_by")}
messages = [[{"role": "assistant", "content": text}] for text in texts]
prompts = [[{"role": "user", "content": "?"}] for _ in rows]
# As TRL 1.16: all by keyword; beside the dataset's columns also token ids, the trainer's state and ways to log.
called = dict(prompts=prompts, completion_ids=[[1] for _ in rows], trainer_state=None, log_extra=print, log_metric=print, **columns)
print(
    json.dumps(
        {
            "trl_text": names["rwml_reward"](completions=texts, **called),
            "trl_messages": names["rwml_reward"](completions=messages, **called),
            # As verl 0.9's reward managers: one at a time, by keyword.
            "verl": [
                names["compute_score"](
                    data_source="rwml/alfworld/world-model",
                    solution_str=row["completion"],
                    ground_truth=row["ground_truth"],
                    extra_info={"answered_by": row["answered_by"], "index": index},
                )
                for index, row in enumerate(rows)
            ],
        }
    )
)
