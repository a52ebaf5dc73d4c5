// The table of processors has the depth of blocks for the processor's own vectors. With narrower vectors, the modules of two
// processors that differ in it are equal, except for the name of the processor.
// REQUIRES: rnn-compile
// DEFINE: %{bits} =
// DEFINE: %{cpu} =
// DEFINE: %{lower} = rnn-compile %s --lowering=fused --triple=x86_64-linux-gnu --cpu=%{cpu} --vector-bits=%{bits} -O0 -o %t.ll && sed s/%{cpu}/CPU/ %t.ll
// REDEFINE: %{bits} = 512
// REDEFINE: %{cpu} = cascadelake
// RUN: %{lower} > %t.blocks.512
// REDEFINE: %{cpu} = icelake-server
// RUN: %{lower} > %t.other.512
// RUN: not cmp %t.blocks.512 %t.other.512
// REDEFINE: %{bits} = 256
// RUN: %{lower} > %t.other.256
// REDEFINE: %{cpu} = cascadelake
// RUN: %{lower} > %t.blocks.256
// RUN: cmp %t.blocks.256 %t.other.256
func.func @layer(%x: memref<3x13x16xf32>, %h: memref<1x13x32xf32>, %p: memref<?xf32>, %y: memref<3x13x32xf32>) {
  rnn.cudnn_forward gru input(%x : memref<3x13x16xf32>) state(%h : memref<1x13x32xf32>) params(%p : memref<?xf32>)
      outs(output = %y : memref<3x13x32xf32>)
  return
}
