"""Python's `openai` and `tinker` at the server of `bench/clients/`: clients.py CLIENT URL TOKENS SAMPLES RUNS FOLDER prints what each run took.

As `bench/clients/drive.ts`, which is ours: so many samples asked for at once, a thousand under way, a first run of few not counted.
"""

import asyncio
import json
import resource
import sys
import time

IN_FLIGHT = 1000


def prompt(at):
    return [5 + (at * 13 + i) % 900 for i in range(32)]


async def openai_client(url, name):
    import httpx
    from openai import AsyncOpenAI

    limits = httpx.Limits(max_connections=IN_FLIGHT, max_keepalive_connections=IN_FLIGHT)
    client = AsyncOpenAI(
        base_url=f"{url}/v1", api_key="none", http_client=httpx.AsyncClient(limits=limits, timeout=600), max_retries=0
    )

    async def completion(at, tokens):
        answer = await client.completions.create(
            model="tiny", prompt=prompt(at), max_tokens=tokens, temperature=1, seed=at, logprobs=0,
            extra_body={"return_token_ids": True, "return_tokens_as_token_ids": True},
        )
        assert len(answer.choices[0].token_ids) == tokens

    async def chat(at, tokens):
        stream = await client.chat.completions.create(
            model="tiny", messages=[{"role": "user", "content": f"Task {at}: what do you see?"}], max_tokens=tokens,
            seed=1, stream=True, stream_options={"include_usage": True},
        )
        pieces = 0
        async for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                pieces += 1
        assert pieces == tokens

    return completion if name == "vllm" else chat


async def tinker_client(url):
    import logging

    from tinker import ServiceClient, types

    logging.disable(logging.WARNING)
    sampler = await ServiceClient(base_url=url, api_key="tml-none").create_sampling_client_async(base_model="tiny")

    async def sample(at, tokens):
        answer = await sampler.sample_async(
            prompt=types.ModelInput.from_ints(prompt(at)), num_samples=1,
            sampling_params=types.SamplingParams(max_tokens=tokens, temperature=1, seed=at),
        )
        assert len(answer.sequences[0].tokens) == tokens and len(answer.sequences[0].logprobs) == tokens

    return sample


async def main():
    name, url, tokens, samples, runs = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    one = await (tinker_client(url) if name == "tinker" else openai_client(url, name))
    gate = asyncio.Semaphore(IN_FLIGHT)
    late = []

    async def watch():
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append((time.perf_counter() - began - 0.001) * 1000)

    async def through(at):
        async with gate:
            await one(at, tokens)

    measured = []
    for run in range(runs + 1):
        count = samples if run > 0 else 50
        late.clear()
        watching = asyncio.create_task(watch())
        began, before = time.perf_counter(), time.process_time()
        await asyncio.gather(*(through(at) for at in range(count)))
        seconds, cpu = time.perf_counter() - began, time.process_time() - before
        watching.cancel()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        lateness = sorted(late)[int(len(late) * 0.99)] if late else seconds * 1000
        if run > 0:
            measured.append({"seconds": seconds, "cpu": cpu * 1e6, "lateness": lateness, "memory": memory})
    print(json.dumps(measured), flush=True)


asyncio.run(main())
