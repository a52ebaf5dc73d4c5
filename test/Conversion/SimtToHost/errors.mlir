// Ops that the emulator does not support are errors at their location.
// RUN: rnn-opt %s --split-input-file --simt-to-host --verify-diagnostics

gpu.module @kernels {
  llvm.func @unknown_op() attributes {nvvm.kernel} {
    // expected-error @below {{'nvvm.setmaxregister' op cannot be emulated on target simt}}
    nvvm.setmaxregister increase 232
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @assembly(%x: i32) attributes {nvvm.kernel} {
    // expected-error @below {{'llvm.inline_asm' op cannot be emulated on target simt: the effects of assembly are not known; use an op instead}}
    llvm.inline_asm has_side_effects "bar.arrive $0, 64;", "n" %x : (i32) -> ()
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @ptx(%x: i32) attributes {nvvm.kernel} {
    // expected-error @below {{'nvvm.inline_ptx' op cannot be emulated on target simt: the effects of assembly are not known}}
    nvvm.inline_ptx "bar.arrive 1, {$r0};" ro(%x : i32)
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @not_lowered(%x: f32) -> f32 attributes {nvvm.kernel} {
    // expected-error @below {{'math.exp' op cannot be emulated on target simt: it was not lowered to the NVVM dialect}}
    %y = math.exp %x : f32
    llvm.return %y : f32
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op cannot be emulated on target simt: it was not lowered to the NVVM dialect}}
  gpu.func @too_early() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @somewhere(i32)
  llvm.func @unknown_function(%x: i32) attributes {nvvm.kernel} {
    // expected-error @below {{'llvm.call' op cannot be emulated on target simt: there is no function `somewhere`}}
    llvm.call @somewhere(%x) : (i32) -> ()
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @__nv_unheard_of(f32) -> f32
  llvm.func @unknown_libdevice(%x: f32) attributes {nvvm.kernel} {
    // expected-error @below {{'llvm.call' op cannot be emulated on target simt: there is no function `__nv_unheard_of`}}
    %y = llvm.call @__nv_unheard_of(%x) : (f32) -> f32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @pointer(%f: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @below {{'llvm.call' op cannot be emulated on target simt: it calls through a pointer}}
    llvm.call %f() : !llvm.ptr, () -> ()
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @integers(%a: i32, %b: i32, %c: i32) attributes {nvvm.kernel} {
    // expected-error @below {{'nvvm.mma.sync' op cannot be emulated on target simt: expects f16 or bf16 in m16n8k8 or m16n8k16, tf32 in m16n8k4 or m16n8k8, or f64 in m8n8k4, but got s8 in m8n8k16}}
    %d = nvvm.mma.sync A[%a] B[%b] C[%c, %c] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
        layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>,
        multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 8, n = 8, k = 16>}
        : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
    llvm.return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @early(%n: index) {
    // expected-error @below {{'gpu.launch_func' op is in a function that is not lowered; run gpu-to-llvm before simt-to-host}}
    gpu.launch_func @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

llvm.func @mgpuTensorMapEncodeTiledMemref(!llvm.ptr) -> !llvm.ptr
llvm.func @host(%x: !llvm.ptr) {
  // expected-error @below {{'llvm.call' op cannot be emulated on target simt: it calls `mgpuTensorMapEncodeTiledMemref` of upstream's GPU runtime}}
  %y = llvm.call @mgpuTensorMapEncodeTiledMemref(%x) : (!llvm.ptr) -> !llvm.ptr
  llvm.return
}
