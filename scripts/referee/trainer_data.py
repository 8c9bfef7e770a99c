"""Exported folders as a Python trainer reads them. Arguments: folders. Prints, by file, what `datasets` and pandas see in it."""

import json
import sys
from pathlib import Path

import pandas
from datasets import load_dataset

found = {}
for folder in map(Path, sys.argv[1:]):
    for path in sorted(folder.glob("*.parquet")):
        rows = load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(folder / "cache"))
        lines = load_dataset("json", data_files=str(path.with_suffix(".jsonl")), split="train", cache_dir=str(folder / "cache"))
        found[f"{folder.name}/{path.name}"] = {
            "columns": rows.column_names,
            "rows": rows.to_list(),
            "same_lines": rows.to_list() == lines.to_list(),
            "pandas": len(pandas.read_parquet(path)),
        }
print(json.dumps(found))
