#!/usr/bin/env bash
# host.sh - measures layers on the host against oneDNN, PyTorch and TensorFlow, and prints Markdown tables. Builds and
# installs missing parts first.
#
#   benchmarks/host.sh [--no-setup] [arguments of benchmarks/host/host.py: --parts=, --rivals=, --threads=, --shapes ...]
#   BUILD=folder benchmarks/host.sh
#   PYPI_TORCH=1 benchmarks/host.sh      also installs PyPI's PyTorch, a CUDA build of 5.4 GB, for --rivals ...,torch2
#
# Rivals are installed in BUILD/rivals (4 GB; PyPI's oneDNN needs the SYCL runtime with a CPU device). A rival that is not
# available is named and skipped: Debian's libdnnl-dev, python3-torch and libopenblas0-pthread need root to install. A full run
# of all parts takes more than half an hour on an otherwise idle machine; --parts and --shapes select less.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="$(realpath "${BUILD:-$here/../build}")"
rivals="$build/rivals"
compiler="$(command -v g++ || command -v clang++-22 || command -v clang++)"

say() { echo "host.sh: $*" >&2; }

# make_venv NAME PACKAGE...: makes a virtual environment with these packages, the first time.
make_venv() {
  local folder="$rivals/$1"
  shift
  [ -f "$folder/.complete" ] && return 0
  rm -rf "$folder"
  /usr/bin/python3 -m venv "$folder" && "$folder/bin/pip" install -q --disable-pip-version-check "$@" &&
    touch "$folder/.complete"
}

setup() {
  mkdir -p "$rivals"
  cmake --build "$build" --target rnn-host-bench rnn-host-peak rnn-compile >&2
  # The first one needs Google Benchmark, the second one RNN_BUILD_EXAMPLES.
  local target
  for target in rnn-codegen-bench rnn-step-bench; do
    cmake --build "$build" --target $target >&2 || say "$target could not be built"
  done
  local worker="$here/host/OneDNN.cpp"
  # Debian's oneDNN.
  if [ "$worker" -nt "$rivals/onednn2" ] || [ "$here/host/Worker.h" -nt "$rivals/onednn2" ]; then
    "$compiler" -O2 -std=c++17 "$worker" -o "$rivals/onednn2" -ldnnl -l:libgomp.so.1 2> "$rivals/onednn2.log" ||
      say "no oneDNN 2 (Debian: libdnnl-dev), see $rivals/onednn2.log"
  fi
  # PyPI's, which is built for SYCL: its CPU device is an OpenCL library.
  make_venv onednn --no-deps onednn onednn-devel intel-cmplr-lib-rt intel-cmplr-lib-ur intel-sycl-rt intel-opencl-rt tbb tcmlib umf ||
    say "no oneDNN 3: its packages could not be installed"
  if [ -f "$rivals/onednn/.complete" ]; then
    if [ "$worker" -nt "$rivals/onednn3" ] || [ "$here/host/Worker.h" -nt "$rivals/onednn3" ]; then
      "$compiler" -O2 -std=c++17 -I"$rivals/onednn/include" "$worker" -o "$rivals/onednn3" "$rivals/onednn/lib/libdnnl.so.3" \
        -Wl,--allow-shlib-undefined 2> "$rivals/onednn3.log" || say "no oneDNN 3, see $rivals/onednn3.log"
    fi
  fi
  /usr/bin/python3 -c "import torch" 2> /dev/null || say "no PyTorch (Debian: python3-torch libopenblas0-pthread)"
  if [ -n "${PYPI_TORCH:-}" ]; then
    make_venv torch2 torch numpy || say "no PyTorch 2: it could not be installed"
  fi
  make_venv tensorflow tensorflow-cpu || say "no TensorFlow: tensorflow-cpu could not be installed"
}

if [ "${1:-}" = --no-setup ]; then
  shift
else
  setup
fi
exec python3 "$here/host/host.py" --build="$build" "$@"
