#!/usr/bin/env bash
# Runs a command against a real Tinker server, SkyRL with its JAX backend on this machine's processors, and ends the server after it:
#   test/servers/skyrl.sh npx vitest run test/skyrl.test.ts
# The first run makes a virtual environment under .cache/skyrl (several GB). Needs Python 3.11 to 3.13: $RWML_SKYRL_PYTHON.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=$PWD/.cache/skyrl
venv=${RWML_SKYRL_VENV:-$home/venv}
port=${RWML_SKYRL_PORT:-8377}
log=$home/server.log

if [ ! -x "$venv/bin/python" ]; then
  python=${RWML_SKYRL_PYTHON:-$(command -v python3.12 || command -v python3.11)}
  "$python" -m venv "$venv"
  # The last release that speaks JSON: 0.4 takes protobuf alone.
  "$venv/bin/pip" install -q 'skyrl[tinker,jax]==0.3.0' 'tinker==0.25.0' 'jax==0.12.0.1' 'flax==0.12.12' 'transformers==5.8.0'
fi

run=$(mktemp -d "${TMPDIR:-/tmp}/skyrl-XXXXXX")
mkdir -p "$home"

# SkyRL starts its engine by `uv run … -m MODULE`, and reads its own parent's command line for that: this stands for uv.
mkdir "$run/bin"
cat > "$run/bin/uv" <<SHIM
#!/usr/bin/env bash
while [ \$# -gt 0 ] && [ "\$1" != -m ]; do shift; done
"$venv/bin/python" "\$@"
SHIM
chmod +x "$run/bin/uv"

# Written for Python 3.12; before that, pydantic wants the other TypedDict.
cat > "$run/sitecustomize.py" <<'PY'
import sys
if sys.version_info < (3, 12):
    import typing, typing_extensions
    typing.TypedDict = typing_extensions.TypedDict
PY

npx tsx test/servers/qwen3.ts "$run/model"

# A session of its own, so that all it starts can be ended, and nothing else.
PATH=$run/bin:$PATH PYTHONPATH=$run JAX_PLATFORMS=cpu HF_HUB_OFFLINE=1 setsid nice -n 10 \
  "$run/bin/uv" run --extra tinker --extra jax -m skyrl.tinker.api --base-model "$run/model" --backend jax \
  --backend-config '{"max_lora_adapters": 8, "max_lora_rank": 16}' --database-url "sqlite:///$run/tinker.db" \
  --checkpoints-base "$run/checkpoints" --host 127.0.0.1 --port "$port" > "$log" 2>&1 &
server=$!
finish() {
  kill -TERM -- "-$server" 2> /dev/null || true
  for _ in $(seq 50); do kill -0 -- "-$server" 2> /dev/null || break; sleep 0.2; done
  kill -KILL -- "-$server" 2> /dev/null || true
  rm -rf "$run"
}
trap finish EXIT

for _ in $(seq 300); do
  if ! kill -0 "$server" 2> /dev/null; then echo "SkyRL ended before it answered: see $log" >&2; exit 1; fi
  if curl -sf "http://127.0.0.1:$port/api/v1/healthz" > /dev/null; then ready=1; break; fi
  sleep 1
done
if [ -z "${ready:-}" ]; then echo "SkyRL did not answer within 300 s: see $log" >&2; exit 1; fi

RWML_SKYRL_URL=http://127.0.0.1:$port RWML_SKYRL_MODEL=$run/model "$@"
