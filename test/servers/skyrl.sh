#!/usr/bin/env bash
# Runs a command against a real Tinker server, SkyRL with its JAX backend on this machine's processors, and ends the server after it:
#   test/servers/skyrl.sh npx vitest run test/skyrl.test.ts
# With --install it only makes the virtual environment, under .cache/skyrl; torch and peft are those of `npm run referees`. Where
# RWML_SKYRL_MINUTES is set, tests stop asking the server after so long, and a server that does not answer is no failure.
# RWML_SKYRL_VERSION=0.4.0 takes the next release, which speaks protobuf: it wants Python 3.12 (RWML_SKYRL_PYTHON) and a torch for it, 6 GB.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=$PWD/.cache/skyrl
version=${RWML_SKYRL_VERSION:-0.3.0}
venv=${RWML_SKYRL_VENV:-$home/venv-$version}
port=${RWML_SKYRL_PORT:-8377}
log=$home/server.log
mkdir -p "$home"

if [ -z "${RWML_SKYRL_VENV:-}" ] && [ ! -e "$venv/ready" ] && [ "$version" = 0.4.0 ]; then
  python=${RWML_SKYRL_PYTHON:-python3.12}
  if ! "$python" --version > /dev/null 2>&1; then
    echo "$python does not run: name a Python 3.12 or later in RWML_SKYRL_PYTHON" >&2
    exit 1
  fi
  "$python" -m venv --clear "$venv"
  "$venv/bin/pip" install -q --no-compile 'skyrl[tinker,jax]==0.4.0' aiohttp==3.14.5 torch==2.13.0
  touch "$venv/ready"
elif [ -z "${RWML_SKYRL_VENV:-}" ] && [ ! -e "$venv/ready" ]; then
  if ! .venv/bin/python -c 'import torch, peft' 2> /dev/null; then
    echo 'SkyRL needs torch and peft: run "npm run referees" first' >&2
    exit 1
  fi
  python3 -m venv --clear "$venv"
  # Most of what it depends on is for GPUs.
  "$venv/bin/pip" install -q --no-compile --no-deps skyrl==0.3.0 tinker==0.25.0
  "$venv/bin/pip" install -q --no-compile jax==0.10.2 flax==0.12.8 optax==0.2.8 transformers==5.8.0 fastapi==0.165.0 uvicorn==0.54.0 \
    sqlmodel==0.0.50 aiosqlite==0.22.1 greenlet==3.5.6 psutil==7.2.2 cloudpathlib==0.26.0 httpx==0.28.1 rich==15.0.0
  packages='import site; print(site.getsitepackages()[0])'
  .venv/bin/python -c "$packages" > "$("$venv/bin/python" -c "$packages")/referees.pth"
  touch "$venv/ready"
fi
if [ "${1:-}" = --install ]; then exit 0; fi
case $("$venv/bin/python" -c 'from importlib.metadata import version; print(version("skyrl"))') in
  0.3.*) codec=json ;;
  *) codec=protobuf ;;
esac

if (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
  echo "port $port is taken: name another in RWML_SKYRL_PORT" >&2
  exit 1
fi

run=$(mktemp -d "${TMPDIR:-/tmp}/skyrl-XXXXXX")

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
  if ! kill -0 "$server" 2> /dev/null; then break; fi
  # It says so before its engine is there.
  if curl -sf "http://127.0.0.1:$port/api/v1/healthz" > /dev/null; then
    if npx tsx test/servers/ready.ts "http://127.0.0.1:$port" "$run/model"; then ready=1; fi
    break
  fi
  sleep 1
done
if [ -z "${ready:-}" ]; then
  echo "SkyRL does not answer: see $log" >&2
  if [ -z "${RWML_SKYRL_MINUTES:-}" ]; then exit 1; fi
  echo 'Its tests are skipped.' >&2
  "$@"
  exit
fi

RWML_SKYRL_URL=http://127.0.0.1:$port RWML_SKYRL_MODEL=$run/model RWML_SKYRL_CODEC=$codec "$@"
