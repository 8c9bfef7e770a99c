"""What Tinker's public SDK makes of passes, and of results in protobuf: what our codec is checked against.

    python scripts/referee/tinker_wire.py

prints one JSON object: the version, passes with the bytes that the SDK sends for them (maps in the order of their keys), and results
as bytes (base64) with what the SDK reads in them.
"""
import base64
import json
import math
from importlib.metadata import version

import numpy as np
from tinker import types
from tinker.proto import tinker_public_pb2 as pb
from tinker.proto.request_conv import forward_backward_request_to_proto
from tinker.proto.response_conv import deserialize_forward_backward_output, deserialize_sample_response


def text(data):
    return base64.b64encode(data).decode()


def plain(values):
    """JSON knows no NaN."""
    return [None if isinstance(v, float) and math.isnan(v) else v for v in values]


# Numbers that single precision holds, the smallest and the largest among them, and token ids beyond 16 bits.
NUMBERS = [0.0, -0.0, 1.0, -1.5, 2.0**-149, 3.4028234663852886e38, -0.333333343267440796]
TOKENS = [0, 1, 127, 128, 151643, 2**31 - 1, 7]


def passes():
    for model, number, loss, config, names, count, forward_only in [
        ("model_1", 1, "cross_entropy", None, ["target_tokens", "weights"], 1, False),
        ("m" * 200, 2**31 - 1, "ppo", {"clip_high_threshold": 1.28, "clip_low_threshold": 0.8}, ["advantages", "logprobs", "target_tokens"], 3, False),
        ("modèle_é", 128, "cross_entropy", None, ["target_tokens", "weights"], 2, True),
    ]:
        data = []
        for i in range(count):
            length = len(TOKENS) - i
            inputs = {
                name: {"data": (TOKENS if name == "target_tokens" else NUMBERS)[:length],
                       "dtype": "int64" if name == "target_tokens" else "float32", "shape": [length]}
                for name in names
            }
            data.append({"model_input": {"chunks": [{"type": "encoded_text", "tokens": TOKENS[:length]}]}, "loss_fn_inputs": inputs})
        fields = {"data": data, "loss_fn": loss, **({"loss_fn_config": config} if config else {})}
        request = types.ForwardBackwardRequest(
            model_id=model,
            seq_id=number,
            forward_backward_input=types.ForwardBackwardInput(
                data=[
                    types.Datum(
                        model_input=types.ModelInput(chunks=[types.EncodedTextChunk(tokens=d["model_input"]["chunks"][0]["tokens"])]),
                        loss_fn_inputs={k: types.TensorData(**v) for k, v in d["loss_fn_inputs"].items()},
                    )
                    for d in data
                ],
                loss_fn=loss,
                loss_fn_config=config,
            ),
        )
        message = forward_backward_request_to_proto(request)
        message.forward_only = forward_only
        yield {"model_id": model, "seq_id": number, "pass": fields, "forwardOnly": forward_only,
               "bytes": text(message.SerializeToString(deterministic=True))}


def column(rows, kind):
    """Rows of one name, one behind the other."""
    if kind == pb.DTYPE_BFLOAT16:
        arrays = [(np.asarray(r, np.float32).view(np.uint32) >> 16).astype(np.uint16) for r in rows]
    else:
        arrays = [np.asarray(r, {pb.DTYPE_FLOAT32: np.float32, pb.DTYPE_INT64: np.int64, pb.DTYPE_INT32: np.int32}[kind]) for r in rows]
    offsets = np.concatenate([[0], np.cumsum([a.nbytes for a in arrays])]).astype(np.int64)
    return pb.BatchedTensor(data=b"".join(a.tobytes() for a in arrays), offsets=offsets.tobytes(), dtype=kind)


def results():
    rows = [[-0.5, -1.25, float("nan")], [], [-3.5]]
    for records in [
        [[{"logprobs": column(rows, pb.DTYPE_FLOAT32)}, 3]],
        [[{"elementwise_loss": column(rows, pb.DTYPE_FLOAT32), "logprobs": column(rows, pb.DTYPE_BFLOAT16), "ids": column([[1], [2, -3], []], pb.DTYPE_INT32)}, 3]],
        [[{"logprobs": column(rows[:1], pb.DTYPE_FLOAT32)}, 1], [{"logprobs": column([[2**40]], pb.DTYPE_INT64)}, 1]],
        [],
    ]:
        message = pb.ForwardBackwardOutput(loss_fn_output_type="TorchLossReturn", metrics={"loss:sum": 1.5})
        for fields, count in records:
            record = message.loss_fn_outputs.add(num_datums=count)
            for name, value in fields.items():
                record.fields[name].CopyFrom(value)
        data = message.SerializeToString(deterministic=True)
        read = deserialize_forward_backward_output(data)
        outputs = [{k: {"data": plain(v.tolist())} for k, v in one.items()} for one in read.loss_fn_outputs]
        yield {"result": "pass", "bytes": text(data), "value": {"loss_fn_outputs": outputs}}
    for prompt in [None, [float("nan"), -1.5, -2.25]]:
        message = pb.SampleResponse(prompt_cache_hit_tokens=3)
        for reason, tokens, logprobs in [(0, TOKENS, NUMBERS), (1, [5], [-0.125]), (1, [], [])]:
            message.sequences.append(pb.SampledSequence(
                stop_reason=reason, tokens=np.asarray(tokens, np.int32).tobytes(), logprobs=np.asarray(logprobs, np.float32).tobytes()))
        if prompt:
            message.prompt_logprobs = np.asarray(prompt, np.float32).tobytes()
        data = message.SerializeToString(deterministic=True)
        read = deserialize_sample_response(data)
        yield {"result": "samples", "bytes": text(data), "value": {
            "sequences": [{"stop_reason": s.stop_reason, "tokens": list(s.tokens), "logprobs": plain(s.logprobs or [])} for s in read.sequences],
            "prompt_logprobs": None if read.prompt_logprobs is None else plain(read.prompt_logprobs),
        }}


print(json.dumps({"tinker": version("tinker"), "passes": list(passes()), "results": list(results())}))
