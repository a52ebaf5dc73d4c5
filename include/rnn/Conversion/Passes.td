//===- Passes.td - dialect conversions -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RNN_CONVERSION_PASSES_TD
#define RNN_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// TFToRNN
//===----------------------------------------------------------------------===//

def ConvertTFToRNNPass : Pass<"convert-tf-to-rnn", "::mlir::ModuleOp"> {
  let summary = "Convert TensorFlow's RNN raw ops in generic form to the rnn dialect";
  let description = [{
    Converts `tf.CudnnRNN`, `tf.CudnnRNNBackprop` (and their V2, V3), `tf.CudnnRNNParamsSize`,
    `tf.CudnnRNNCanonicalToParams`, `tf.CudnnRNNParamsToCanonical` (and their V2), `tf.BlockLSTM`, `tf.BlockLSTMV2`,
    `tf.BlockLSTMGrad` and `tf.BlockLSTMGradV2`. The ops need not be registered. Operands, results and attributes are
    those of TensorFlow's op definitions, in the same order and with the same defaults. `tf.Const` becomes
    `arith.constant`, `tf.Identity` becomes its operand, and `tf.NoOp` is erased. An op of these families that does not
    match its definition is an error, and so is an unknown op whose name resembles theirs. All other ops stay unchanged.

    TensorFlow's definitions leave these properties open; the conversion resolves them:

    - *Unranked types.* An operand of type `tensor<*xE>` is cast to the rank that the op requires. A result is cast to
      its declared type. The rank of a canonical weight is the caller's choice, so it must be static.
    - *Reserve space.* TensorFlow declares it as floats; here it is bytes, without a conversion between the two. A value
      of type `tensor<?xE>` that carries a reserve space therefore becomes `tensor<?xi8>` everywhere: between ops,
      through `tensor.cast` and `tf.Identity`, and through arguments and results of functions and their calls. The
      signatures change accordingly, with a remark of category `convert-tf-to-rnn`. Any other use or origin is an error.
      Modules may also declare `tensor<?xi8>`.
    - *Placeholders.* Results without counterpart (`host_reserved`, the reserve space without training, `output_c` and
      `input_c_backprop` of modes without cell) become zero constants of the declared type. They have TensorFlow's shape
      (rank 0, or `[2]` for `host_reserved` of a training V2) if the type allows it. Otherwise every dynamic dimension
      is 0, and an unranked type becomes `[0]`. Operands without counterpart (`host_reserved`, the cell operands of
      modes without cell) are ignored.
    - *Batch-major layers* (`time_major = false`). `input`, `output` and their gradients are `[B, T, .]`, and all states
      are `[B, L*D, .]`: the rnn op has `batch_major`, and the conversion transposes the states. TensorFlow reads such a
      state as `[L*D, B, .]` without a transpose, which is equal for `L*D = 1` or `B = 1` only.
    - *Versions.* The layers of V1 and V2 are V3 with all sequences as long as the input.
    - *Canonical parameters.* The attributes that count them are optional if the number of operands or results implies
      them. `tf.CudnnRNNParamsToCanonicalV2` with `num_proj = 0` is supported, which always fails in TensorFlow. A
      `num_proj` equal to the hidden size is no projection, as in cuDNN.
    - *Sizes.* An i32 result of `tf.CudnnRNNParamsSize` saturates. Constant sizes that do not fit are an error.
    - *Unreachable blocks* are erased, since these rules cannot be checked there.
    - *Calls.* `tf.PartitionedCall` and `tf.StatefulPartitionedCall` are inlined, so that a layer has its constant operands.
      Recursive functions, and functions with several blocks, become callees of `func.call`. A call of a function that is
      not in the module, or of other types, stays.
    - *Names.* `tf._user_specified_name` and `tf_saved_model.index_path` of arguments and results of public functions are the
      names in exported tables and C headers.

    TensorFlow's bookkeeping attributes (`T`, `S`, `device`, `name`, names that begin with `_`) are dropped, and dialect
    attributes (`a.b`) are kept. Any other attribute, such as one of another version of the op, is an error.

    ```mlir
    func.func @forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %p: tensor<?xf32>)
        -> (tensor<5x2x4xf32>, tensor<?xf32>) {
      %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %c, %p) {dropout = 0.5 : f32, seed = 7 : i64}
          : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
          -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      return %y, %r : tensor<5x2x4xf32>, tensor<?xf32>
    }
    ```

    becomes

    ```mlir
    func.func @forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %p: tensor<?xf32>)
        -> (tensor<5x2x4xf32>, tensor<?xi8>) {
      %y, %hn, %cn, %r = rnn.cudnn_forward lstm input(%x : tensor<5x2x3xf32>) state(%h, %c : tensor<1x2x4xf32>)
          params(%p : tensor<?xf32>) {dropout = 0.5, seed = 7 : i64}
      return %y, %r : tensor<5x2x4xf32>, tensor<?xi8>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::rnn::RNNDialect"];
}

//===----------------------------------------------------------------------===//
// JAXToRNN
//===----------------------------------------------------------------------===//

def ConvertJAXToRNNPass : Pass<"convert-jax-to-rnn", "::mlir::ModuleOp"> {
  let summary = "Convert JAX's custom calls of cuDNN's LSTM to the rnn dialect";
  let description = [{
    Converts the custom calls (`stablehlo.custom_call` or `mhlo.custom_call`) of `jax.experimental.rnn.lstm` and its
    gradient: targets `cudnn_rnn_ffi`, `cudnn_rnn_bwd_ffi`, `hipdnn_rnn_ffi`, `hipdnn_rnn_bwd_ffi` and the same without
    `_ffi`. The calls are read by name and need no registered dialect. All other ops stay unchanged.

    The sizes, the dropout rate and the direction come from the descriptor of 48 bytes in `backend_config`, and operands
    that do not match it are an error. The descriptor's permission of TF32 is ignored: the option `tf32` gives it.

    - *Layout.* JAX's `x`, `y` and their gradients are `[B, T, .]`; the states are `[L*D, B, H]`. The parameters have the
      dense layout of [Semantics](../Semantics.md#parameter-layout). MIOpen (`hipdnn_*`) has the gate order i, f, o, g;
      the conversion exchanges the last two gates of every matrix and bias, and those of the gradient.
    - *Reserve space.* JAX declares it as `tensor<Nxf32>`, where N counts bytes. It becomes `tensor<?xi8>` everywhere, as
      in `convert-tf-to-rnn`. The workspace becomes zeros if it has uses.
    - *Gradient of the parameters.* cuDNN adds it to operand 9, which result 3 aliases. If that operand is not a constant
      zero, the conversion adds it.
    - *Dropout.* JAX gives no seed; both seeds are 0.

    ```mlir
    func.func @forward(%x: tensor<2x5x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %w: tensor<144xf32>,
                       %n: tensor<2xi32>) -> tensor<1x2x4xf32> {
      %0:5 = "stablehlo.custom_call"(%x, %h, %c, %w, %n) <{call_target_name = "cudnn_rnn_ffi", backend_config = {opaque =
          "\03\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\E8\03\00\00\00\00\00\00\D0\07\00\00\00\00\00\00"}}>
          : (tensor<2x5x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<144xf32>, tensor<2xi32>)
          -> (tensor<2x5x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1000xf32>, tensor<2000xf32>)
      return %0#1 : tensor<1x2x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::rnn::RNNDialect"];
}

//===----------------------------------------------------------------------===//
// ONNXToRNN
//===----------------------------------------------------------------------===//

def ConvertONNXToRNNPass : Pass<"convert-onnx-to-rnn", "::mlir::ModuleOp"> {
  let summary = "Convert ONNX's LSTM, GRU and RNN to the rnn dialect";
  let description = [{
    Converts `onnx.LSTM`, `onnx.GRU` and `onnx.RNN` of opset 7 to 22, forward pass, in two forms: the ops of onnx-mlir
    (`"onnx.LSTM"(...)`), whose absent operands have the type `none`, and torch-mlir's
    `torch.operator "onnx.LSTM"`, whose attributes have the prefix `torch.onnx.`. The ops need not be registered. `W` and
    `R` have static sizes.

    - *Layer ops.* A layer that the rnn dialect has becomes `rnn.cudnn_forward` with `is_training = false`: LSTM, GRU with
      `linear_before_reset`, RNN with Tanh or Relu. The gates are reordered from i, o, f, c and z, r, h. A layer of
      direction `reverse` runs on the reversed sequences.
    - *Loops.* Other layers become one `scf.for` over the steps of linalg ops: GRU without `linear_before_reset` (ONNX's
      default, which resets the state before its GEMM), peepholes `P`, `clip` (which bounds the arguments of the
      gates' activations, and not the cell state, as in onnxruntime), `input_forget`, and other choices of Sigmoid, Tanh and Relu. Other activations are an error.
    - *Layout.* With `layout = 1`, the layer op has `batch_major` and the states are transposed; a loop transposes `X` and `Y`
      too.
    - *Sequence lengths.* As in onnxruntime, `Y` is zero from the length of an example on, and `Y_h` and `Y_c` are the last
      states. For length 0 they are the initial states, where onnxruntime returns zeros.

    In modules of onnx-mlir, `onnx.Constant` with dense elements becomes `arith.constant`, `onnx.Return` becomes
    `func.return`, and `onnx.EntryPoint` and unused `onnx.NoValue` are erased. Other ops stay unchanged.

    ```mlir
    func.func @forward(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) -> tensor<5x1x2x4xf32> {
      %none = "onnx.NoValue"() {value} : () -> none
      %y, %h, %c = "onnx.LSTM"(%x, %w, %r, %none, %none, %none, %none, %none) {hidden_size = 4 : si64}
          : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, none, none, none, none, none)
          -> (tensor<5x1x2x4xf32>, none, none)
      return %y : tensor<5x1x2x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::rnn::RNNDialect"];
}

//===----------------------------------------------------------------------===//
// TorchToRNN
//===----------------------------------------------------------------------===//

def ConvertTorchToRNNPass : Pass<"convert-torch-to-rnn", "::mlir::ModuleOp"> {
  let summary = "Convert PyTorch's recurrent layers, as torch-mlir writes them, to the rnn dialect";
  let description = [{
    Converts `torch.operator "torch.aten.lstm.input"`, `gru.input`, `rnn_tanh.input`, `rnn_relu.input` and their overloads
    `.data` for packed sequences, and ops with these names. The ops need not be registered. Operands are those of
    `aten::lstm` and its siblings. `hx` of `lstm` and `params` are a `torch.prim.ListConstruct`; `has_biases`,
    `num_layers`, `dropout`, `train`, `bidirectional` and `batch_first` are constants. Parameters have static sizes. With
    `batch_first`, the layer op has `batch_major`.

    `_cudnn_rnn` and `_cudnn_rnn_backward`, which PyTorch's dispatcher calls on CUDA, become a layer op and its gradient.
    The list of weights is read, not `weight_buf`, whose only use may be the gradient. Results of the gradient for the
    weights are used by `torch.prim.ListUnpack`. A reserve space becomes `tensor<?xi8>` everywhere, also in signatures of
    functions. Packed sequences (`batch_sizes`) are an error.

    - *Parameters.* The gate orders are those of cuDNN. `rnn.cudnn_canonical_to_params` packs the slices of the gates;
      slices of constants are constants, and canonicalization packs constants on targets with the dense layout. Absent
      biases are zero. A projection follows from the number of parameters.
    - *Packed sequences* (`.data`). Loops over the steps copy the rows of `data` into a padded tensor and those of the
      output back. Batch sizes that do not fit are limited to the rows that exist.
    - *Dropout* is applied if `train` is true, with seed 0 instead of PyTorch's generator.
    - *Types.* The layer's tensors `!torch.vtensor<[2,3],f32>` become builtin tensors by `torch_c.to_builtin_tensor` and
      `torch_c.from_builtin_tensor`, torch-mlir's own conversions. With `convert-functions`, arguments, results and calls
      of functions and literals become builtin too, conversions are folded, and unused ops of the torch dialect are
      erased, so that a function of layers is free of the torch dialect. Other ops of torch stay, between conversions.

    ```mlir
    func.func @forward(%x: !torch.vtensor<[5,2,3],f32>, %h: !torch.vtensor<[1,2,4],f32>, %w: !torch.vtensor<[12,3],f32>,
                       %r: !torch.vtensor<[12,4],f32>) -> !torch.vtensor<[5,2,4],f32> {
      %params = "torch.prim.ListConstruct"(%w, %r)
          : (!torch.vtensor<[12,3],f32>, !torch.vtensor<[12,4],f32>) -> !torch.list<vtensor>
      %no = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
      %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
      %zero = "torch.constant.float"() <{value = 0.0 : f64}> : () -> !torch.float
      %y, %hn = "torch.operator"(%x, %h, %params, %no, %one, %zero, %no, %no, %no) <{name = "torch.aten.gru.input"}>
          : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,2,4],f32>, !torch.list<vtensor>, !torch.bool, !torch.int,
             !torch.float, !torch.bool, !torch.bool, !torch.bool)
          -> (!torch.vtensor<[5,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
      return %y : !torch.vtensor<[5,2,4],f32>
    }
    ```
  }];
  let options = [Option<"convertFunctions", "convert-functions", "bool", "true",
                        "convert signatures, calls and literals to builtin tensors">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::rnn::RNNDialect"];
}

//===----------------------------------------------------------------------===//
// RNNToRuntime
//===----------------------------------------------------------------------===//

def ConvertRNNToRuntimePass : Pass<"convert-rnn-to-runtime"> {
  let summary = "Convert rnn ops with lowering `runtime` to runtime plans";
  let description = [{
    Converts ops in memref form to `rnnrt` ops: a check for each dynamic dimension, the plan of the whole problem, and
    the steps of the plan. Backward data and backward weights are separate steps, and a step without requested results
    is omitted. Buffers that are not contiguous are copied first. Ops on sizes and parameters use a plan even for fused
    layers.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::rnnrt::RNNRTDialect"];
}

//===----------------------------------------------------------------------===//
// RNNToGPU
//===----------------------------------------------------------------------===//

def ConvertRNNToGPUPass : Pass<"convert-rnn-to-gpu"> {
  let summary = "Convert rnn ops with lowering `fused` to GPU kernels";
  let description = [{
    Turns `rnn.block_lstm`, `rnn.cudnn_forward` and their gradients in memref form into `gpu.launch` ops. A time step is one
    kernel for both directions (two kernels with a projection): the GEMM with the recurrent weights, tiled in shared memory,
    and the arithmetic of the gates, or of their gradients, as its epilogue. Asynchronous copies fill the tiles two stages
    ahead. f16, bf16 and f64 use tensor cores (`mma.sync`), f32 uses FMA or, with `tf32 = true`, tensor cores. GEMMs over all steps
    run outside of the loop over time: the input with W before a forward pass; the gradients of input and weights after a
    backward pass, and column sums for the gradients of bias and peephole weights. Results that are not requested have no
    kernel. The kernels come from `lib/Codegen/GPU`.

    An op with `kernel = persistent` in its lowering gets one kernel for all steps, in clusters of `cluster` thread blocks; it
    is an error if that cannot be built. Facts about the target come from the module's `rnn.target`.

    From compute capability 9.0 on, per-step kernels use programmatic dependent launch (`rnngpu.programmatic`): each loads its
    first weights before it waits for the previous step.

    With `large_gemms = auto`, cuBLASLt computes large GEMMs over all steps: `rnnrt.gemm` calls it, and if it returns 0,
    the kernel is launched instead. Library and kernel round at the same points but sum in different orders, so their bits
    differ.

    Sizes may be dynamic; threads outside of a matrix do nothing. Sums are accumulated in f32 (f64 for f64), in an order that
    depends only on the sizes, so results repeat bit by bit.

    Layers of the cudnn ops run one after the other, in a loop, or in one direction as a wavefront: chunks of `wavefront_chunk`
    time steps are tasks that may run at the same time (`rnnrt.wavefront_task`); 0 disables it, and -1 chooses chunks by the
    number of steps, if the clusters of two layers fit together on the device. Their reserve space has the layout of the runtime's plans.
    Other ops are not changed. Dynamic dimensions, lengths and `seq_len_max` are checked by `rnnrt` ops before the first
    launch; after a failed check the runtime launches nothing.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect", "::mlir::rnngpu::RNNGPUDialect",
                           "::mlir::rnnrt::RNNRTDialect", "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// RNNToHost
//===----------------------------------------------------------------------===//

def ConvertRNNToHostPass : Pass<"convert-rnn-to-host", "::mlir::ModuleOp"> {
  let summary = "Convert rnn ops with lowering `fused` to vectorized loops";
  let description = [{
    Converts `rnn.cudnn_forward`, `rnn.cudnn_backprop`, `rnn.block_lstm` and `rnn.block_lstm_grad` in memref form to loops
    over time:

    - Weights are packed into panels once per call. One micro-kernel, a tile of rows times two or four vectors in
      registers, computes the GEMM of a step and the GEMMs over all steps.
    - The gate arithmetic of a panel of columns follows the GEMM of that panel. Exponentials are polynomials.
    - Accumulators are f32, or f64 for f64. f16 is converted to f32 during packing. The order of summation depends only on
      the sizes, so results repeat bit by bit.

    `bf16-gemm` selects how bf16 matrices are multiplied:

    | value | weights | left operand (states, gate gradients) | arithmetic |
    |---|---|---|---|
    | `f32` | converted to f32 during packing | f32 | f32 FMA |
    | `vnni` | bf16 in VNNI layout, converted in registers; half the bytes, same bits as packed `f32` | f32 | f32 FMA |
    | `dot` | bf16 in VNNI layout | rounded to bf16 | dot products of pairs in f32 |
    | `avx512` | as `dot` | as `dot` | VDPBF16PS of AVX512-BF16, which flushes subnormals to zero |
    | `neon` | as `dot` | as `dot` | BFDOT of AArch64 |
    | `amx` | as `dot` | as `dot` | AMX tiles for GEMMs of more than one row, else as `avx512` |

    One copy of the code serves all layers of a stack and both directions. Ops with equal attributes, operand types and
    constant operands share one private function, so that many layers of one shape compile once. The reserve space has the layout of the host's
    plans. Past the end of a sequence, states and gradients pass through unchanged, and operand elements there do not
    enter any sum. Results that are not requested are not computed.

    Sizes may be dynamic. Dynamic dimensions are checked as in `convert-rnn-to-runtime`, `seq_len_max` by
    `rnnrt.expect_range`, and lengths, parameters and reserve space by `rnnrt.rnn_begin`. After a failed check no loop
    runs. Scratch memory is allocated by `memref.alloc`.

    The options affect speed, not portability: the generated code is correct on every processor, except that `avx512`,
    `neon` and `amx` require their instructions.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of a vector register, a power of two">,
    Option<"vectorRegisters", "vector-registers", "unsigned", "16", "Number of vector registers; 32 select wider tiles">,
    Option<"blockDepth", "block-depth", "unsigned", "256",
           "Rows of a GEMM's right operand in a block; fewer than 256 are blocks for L1">,
    Option<"fmaUnits", "fma-units", "unsigned", "2", "FMAs on whole vectors that the processor starts per cycle">,
    Option<"bf16Gemm", "bf16-gemm", "::mlir::rnn::BF16Gemm", "::mlir::rnn::BF16Gemm::VNNI",
           "How bf16 matrices are multiplied; `auto` is `vnni`">,
    Option<"bf16GemmOneRow", "bf16-gemm-one-row", "::mlir::rnn::BF16Gemm", "::mlir::rnn::BF16Gemm::Auto",
           "The same for layers with batch size 1; `auto` is as `bf16-gemm`">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::rnnrt::RNNRTDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

//===----------------------------------------------------------------------===//
// LinalgToHost
//===----------------------------------------------------------------------===//

def ConvertLinalgToHostPass : Pass<"convert-linalg-to-host", "::mlir::ModuleOp"> {
  let summary = "Convert linalg ops on memrefs to vector loops and packed GEMMs of the host";
  let description = [{
    Converts linalg ops whose operands are memrefs, named or generic, to loops over vectors. Large contractions become
    packed GEMMs, with the kernels that `convert-rnn-to-host` uses. Both share long loops among threads.

    - The vectorized loop is a parallel loop along which the results are contiguous, or a reduction loop. Other operands
      are contiguous, invariant or gathered.
    - Sums stay in registers, and those of f16 and bf16 results in f32: they are rounded once. Products that are summed
      may use FMA. The order of summation depends on the sizes and on the vector width, and not on the number of
      threads.
    - Elementwise operations on f16 and bf16 are rounded one by one, as those on scalars.
    - Math ops on f32 become polynomial approximations. Math ops on other element types call the C library. A linalg op
      that contains acosh, asinh, atanh or cbrt, or erf, erfc, expm1 or log1p on f64, is not converted by this pass.

    - Inputs whose indices are sums of loops, such as the windows of a convolution or of a pooling, become strided views
      (`memref.reinterpret_cast`) with one dimension for each loop. If the vectors of a convolution would not be contiguous,
      its filter is copied to another order of dimensions, and the result is computed in another order and copied.

    - Ops that differ only in their buffers, such as those of the layers of a model, become calls of one function
      `rnn_host_op`, unless they are in a loop, have fewer than 64 elements, or access constants of the module.

    Ops with other forms are not changed: indices that are not linear in the loops, results with windows, results that
    no loop accesses contiguously, bodies with other operations than those of `arith`, `math` and loads from memrefs,
    elements other than i1, i8, i16, i32, i64, index, f16, bf16, f32 and f64.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of one vector register: a power of 2">,
    Option<"vectorRegisters", "vector-registers", "unsigned", "16", "Number of vector registers; 32 allow wider tiles">,
    Option<"blockDepth", "block-depth", "unsigned", "256",
           "Rows of a GEMM's right operand in a block; fewer than 256 are blocks for L1">,
    Option<"fmaUnits", "fma-units", "unsigned", "2", "FMAs on whole vectors that the processor starts per cycle">,
    Option<"bf16Gemm", "bf16-gemm", "::mlir::rnn::BF16Gemm", "::mlir::rnn::BF16Gemm::VNNI",
           "How bf16 matrices are multiplied: `f32`, `vnni`, `dot`, `avx512`, `neon` or `amx`">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::rnnrt::RNNRTDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

//===----------------------------------------------------------------------===//
// RuntimeToLLVM
//===----------------------------------------------------------------------===//

def ThreadRuntimeCallPass : Pass<"rnn-thread-runtime-call", "::mlir::ModuleOp"> {
  let summary = "Pass the runtime call to every function";
  let description = [{
    Adds a `!rnnrt.call` as the first argument of every function with a body, passes it at every `func.call`, and
    replaces `rnnrt.current_call` by it. A function whose address is taken by `func.constant` cannot change its type and
    is an error.
  }];
  let dependentDialects = ["::mlir::rnnrt::RNNRTDialect"];
}

def ConvertRuntimeToLLVMPass : Pass<"convert-rnn-runtime-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert rnnrt ops to calls of runtime entry points";
  let description = [{
    Converts each `rnnrt` op to one `llvm.call` of the entry point of the same name, with the function type that
    `rnn_runtime/abi.def` declares. Handles become pointers, also in function signatures. A memref becomes the pointer
    to its first element. Requires `rnn-thread-runtime-call` before, and runs before the lowerings of func and memref.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def RNNConvertAssertsPass : Pass<"rnn-convert-asserts", "::mlir::ModuleOp"> {
  let summary = "Convert assertions of the host to the status of the call";
  let description = [{
    A `cf.assert` outside of GPU kernels that does not hold ends the exported function, whose status is INVALID_ARGUMENT with the
    message, after the file and line of the op if they are known (`rnnrt_abi_fail`). Upstream's conversion aborts the
    process. Runs after the conversion of `scf` to `cf`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def RNNEmitEntriesPass : Pass<"rnn-emit-entries", "::mlir::ModuleOp"> {
  let summary = "Create a C entry point for every public function";
  let description = [{
    For each public function with a body, adds an exported function `rnn_entry_NAME` of type `rnnrt_entry_t`
    (`rnn_runtime/function.h`), whose tensors and scalars are `rnnrt_tensor_t`. It checks them against the function's
    arguments (`rnnrt_abi_enter`), calls the function with memref descriptors, and returns its results to the caller
    (`rnnrt_abi_leave`). The function itself becomes private.

    An entry point supports scalars and contiguous tensors of at most 8 dimensions, with elements i1, i8, i16, i32, i64,
    index, f16, bf16, f32 and f64. An argument of type `memref<*xE>` that the function casts to a ranked type must have
    that rank and those sizes. With `all`, a function whose signature cannot be exported is an error; otherwise it has
    no entry point.

    For each function also adds `__tvm_ffi_NAME`, the same call by the packed calling convention of tvm-ffi
    (`rnnrt_abi_tvm_ffi_call`), unless NAME is no C identifier.

    The attribute `rnn.name` names arguments and results; a location `loc("x")` also names an argument. The attribute
    `rnn.access` is described by `rnn-mark-written-arguments`. The data symbol
    `rnn_exports` lists all functions with their arguments, types and names. It also states each dynamic size of a
    result that is a linear function of sizes of arguments, as far as `ValueBoundsOpInterface` finds it; calls are not
    followed. A buffer that a function allocates and returns comes from `rnnrt_abi_alloc_result`, unless it is in device
    memory. Functions without a body get a C interface (`llvm.emit_c_interface`).

    Runs after `rnn-thread-runtime-call` and `convert-rnn-runtime-to-llvm`, and before the lowerings of func and memref.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", "", "Prefix in the names of entry points, rnn_entry_PREFIX_NAME, for "
           "programs with several modules">,
    Option<"all", "all", "bool", "false", "Report an error for public functions that cannot be exported">,
    Option<"deviceMemory", "device-memory", "bool", "false", "Arguments and results are in device memory">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::rnnrt::RNNRTDialect"];
}

//===----------------------------------------------------------------------===//
// RNNGPUToNVVM
//===----------------------------------------------------------------------===//

def ConvertRNNGPUToNVVMPass : Pass<"convert-rnngpu-to-nvvm"> {
  let summary = "Convert rnngpu ops to inline assembly and launch properties to the offloading handler";
  let description = [{
    `rnngpu` ops become `llvm.inline_asm` with their PTX instruction. The attributes `rnngpu.cooperative` and
    `rnngpu.programmatic` of the kernels of a `gpu.module` become its offloading handler, `#rnngpu.launch`. Only target
    `cuda` uses this pass: the emulator interprets the ops and the attributes.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::rnngpu::RNNGPUDialect"];
}

//===----------------------------------------------------------------------===//
// SimtToHost
//===----------------------------------------------------------------------===//

def SimtToHostPass : Pass<"simt-to-host", "::mlir::ModuleOp"> {
  let summary = "Convert GPU kernels to functions that the runtime's emulator runs on the host";
  let description = [{
    The last step of target `simt`, where target `cuda` generates binaries. The input is the same: kernels in the LLVM and
    NVVM dialects (each `gpu.module`), and host code after `gpu-to-llvm`.

    - Functions and variables of a `gpu.module` move to the module as `MODULE__NAME`. Workgroup variables become offsets in
      the shared memory of a block.
    - NVVM ops become calls of `rnnrt_abi_simt_*` entries (`rnn_runtime/simt.def`): ids, barriers, shuffles, votes, tensor
      core ops, asynchronous copies, clusters with their barriers, remote shared memory and `mbarrier`. So do `rnngpu`
      ops. Calls of libdevice (`__nv_*`) become calls of the C library. The attribute `rnngpu.cooperative` marks cooperative
      kernels.
    - A thread yields after each atomic whose result is used, so that polling makes progress.
    - Undefined values and uninitialized private memory are NaN.
    - `gpu.launch_func` becomes `rnnrt_abi_simt_launch`, and the memory functions of upstream's GPU runtime (`mgpu*`)
      become entries too; streams and events are removed, since a launch has ended when it returns.

    With `check`, every load and store of a kernel, except of private memory, calls the access checker.

    An op that the emulator does not support, including inline assembly, is an error at its location.

    `gpu-to-llvm` turns some NVVM ops into inline assembly, in kernels too. A pipeline therefore runs this pass twice: before
    it with `launches=false`, which leaves declarations of the kernels, and after it.
  }];
  let options = [
    Option<"check", "check", "bool", "false", "Check every access for races, uninitialized memory and bad addresses">,
    Option<"launches", "launches", "bool", "true", "Convert launches too; their functions must be lowered">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // RNN_CONVERSION_PASSES_TD
