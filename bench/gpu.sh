#!/usr/bin/env bash
# The local engine on ONNX Runtime's CUDA provider beside PyTorch, on a borrowed machine without a network, in at most 8 minutes.
#
#   bench/gpu.sh [--provider cuda|cpu] [--quick] [CARRIED]
#
# CARRIED (default: gpu-carried/ in the repository) is a folder of what the machine may lack; of it is used what is there:
#   node/          Node, with bin/
#   node_modules/  the package's, as npm ci made it on Linux x64
#   onnxruntime/   libonnxruntime_providers_cuda.so and libonnxruntime_providers_shared.so of onnxruntime-node's version: what
#                  its install script downloads
#   cuda/          shared libraries of CUDA and cuDNN that these were built for, unless PyTorch brings the same
#   venv/          a Python with PyTorch and transformers, or
#   wheels/        their wheels
#   model/         SmolLM2-135M-Instruct, a Hugging Face folder; else models/mini
# Results go to $OUT, or to gpu-results/. `--provider cpu` tries all of it on a machine without a card, `--quick` at tiny sizes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

provider=cuda
quick=()
carried=$root/gpu-carried
while (($# > 0)); do
  case $1 in
    --provider) provider=${2:-} && shift $(($# > 1)) ;;
    --quick) quick=(--quick) ;;
    -*) echo "gpu.sh: no option $1; there are --provider cuda|cpu and --quick" >&2 && exit 2 ;;
    *) carried=$1 ;;
  esac
  shift
done
if [[ $provider != cuda && $provider != cpu ]]; then
  echo "gpu.sh: --provider is cuda or cpu, not '$provider'" >&2
  exit 2
fi
[[ -d $carried ]] && carried=$(cd "$carried" && pwd)
out=${OUT:-$root/gpu-results}
mkdir -p "$out" && out=$(cd "$out" && pwd)
cd "$root"

ready=true
lacks() {
  echo "missing: $1"
  ready=false
}

# Node and its packages
[[ -d $carried/node/bin ]] && PATH=$carried/node/bin:$PATH
if command -v node >/dev/null; then echo "node: $(node --version)"; else lacks 'node 20 or later'; fi
if [[ ! -d node_modules && -d $carried/node_modules ]]; then ln -s "$carried/node_modules" node_modules; fi
if [[ -d node_modules/tsx && -d node_modules/onnxruntime-node ]]; then
  echo 'node_modules: here'
else
  lacks "node_modules with tsx and onnxruntime-node (npm ci where there is a network, then carry them)"
fi

# Python with PyTorch that sees the card; without, our engine is measured alone
has_torch() { "$1" -c "import torch, transformers; assert '$provider' == 'cpu' or torch.cuda.is_available()" 2>/dev/null; }
python=
alone=()
for one in "${RWML_PYTHON:-}" "$carried/venv/bin/python" .venv/bin/python python3; do
  if [[ -n $one ]] && has_torch "$one"; then python=$one && break; fi
done
if [[ -z $python && -d $carried/wheels ]] && command -v python3 >/dev/null; then
  echo 'installing the wheels'
  if timeout 60 python3 -m venv .cache/gpu-venv &&
    timeout 90 .cache/gpu-venv/bin/pip install --quiet --no-index --no-compile --find-links "$carried/wheels" torch transformers &&
    has_torch .cache/gpu-venv/bin/python; then
    python=.cache/gpu-venv/bin/python
  fi
fi
if [[ -n $python ]]; then
  export RWML_PYTHON=$python
  echo "PyTorch: $("$python" -c 'import torch; print(torch.__version__, "CUDA", torch.version.cuda, torch.cuda.is_available())')"
else
  echo 'missing: python3 with transformers and a torch that sees the card; our engine is measured without them'
  alone=(--alone)
  command -v python3 >/dev/null || lacks 'python3, of any kind'
fi

# The card and ONNX Runtime's library for it
if [[ $provider == cuda ]]; then
  if card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null); then
    echo "card: $card"
  else
    lacks 'an NVIDIA card with its driver (nvidia-smi)'
  fi
  beside=node_modules/onnxruntime-node/bin/napi-v6/linux/x64
  for name in libonnxruntime_providers_shared.so libonnxruntime_providers_cuda.so; do
    if [[ ! -e $beside/$name && -e $carried/onnxruntime/$name && -d $beside ]]; then
      cp "$carried/onnxruntime/$name" "$beside/"
    fi
    if [[ -e $beside/$name ]]; then echo "$name: here"; else lacks "$name in $carried/onnxruntime or $beside"; fi
  done
  # The provider finds CUDA where it was carried, or where a Python's packages have it.
  libraries=$carried/cuda
  if [[ -n $python ]]; then
    for folder in "$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"/nvidia/*/lib; do
      libraries=$libraries:$folder
    done
  fi
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  # float32 on both sides: ONNX Runtime rounds products to TF32 where it is left to, PyTorch does not.
  export NVIDIA_TF32_OVERRIDE=0
  if [[ -e $beside/libonnxruntime_providers_cuda.so ]] && command -v ldd >/dev/null; then
    while read -r name _; do
      lacks "$name, which the CUDA provider needs (carry it in $carried/cuda)"
    # libcuda comes with the card's driver.
    done < <(ldd "$beside/libonnxruntime_providers_cuda.so" 2>/dev/null | grep 'not found' | grep -v libcuda.so || true)
  fi
  # What is loaded later (cuDNN) shows only when a session opens.
  if [[ $ready == true ]]; then
    opening="import { loadRuntime, requireProvider } from './src/engines/local/runtime.ts'
      await requireProvider(await loadRuntime(), 'cuda').catch((error) => { console.log(error.message); process.exit(1) })"
    if refused=$(timeout 60 node --import tsx --input-type=module --eval "$opening"); then
      echo 'a session on the card: opens'
    else
      lacks "a session on the card; ${refused:-no answer within 60 s}"
    fi
  fi
fi

# The model
[[ -z ${RWML_SMOLLM2:-} && -d $carried/model ]] && export RWML_SMOLLM2=$carried/model
if [[ -n ${RWML_SMOLLM2:-} ]]; then echo "model: $RWML_SMOLLM2"; else echo 'model: in .cache/models, else models/mini'; fi

if [[ $ready == false ]]; then
  echo 'nothing was run: see what is missing above'
  exit 1
fi

failed=0
# part NAME SECONDS: one process, whose results are in the file when it ends
part() {
  local started=$SECONDS code=0
  echo "== $1, at most $2 s"
  timeout --kill-after=5 "$2" node --import tsx bench/gpu.ts "$1" --provider "$provider" "${quick[@]}" "${alone[@]}" \
    --out "$out/gpu.json" || code=$?
  if ((code == 0)); then
    echo "== $1: $((SECONDS - started)) s, kept in $out/gpu.json"
  else
    failed=1
    if ((code == 124 || code == 137)); then echo "== $1: stopped after $2 s"; else echo "== $1: failed (exit $code), see above"; fi
  fi
}

part gradients 110
part step 80
part decoding 100
exit "$failed"
