#!/usr/bin/env bash
# gpu-bundle.sh - makes build/gpu-bundle and build/gpu-bundle.tar.gz: everything that a GPU machine without a compiler needs to
# check and measure code that was compiled here. Unpack the archive there and start its run.sh.
#
#   RNN_BUNDLE_CHIP     the GPU that fused kernels are compiled for (sm_90a)
#   RNN_BUNDLE_JOBS     how many modules are compiled in parallel (number of processors)
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
rnn_install_packages
rnn_configure
ninja -C "$RNN_BUILD_DIR" rnn-compile rnn_runtime rnn_emulator rnn-bundle-runner rnn-bundle-bench rnn-bundle-questions rnn-bundle-compare rnn-bundle-loads

bundle="$RNN_BUILD_DIR/gpu-bundle"
sources="$(cd "$(dirname "${BASH_SOURCE[0]}")/../tools/gpu-bundle" && pwd)"
chip="${RNN_BUNDLE_CHIP:-sm_90a}"
rm -rf "$bundle"
mkdir -p "$bundle"/{bin,lib,compat,modules}
cp -L "$RNN_BUILD_DIR"/lib/librnn_runtime.so* "$bundle/lib/"
cp "$RNN_BUILD_DIR"/bin/rnn-bundle-{runner,bench,questions,compare,loads} "$bundle/bin/"
cp "$sources"/{run.sh,with_torch.py} "$bundle/"
# For machines whose C++ library is older than the one that this compiler uses.
for library in libstdc++.so.6 libgcc_s.so.1; do
  cp -L "$(ldconfig -p | awk -v name="$library" '$1 == name && /x86-64|aarch64/ { print $NF; exit }')" "$bundle/compat/"
done

cd "$bundle/modules"
cases() { python3 "$sources/cases.py" "$@"; }
# One compilation per element, all run in parallel at the end. The longest come first.
commands=()
compile() { commands+=("$(printf '%q ' "$RNN_BUILD_DIR/bin/rnn-compile" "$@")"); }
fused() { compile "$@" --lowering=fused -O2; }
# All GEMMs by this project's kernels, or by cuBLASLt if available. Per-step kernels always: persistent kernels have modules
# of their own.
kernels() { fused "$@" --fused-kernel=per_step --large-gemms=kernel; }
library() { fused "$@" --fused-kernel=per_step --large-gemms=library; }

# Fused kernels of the cudnn ops: every variant in f16 and f32; in bf16 and f64, variants that together have every feature,
# since each takes as long to compile. Two types are also compiled for the host, where run.sh is tested.
some=lstm_bidirectional_lengths,gru_bidirectional_lengths,rnn_tanh_skip,rnn_relu_bidirectional
for dtype in f16 f32; do
  cases --stacks --dtype $dtype -o stacks_$dtype.mlir
  kernels stacks_$dtype.mlir --target=cuda --chip="$chip" -o stacks_cuda_$dtype.so
done
for dtype in bf16 f64; do
  cases --stacks --dtype $dtype --match $some -o stacks_$dtype.mlir
  kernels stacks_$dtype.mlir --target=cuda --chip="$chip" -o stacks_cuda_$dtype.so
  fused stacks_$dtype.mlir --target=host -o stacks_host_$dtype.so
done
# Persistent kernels of both ops; f32 in full precision, and with operands rounded to tf32.
inputs="$RNN_SOURCE_DIR/test/Integration/Inputs"
clusters() { for script in persistent_cases persistent_forward_cases persistent_stacks; do python3 "$inputs/$script.py" "$@"; done; }
for dtype in f16 f32; do
  clusters $dtype > clusters_$dtype.mlir
  fused clusters_$dtype.mlir --target=cuda --chip="$chip" -o clusters_cuda_$dtype.so
done
python3 "$inputs/persistent_stacks.py" bf16 > clusters_bf16.mlir
fused clusters_bf16.mlir --target=cuda --chip="$chip" -o clusters_cuda_bf16.so
for script in persistent_cases persistent_forward_cases; do python3 "$inputs/$script.py" f32; done > clusters_tf32.mlir
fused clusters_tf32.mlir --target=cuda --chip="$chip" --tf32 -o clusters_cuda_tf32.so
clusters f64 > clusters_f64.mlir
compile clusters_f64.mlir --lowering=runtime -O2 -o clusters_plans_f64.so
cases --stacks --dtype f64 -o stacks_plans.mlir
compile stacks_plans.mlir --lowering=runtime -O2 -o stacks_plans_f64.so
# Fused kernels of the block ops, as PTX for every GPU from sm_80 on.
cases --blocks --dtype f64 -o blocks_f64.mlir
compile blocks_f64.mlir --lowering=runtime -O2 -o blocks_plans_f64.so
for dtype in f16 bf16 f32 f64; do
  cases --blocks --dtype $dtype -o blocks_$dtype.mlir
  kernels blocks_$dtype.mlir --target=cuda -o blocks_cuda_$dtype.so
done
for dtype in bf16 f64; do
  fused blocks_$dtype.mlir --target=host -o blocks_host_$dtype.so
done
for dtype in f16 f32; do
  cp blocks_$dtype.mlir library_$dtype.mlir
  library library_$dtype.mlir --target=cuda -o library_cuda_$dtype.so
