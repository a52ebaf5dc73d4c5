#!/usr/bin/env bash
# check-avx512.sh - runs the host's compiled loops with AVX-512 and AVX512-BF16: with vectors of 512 and of 256 bits
# (--vector-bits), and with AMX, all compared with the plans in f64. A processor without AMX emulates it
# (unittests/AMXEmulator); there are no runs with AMX under Bochs.
#
#   scripts/check-avx512.sh            on this processor if it has these instructions (seconds), else under Bochs
#   scripts/check-avx512.sh --bochs    under Bochs in any case
#
# Bochs emulates a whole machine: Debian's kernel boots in it, runs the cases and powers off. Takes five minutes, two of them
# for building Bochs. Times under emulation do not predict those of a processor.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
source "$(dirname "${BASH_SOURCE[0]}")/processor-cases.sh"
case "${1:-}" in
  "") if grep -qw avx512_bf16 /proc/cpuinfo; then where=here; else where=bochs; fi ;;
  --bochs) where=bochs ;;
  *) echo "usage: check-avx512.sh [--bochs]" >&2; exit 2 ;;
esac
rnn_install_packages binutils
rnn_configure
ninja -C "$RNN_BUILD_DIR" rnn-compile rnn-bundle-runner
# For runs with AMX: the processor to compile for, and the environment.
amx_cpu=sapphirerapids
amx_environment=
if [ "$where" = here ] && ! grep -qw amx_bf16 /proc/cpuinfo; then
  ninja -C "$RNN_BUILD_DIR" rnn_amx_emulator
  amx_cpu=native,+amx-tile,+amx-bf16
  amx_environment="LD_PRELOAD=$RNN_BUILD_DIR/unittests/AMXEmulator/librnn_amx_emulator.so"
fi
folder="$RNN_BUILD_DIR/avx512"
mkdir -p "$folder"
cd "$folder"

# Builds Bochs and fetches a kernel.
make_bochs() {
  rnn_install_packages bochsbios busybox-static cpio curl grub-common grub-pc-bin make mtools vgabios xorriso xz-utils
  # Debian 12 has Bochs 2.7, without AVX512-BF16; the source of 3.0 is in the archive of Debian 13.
  if [ ! -x bochs-3.0/bochs ]; then
    archive=bochs_3.0+dfsg.orig.tar.xz
    # The server of the packages above.
    server="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | awk '!/security/ && !n++')"
    curl -sSfL "${server%/}/pool/main/b/bochs/$archive" -o "$archive"
    echo "78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b  $archive" | sha256sum --check --quiet
    rm -rf bochs-3.0
    tar -xf "$archive"
    # Bochs 3.0 scales the compressed displacement of vdpbf16ps by 4 bytes. The scale is the vector's size, as for all
    # instructions of tuple type "full", and as LLVM and GNU binutils encode it.
    sed -i '/VDPBF16PS/s/OP_mVdq32/OP_mVdq/' bochs-3.0/cpu/decoder/ia_opcodes_evex.def
    (cd bochs-3.0
     ./configure CC="ccache gcc" CXX="ccache g++" CFLAGS=-O2 CXXFLAGS=-O2 --enable-x86-64 --enable-avx --enable-evex \
       --enable-all-optimizations --with-nogui --disable-docbook
     make -j"$(nproc)") > bochs.build.txt 2>&1 || { tail "$folder/bochs.build.txt" >&2; exit 1; }
  fi

  if [ ! -f vmlinuz ]; then
    kernel="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')"
    rm -rf kernel
    mkdir kernel
    (cd kernel && apt-get download "$kernel" && dpkg-deb -x "$kernel"_*.deb .) > kernel.txt 2>&1 || { cat kernel.txt >&2; exit 1; }
    cp kernel/boot/vmlinuz-* vmlinuz
  fi
}

# print_runs PROGRAM FOLDER: prints a script that runs the cases of FOLDER.
print_runs() {
  local run code cases environment
  for run in "${runs[@]}"; do
    read -r code cases <<< "$run"
    environment=
    [ "$code" != amx ] || environment="$amx_environment"
    echo "echo '== $cases, $code'"
    echo "$environment $1 --device=host --reference=$2/${cases%.*}.plans.so --module=$2/$cases.$code.so $(limit_of "$cases")"
  done
}

