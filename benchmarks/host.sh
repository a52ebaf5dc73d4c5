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
# of all parts takes more than half an hour on an otherwise idle machine; --parts and --shapes select less, and --resume=FILE
# with --minutes=N measures it by several commands (benchmarks/README.md).
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

# make_onednn SOURCE SUFFIX: builds a worker with Debian's oneDNN and with PyPI's.
make_onednn() {
  local source="$here/host/$1" old="$rivals/onednn2$2" new="$rivals/onednn3$2" header
  for header in Worker.h Matmul.h; do
    [ "$here/host/$header" -nt "$old" ] && rm -f "$old"
    [ "$here/host/$header" -nt "$new" ] && rm -f "$new"
  done
  if [ "$source" -nt "$old" ]; then
    "$compiler" -O2 -std=c++17 "$source" -o "$old" -ldnnl -l:libgomp.so.1 2> "$old.log" ||
      say "no oneDNN 2 (Debian: libdnnl-dev), see $old.log"
  fi
  if [ -f "$rivals/onednn/.complete" ] && [ "$source" -nt "$new" ]; then
    "$compiler" -O2 -std=c++17 -I"$rivals/onednn/include" "$source" -o "$new" "$rivals/onednn/lib/libdnnl.so.3" \
      -Wl,--allow-shlib-undefined 2> "$new.log" || say "no oneDNN 3, see $new.log"
  fi
}

setup() {
  mkdir -p "$rivals"
  cmake --build "$build" --target rnn-host-bench rnn-host-peak rnn-matmul-bench rnn-compile >&2
  # The first one needs Google Benchmark, the second one RNN_BUILD_EXAMPLES.
  local target
  for target in rnn-codegen-bench rnn-step-bench; do
    cmake --build "$build" --target $target >&2 || say "$target could not be built"
  done
  # PyPI's oneDNN is built for SYCL: its CPU device is an OpenCL library.
  make_venv onednn --no-deps onednn onednn-devel intel-cmplr-lib-rt intel-cmplr-lib-ur intel-sycl-rt intel-opencl-rt tbb tcmlib umf ||
    say "no oneDNN 3: its packages could not be installed"
  make_onednn OneDNN.cpp ""
  make_onednn OneDNNMatmul.cpp -matmul
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
