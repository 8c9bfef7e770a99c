"""How far the weights of one model lie from another's, by NumPy: what our figures are checked against.

    python scripts/referee/weight_change.py BEFORE.safetensors AFTER.safetensors

prints one JSON object: for every tensor the weights that moved by each threshold, relative norm and largest change.
"""
import json
import sys

import numpy

THRESHOLDS = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]


def read(path):
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        data = file.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        piece = data[slice(*entry["data_offsets"])]
        if entry["dtype"] == "BF16":
            values = (numpy.frombuffer(piece, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
        else:
            values = numpy.frombuffer(piece, {"F32": numpy.float32, "F16": numpy.float16}[entry["dtype"]])
        tensors[name] = values.astype(numpy.float32)
    return tensors


before, after = read(sys.argv[1]), read(sys.argv[2])
answer = {}
for name, old in before.items():
    new = after[name]
    difference = numpy.abs(new - old)
    wide = new.astype(numpy.float64) - old.astype(numpy.float64)
    size = numpy.linalg.norm(old.astype(numpy.float64))
    answer[name] = {
        "moved": [float(numpy.mean(difference > numpy.float32(t) * numpy.abs(old))) for t in THRESHOLDS],
        "exact": [float(numpy.mean(numpy.abs(wide) > t * numpy.abs(old.astype(numpy.float64)))) for t in THRESHOLDS],
        "relativeNorm": float(numpy.linalg.norm(wide) / size) if size > 0 else None,
        "largest": float(difference.max()),
    }
print(json.dumps(answer))