# Runs the cases under Bochs.
run_on_bochs() {
  # The initial file system: the cases, the libraries they need, and busybox.
  rm -rf root disk
  mkdir -p root/bin root/dev root/lib64 root/cases disk/boot/grub
  cp "$(command -v busybox)" root/bin/busybox
  cp "$RNN_BUILD_DIR/bin/rnn-bundle-runner" ./*.so root/cases/
  ldd root/cases/rnn-bundle-runner | grep -oE '/[^ ]+' | xargs cp -L -t root/lib64
  {
    echo '#!/bin/busybox sh'
    echo '/bin/busybox mount -t devtmpfs dev /dev'
    echo 'exec > /dev/ttyS0 2>&1'
    echo 'export LD_LIBRARY_PATH=/lib64'
    print_runs /cases/rnn-bundle-runner /cases
    # The serial port needs time to transmit the last characters.
    echo '/bin/busybox sleep 1'
    echo '/bin/busybox poweroff -f'
  } > root/init
  chmod +x root/init
  (cd root && find . | cpio --quiet -o -H newc | gzip -1) > disk/boot/initrd.gz
  cp vmlinuz disk/boot/vmlinuz
  cat > disk/boot/grub/grub.cfg <<'END'
linux /boot/vmlinuz console=ttyS0 quiet panic=1 mitigations=off
initrd /boot/initrd.gz
boot
END
  grub-mkrescue -o disk.iso disk > grub.txt 2>&1 || { cat grub.txt >&2; exit 1; }
  # Debian's kernel does not boot on the models Ice Lake, Tiger Lake and Sapphire Rapids of Bochs 3.0.
  cat > bochsrc <<'END'
cpu: model=corei7_skylake_x, add_features=avx512bf16, ips=100000000
memory: guest=1024, host=1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path=disk.iso, status=inserted
boot: cdrom
display_library: nogui
com1: enabled=1, mode=file, dev=serial.txt
log: bochs.txt
panic: action=fatal
END
  # Bochs's exit status does not depend on the result.
  timeout 1800 bochs-3.0/bochs -q -f bochsrc > bochs.out.txt 2>&1 || true
}

write_cases
for set in blocks cudnn few step; do
  "$RNN_BUILD_DIR/bin/rnn-compile" "$set.f64.mlir" --lowering=runtime -o "$set.plans.so"
done
# CODE CASES. CODE is a vector width in bits, or amx.
runs=()
for cases in "${PROCESSOR_CASES[@]}"; do
  runs+=("512 $cases" "256 $cases")
  # Debian's kernel does not boot on Bochs's model with AMX.
  if [ "$where" = here ] && [ "${cases#*.}" = bf16 ]; then
    runs+=("amx $cases")
  fi
done
failed=0
for run in "${runs[@]}"; do
  read -r code cases <<< "$run"
  case "$code" in
    amx) flags=(--cpu="$amx_cpu" --bf16-gemm=amx) ;;
    *) flags=(--cpu=znver4 --vector-bits="$code") ;;
  esac
  "$RNN_BUILD_DIR/bin/rnn-compile" "$cases.mlir" --lowering=fused "${flags[@]}" -o "$cases.$code.so"
  [ "$code" != 512 ] || has_instruction objdump "$cases.$code.so" zmm || failed=1
  # With AMX, only layers with batch size 1 use vdpbf16ps.
  dot=vdpbf16ps
  [ "$code" != amx ] || dot=tdpbf16ps
  [ "${cases#*.}" != bf16 ] || has_instruction objdump "$cases.$code.so" "$dot" || failed=1
done

: > serial.txt
if [ "$where" = bochs ]; then
  make_bochs
  run_on_bochs
else
  print_runs "$RNN_BUILD_DIR/bin/rnn-bundle-runner" . | sh > serial.txt 2>&1 || true
fi
tr -d '\r' < serial.txt | grep -E '^(==|FAIL|error|[0-9]+ passed)' || true
passed="$(grep -cE '^[1-9][0-9]* passed, 0 failed, 0 skipped' serial.txt || true)"
if [ "$passed" != ${#runs[@]} ]; then
  echo "error: $passed of ${#runs[@]} modules passed; see $folder/serial.txt" >&2
  failed=1
fi
exit "$failed"
