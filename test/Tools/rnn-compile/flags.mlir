// Invalid flags and inputs: messages, exit status, and no leftover files.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: not rnn-compile %s 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not rnn-compile %s -o model.exe 2>&1 | FileCheck %s --check-prefix=ENDING
// RUN: not rnn-compile %s -o m.so --target=moon 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not rnn-compile %s -o m.so --chip=sm_90a 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not rnn-compile %s -o m.so --tf32 2>&1 | FileCheck %s --check-prefix=TF32
// RUN: not rnn-compile %s -o m.so --lowering=magic 2>&1 | FileCheck %s --check-prefix=LOWERING
// RUN: not rnn-compile %s -o m.so -O4 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not rnn-compile %s -o m.so --prefix=my-net 2>&1 | FileCheck %s --check-prefix=PREFIX
// RUN: not rnn-compile %s -o m.so --stop-after=never 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not rnn-compile %s -o m.so --stop-after=lower 2>&1 | FileCheck %s --check-prefix=STOP
// RUN: not rnn-compile %s -o m.mlir --emit-header=m.h 2>&1 | FileCheck %s --check-prefix=HEADER
// RUN: not rnn-compile %s -o m.so --cpu=abacus 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not rnn-compile %s -o m.so --triple=x86_64-linux-gnu --cpu=znver4,+abacus 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not rnn-compile %s -o m.so --triple=x86_64-linux-gnu --cpu=znver4,amx-tile 2>&1 | FileCheck %s --check-prefix=SIGN
// RUN: not rnn-compile %s -o m.mlir --cpu=abacus 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not rnn-compile %s -o m.mlir --triple=x86_64-linux-gnu --cpu=znver4,+abacus 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not rnn-compile %s -o m.so --triple=abacus-linux 2>&1 | FileCheck %s --check-prefix=TRIPLE
// RUN: not rnn-compile %s -o m.so --triple=i386-linux-gnu 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not rnn-compile %s -o m.o --triple=x86_64-linux-gnux32 2>&1 | FileCheck %s --check-prefix=X32
// RUN: not rnn-compile %s -o m.o --triple=aarch64-linux-gnu_ilp32 2>&1 | FileCheck %s --check-prefix=ILP32
// RUN: not rnn-compile %s -o m.so --linker=%t/none 2>&1 | FileCheck %s --check-prefix=LINKER
// RUN: env PATH=%t not %rnn_compile %s -o m.so 2>&1 | FileCheck %s --check-prefix=LINKERS
// RUN: not rnn-compile none.mlir -o m.so 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not rnn-compile %s -o %t/none/m.so 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not rnn-compile %s -o m.o --emit-header=none/m.h 2>&1 | FileCheck %s --check-prefix=HEADER-FOLDER
// RUN: not rnn-compile %s -o m.o --emit-header=%t 2>&1 | FileCheck %s --check-prefix=REGULAR
// RUN: not rnn-compile %s -o m.so --remarks='(' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: rnn-compile --version | FileCheck %s --check-prefix=RNN-VERSION
// RUN: rnn-opt --version | FileCheck %s --check-prefix=RNN-VERSION
// An output never replaces the input or another output.
// RUN: cp %s input.mlir
// RUN: not rnn-compile input.mlir -o ./input.mlir 2>&1 | FileCheck %s --check-prefix=ITSELF
// RUN: not rnn-compile input.mlir -o m.so --emit-header=input.mlir 2>&1 | FileCheck %s --check-prefix=REPLACED
// RUN: not rnn-compile input.mlir -o m.so --emit-header=m.so 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: cmp input.mlir %s && rm input.mlir
// RUN: echo "" | rnn-compile - -o empty.so 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: rm empty.so
// The message contains the output of a linker that fails.
// RUN: echo '#!/bin/sh' > ld.sh && echo 'echo "it went wrong" >&2; exit 3' >> ld.sh && chmod +x ld.sh
// RUN: not rnn-compile %s -o m.so --emit-header=m.h --linker=./ld.sh 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: echo "func.func @f(%%x: tensor<4xcomplex<f32>>) { return } func.func @g(%%x: i7) { return }" > complex.mlir
// RUN: not rnn-compile complex.mlir -o m.so --emit-header=m.h 2>&1 | FileCheck %s --check-prefix=EXPORT
// RUN: echo "func.func @f(" > text.mlir
// RUN: not rnn-compile text.mlir -o m.so --emit-header=m.h 2>&1 | FileCheck %s --check-prefix=TEXT
// Linux on RISC-V requires multiplication and floating point.
// RUN: rnn-compile %s --triple=riscv64-linux-gnu -o riscv.o && llvm-readelf --file-header riscv.o | FileCheck %s --check-prefix=RISCV
// RUN: rm riscv.o
// RUN: ls | FileCheck %s --check-prefix=LEFT

