"""Exported folders as Python's trainers read them. Arguments: a model's folder, then the folders. Prints, by file, what `datasets` and
pandas see in it, and what verl's own data set hands to its trainer, or what TRL makes of the prompts; null where one is not installed."""

import contextlib
import json
import logging
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
logging.disable(logging.WARNING)

import pandas  # noqa: E402
from datasets import load_dataset  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402


def by_verl(path, tokenizer):
    from omegaconf import OmegaConf
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    with tempfile.TemporaryDirectory() as cache:
        config = OmegaConf.create({"cache_dir": cache, "max_prompt_length": 2048, "return_raw_chat": True})
        data = RLHFDataset(str(path), tokenizer, config)
        rows = [data[at] for at in range(len(data))]
    batch = collate_fn(rows)
    return [{name: batch[name][at] for name in ("raw_prompt", "data_source", "ability", "reward_model", "extra_info", "index")}
            for at in range(len(rows))]


def by_trl(rows, tokenizer):
    from trl import is_conversational, maybe_apply_chat_template

    return [maybe_apply_chat_template(row, tokenizer) for row in rows if is_conversational(row)]


READERS = {"verl": ("verl", lambda path, rows, tokenizer: by_verl(path, tokenizer)),
           "trl": ("trl", lambda path, rows, tokenizer: by_trl(rows, tokenizer))}

found = {}
# What they print of their own goes elsewhere.
with contextlib.redirect_stdout(sys.stderr):
    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
    for folder in map(Path, sys.argv[2:]):
        package, read = READERS[folder.name]
        for path in sorted(folder.glob("*.parquet")):
            rows = load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(folder / "cache"))
            lines = load_dataset("json", data_files=str(path.with_suffix(".jsonl")), split="train", cache_dir=str(folder / "cache"))
            found[f"{folder.name}/{path.name}"] = {
                "columns": rows.column_names,
                "rows": rows.to_list(),
                "same_lines": rows.to_list() == lines.to_list(),
                "pandas": len(pandas.read_parquet(path)),
                "trainer": read(path, rows.to_list(), tokenizer) if find_spec(package) else None,
            }
print(json.dumps(found))