done
# The modules that are measured, with the compiler's list of candidates; and f64 as the reference for their errors: fused
# kernels on a GPU, plans on the host.
timed() { fused "timed_$1.mlir" "${@:3}" -o "timed_$2.so" --emit-candidates="timed_$2.jsonl"; }
for dtype in f16 bf16 f32; do
  cases --timed --dtype $dtype -o timed_$dtype.mlir
  timed $dtype cuda_$dtype --target=cuda --chip="$chip"
done
cases --timed-tf32 -o timed_tf32.mlir
timed tf32 cuda_tf32 --target=cuda --chip="$chip" --tf32
cases --timed-reference -o timed_f64.mlir
fused timed_f64.mlir --target=cuda --chip="$chip" -o timed_cuda_f64.so
compile timed_f64.mlir --lowering=runtime -O2 -o timed_host_f64.so
cases --timed-small --block-plans --dtype f32 -o timed_small_f32.mlir
timed small_f32 host_f32 --target=host
# Stacks of layers, layers with resets and batch-major layers.
for dtype in f16 bf16 f32; do
  cases --variants --dtype $dtype -o variants_$dtype.mlir
  fused variants_$dtype.mlir --target=cuda --chip="$chip" -o variants_cuda_$dtype.so --emit-candidates=variants_cuda_$dtype.jsonl
done
fused variants_f32.mlir --target=cuda --chip="$chip" --tf32 -o variants_cuda_tf32.so --emit-candidates=variants_cuda_tf32.jsonl
cases --variants --dtype f64 --reference -o variants_f64.mlir
fused variants_f64.mlir --target=cuda --chip="$chip" -o variants_cuda_f64.so
cases --variants-small --dtype f32 -o variants_small_f32.mlir
fused variants_small_f32.mlir --target=host -o variants_host_f32.so --emit-candidates=variants_host_f32.jsonl
cases --variants-small --dtype f64 --reference -o variants_small_f64.mlir
compile variants_small_f64.mlir --lowering=runtime -O2 -o variants_host_f64.so
# Steps alone, for the time of their loads.
cases --loads --dtype f16 -o loads.mlir
fused loads.mlir --target=cuda --chip="$chip" -o loads_cuda.so
cases --loads-small --dtype f32 -o loads_small.mlir
fused loads_small.mlir --target=host -o loads_host.so
# The emulator's results are part of the bundle.
for dtype in f16 f32; do
  cases --emulated --dtype $dtype -o emulated_$dtype.mlir
  kernels emulated_$dtype.mlir --target=cuda --chip="$chip" -o emulated_cuda_$dtype.so
  fused emulated_$dtype.mlir --target=host -o emulated_host_$dtype.so
  compile emulated_$dtype.mlir --target=simt --lowering=fused --large-gemms=kernel -O0 -o emulated_simt_$dtype.so
done
# Plans: every test in every element type for the device, and in f64 for the host as the reference. bf16 also runs on the host,
# so that run.sh can be tested without a GPU.
for dtype in f16 bf16 f32 f64; do
  cases --dtype $dtype -o plans_$dtype.mlir
  compile plans_$dtype.mlir --target=cuda --lowering=runtime -O2 -o plans_cuda_$dtype.so
done
for dtype in bf16 f64; do
  compile plans_$dtype.mlir --target=host --lowering=runtime -O2 -o plans_host_$dtype.so
done
printf '%s\0' "${commands[@]}" | xargs -0 -P "${RNN_BUNDLE_JOBS:-$(nproc)}" -n 1 bash -c
python3 "$sources/timed.py" timed_*.jsonl variants_cuda_*.jsonl || echo "warning: these ops will have no complete tuning record from the bundle's measurements"
cp plans_host_f64.so plans_plans_f64.so
cp blocks_plans_f64.so library_plans_f64.so
for dtype in f16 f32; do
  "$bundle/bin/rnn-bundle-runner" --device=simt --module=emulated_simt_$dtype.so --save=emulated_$dtype.bin > /dev/null
  rm emulated_simt_$dtype.so
done
clang++-22 --target=nvptx64-nvidia-cuda -march=sm_80 -std=c++17 -O3 -nocudalib -S "$sources/PerStepKernels.cpp" -o per_step.ptx
# PTX ISA 8.6 has the fence of the persistent kernels.
clang++-22 --target=nvptx64-nvidia-cuda -march=sm_90a -Xclang -target-feature -Xclang +ptx86 -std=c++17 -O3 -nocudalib \
  -S "$sources/ExperimentKernels.cpp" -o experiments.ptx

ptxas="$(command -v ptxas || echo "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas")"
if [ -x "$ptxas" ]; then
  python3 "$sources/kernels.py" --compiler "$RNN_BUILD_DIR/bin/rnn-compile" --ptxas "$ptxas" --chip "$chip" \
    --ptx per_step.ptx --module variants_f16.mlir --module variants_bf16.mlir --module variants_f32.mlir \
    --tf32-module variants_f32.mlir > "$bundle/kernels.md"
else
  echo "There was no ptxas when this bundle was made." > "$bundle/kernels.md"
fi
tar -czf "$bundle.tar.gz" -C "$RNN_BUILD_DIR" gpu-bundle
du -sh "$bundle" "$bundle.tar.gz" | awk '{ print $2 " is ready, " $1 }'