// X32: rnn-compile: error: the triple `x86_64-unknown-linux-gnux32` is not supported: expected a processor with addresses of 64 bits
// ILP32: rnn-compile: error: the triple `aarch64-unknown-linux-gnu_ilp32` is not supported
// RISCV: Flags: {{.*}}double-float ABI
// RNN-VERSION: rnn-mlir version {{[0-9]+\.[0-9]+\.[0-9]+}}
// REGEX: rnn-compile: error: --remarks expects a regular expression, but got `(`: parentheses not balanced
// ITSELF: rnn-compile: error: -o names the input `./input.mlir`, which it would replace
// REPLACED: rnn-compile: error: --emit-header names the input `input.mlir`, which it would replace
// TWICE: rnn-compile: error: -o and --emit-header name the same file, `m.so`
// EMPTY: rnn-compile: warning: `empty.so` has no function to call, since `-` has no public function with a body
// OUTPUT: rnn-compile: error: no output; name one with -o FILE.so, FILE.o, FILE.ll, FILE.mlir, FILE.ptx or FILE.cubin
// ENDING: rnn-compile: error: the output `model.exe` has an unknown extension; expected .so, .o, .ll, .mlir, .ptx or .cubin
// TARGET: rnn-compile: for the --target option: unknown value `moon`; expected host, cuda or simt
// CHIP: rnn-compile: error: --chip requires --target=cuda, but the target is `host`
// TF32: rnn-compile: error: --tf32 requires --target=cuda or --target=simt, but the target is `host`
// LOWERING: rnn-compile: for the --lowering option: unknown value `magic`; expected auto, runtime or fused
// LEVEL: rnn-compile: error: -O expects a level from 0 to 3, but got 4
// PREFIX: rnn-compile: error: --prefix expects a name of letters, digits and `_` that does not begin with a digit, but got `my-net`
// STAGE: rnn-compile: for the --stop-after option: unknown value `never`; expected import, simplify, select, bufferize, lower, emit or run
// STOP: rnn-compile: error: --stop-after=lower produces MLIR, which cannot be written as `m.so`; use -o FILE.mlir or -o -
// HEADER: rnn-compile: error: --emit-header describes compiled functions; use it with -o FILE.so, FILE.o or FILE.ll
// CPU: rnn-compile: error: unknown cpu `abacus` for `{{.*}}`; expected `native` or one of LLVM's names, such as x86-64-v3
// FEATURE: rnn-compile: error: unknown feature `+abacus` for `x86_64-unknown-linux-gnu`; expected + or - and one of LLVM's names, such as +avx512bf16
// SIGN: rnn-compile: error: unknown feature `amx-tile` for `x86_64-unknown-linux-gnu`; expected + or -
// TRIPLE: rnn-compile: error: unknown triple `abacus-unknown-linux`
// NARROW: rnn-compile: error: the triple `i386-unknown-linux-gnu` is not supported: expected a processor with addresses of 64 bits
// LINKER: rnn-compile: error: there is no linker `{{.*}}none`
// LINKERS: rnn-compile: error: found no linker; looked for ld.lld-22, ld.lld, cc and ld on the path. Install one (Debian: lld-22), name one, or make an object file and link that elsewhere
// MISSING: rnn-compile: error: cannot open input file 'none.mlir': No such file or directory
// FOLDER: rnn-compile: error: cannot write `{{.*}}none/m.so`: {{.*}}No such file or directory
// HEADER-FOLDER: rnn-compile: error: cannot write `none/m.h`: {{.*}}No such file or directory
// REGULAR: rnn-compile: error: cannot write `{{.*}}`: it exists and is not a regular file
// WRONG: rnn-compile: error: the linker `{{.*}}ld.sh` failed: it went wrong
// EXPORT: error: `f` cannot be exported: argument 0 of type 'memref<4xcomplex<f32>>' has complex elements, which the runtime does not have: pass the real and imaginary parts; make the function private if it is not called from outside
// EXPORT: error: `g` cannot be exported: argument 0 of type 'i7' is neither
// EXPORT: rnn-compile: error: the module could not be compiled, see the errors above
// TEXT: text.mlir:{{.*}}: error: expected
// LEFT: complex.mlir
// LEFT-NEXT: ld.sh
// LEFT-NEXT: text.mlir
// LEFT-NOT: {{.}}
func.func @main(%x: tensor<3xf32>, %k: i32) -> (tensor<3xf32>, i32) {
  %two = arith.constant dense<2.0> : tensor<3xf32>
  %y = arith.mulf %x, %two : tensor<3xf32>
  return %y, %k : tensor<3xf32>, i32
}
