// onnx-rnn-relu.mlir - a plain layer with Relu.
// Written by Inputs/onnx_modules.py with iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rnn-run
//
// DEFINE: %{main} = rnn-run %s \
// DEFINE:   --input='4x3x2xf32=[[[2.0351414680480957,2.9146854877471924],[0.38840872049331665,0.718890905380249],[-0.5936002135276794,1.1528055667877197]],[[0.34334656596183777,0.6418131589889526],[1.0621165037155151,0.09054519981145859],[-1.0119467973709106,-0.1397540271282196]],[[-0.14216077327728271,0.034065213054418564],[-1.2057890892028809,-0.6320669651031494],[0.8862862586975098,-1.0399205684661865]],[[-0.6252224445343018,-1.6875499486923218],[-0.30383607745170593,-1.5453598499298096],[0.1259661167860031,-0.5485574007034302]]]' \
// DEFINE:   --input='1x5x2xf32=[[[-0.4831235110759735,-0.408175528049469],[-0.7004039883613586,-0.8525625467300415],[2.0622026920318604,-0.34466201066970825],[0.24271443486213684,1.2151941061019897],[-0.1761932075023651,1.0033787488937378]]]' \
// DEFINE:   --input='@%S/Inputs/onnx-rnn-relu.input2.npy' \
// DEFINE:   --input='1x10xf32=[[1.1093790531158447,-0.41425779461860657,-0.5726127028465271,-1.7886731624603271,-1.3103303909301758,-1.0247161388397217,-0.5583267211914062,-0.8771851658821106,0.41799864172935486,1.0554165840148926]]' \
// DEFINE:   --input='3xi32=4,1,3' \
// DEFINE:   --input='1x3x5xf32=[[[0.9903234839439392,1.0157266855239868,1.5847069025039673,-0.9712631106376648,2.452272891998291],[-2.168570041656494,-0.9437509179115295,0.048579007387161255,2.2636592388153076,-0.10586871951818466],[-0.029415694996714592,1.2295918464660645,-1.6550230979919434,-0.768596887588501,0.6135092973709106]]]' \
// DEFINE:   --expected-output='@%S/Inputs/onnx-rnn-relu.expected-output0.npy' \
// DEFINE:   --expected-output='1x3x5xf32=[[[5.063715934753418,0.0,4.9945478439331055,1.099043846130371,1.3040786981582642],[0.7095682621002197,0.0,1.1424787044525146,0.0,5.729465007781982],[1.7641657590866089,0.0,0.0,0.0,0.0]]]' \
// DEFINE:   --atol=5e-6 --rtol=5e-6
// RUN: %{main} --lowering=runtime
// RUN: %{main} --lowering=fused

"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,5,2],f32>, !torch.vtensor<[1,5,5],f32>, !torch.vtensor<[1,10],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[1,3,5],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,3,2],f32>, %arg1: !torch.vtensor<[1,5,2],f32>, %arg2: !torch.vtensor<[1,5,5],f32>, %arg3: !torch.vtensor<[1,10],f32>, %arg4: !torch.vtensor<[3],si32>, %arg5: !torch.vtensor<[1,3,5],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1:2 = "torch.operator"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) <{name = "onnx.RNN"}> {torch.onnx.activations = ["Relu"], torch.onnx.direction = "reverse", torch.onnx.hidden_size = 5 : si64} : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[1,5,2],f32>, !torch.vtensor<[1,5,5],f32>, !torch.vtensor<[1,10],f32>, !torch.vtensor<[3],si32>, !torch.vtensor<[1,3,5],f32>) -> (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>)
    "func.return"(%1#0, %1#1) : (!torch.vtensor<[4,1,3,5],f32>, !torch.vtensor<[1,3,5],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()
