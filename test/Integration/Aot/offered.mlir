// Results in memory of the program (rnnrt_call_offer_results), for code that writes them there and code that cannot.
// REQUIRES: rnn-compile
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: rnn-compile %s -o libnet.so --emit-header=net.h
// RUN: %cc -I. %S/Inputs/offered.c -L. -lnet -Wl,-rpath,. %link_runtime -o host && ./host | FileCheck %s
// RUN: rnn-compile %s --lowering=runtime -o libnet.so --emit-header=net.h && ./host | FileCheck %s
// RUN: rnn-compile %s --target=simt --lowering=fused -o libnet.so --emit-header=net.h
// RUN: %cc -I. -DDEVICE='"simt"' %S/Inputs/offered.c -L. -lnet -Wl,-rpath,. %link_runtime -lrnn_emulator -o simt && ./simt | FileCheck %s

// CHECK: sum ok
// CHECK-NEXT: branch ok
// CHECK-NEXT: layer ok

func.func @sum(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = arith.addf %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// The result is one of two buffers.
func.func @branch(%x: tensor<?x4xf32>, %c: i1) -> (tensor<?x4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %0 = scf.if %c -> tensor<?x4xf32> {
    %1 = arith.addf %x, %x : tensor<?x4xf32>
    scf.yield %1 : tensor<?x4xf32>
  } else {
    scf.yield %x : tensor<?x4xf32>
  }
  %2 = tensor.extract %x[%c0, %c0] : tensor<?x4xf32>
  return %0, %2 : tensor<?x4xf32>, f32
}

func.func @layer(%x: tensor<?x2x3xf32>, %h: tensor<1x2x5xf32>, %p: tensor<150xf32>)
    -> (tensor<?x2x5xf32>, tensor<1x2x5xf32>, tensor<?xi8>) {
  %y, %hn, %r = rnn.cudnn_forward gru input(%x : tensor<?x2x3xf32>) state(%h : tensor<1x2x5xf32>)
      params(%p : tensor<150xf32>)
  return %y, %hn, %r : tensor<?x2x5xf32>, tensor<1x2x5xf32>, tensor<?xi8>
}
