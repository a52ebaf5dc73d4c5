// reserve-errors.mlir - invalid origins and uses of a reserve space.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: rnn-opt %s -split-input-file -allow-unregistered-dialect -convert-tf-to-rnn -verify-diagnostics

func.func @used_as_floats(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-note @below {{it is the `reserve_space` of this 'tf.CudnnRNN'}}
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  // expected-error @below {{'tf.Neg' op uses a reserve space, which is opaque bytes, as 'tensor<?xf32>'; only gradient ops, tensor.cast, tf.Identity, and calls and returns of functions with a body support it}}
  %0 = "tf.Neg"(%r) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

// The same argument as parameters and as reserve space.
func.func @used_twice(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>) {
  // expected-error @below {{'tf.CudnnRNNBackprop' op uses a reserve space, which is opaque bytes, as 'tensor<?xf32>'}}
  // expected-note @below {{it is the `reserve_space` of this 'tf.CudnnRNNBackprop'}}
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %h, %h, %y, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @from_a_constant(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>) {
  // expected-note @below {{the value comes from here}}
  %r = "tf.Const"() {value = dense<0.0> : tensor<8xf32>} : () -> tensor<8xf32>
  // expected-error @below {{'tf.CudnnRNNBackprop' op expects `reserve_space` to come from a training forward op or from an argument of a function, but it comes from 'tf.Const'}}
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %h, %h, %y, %h, %h, %r)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<8xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @from_another_result(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>) {
  // expected-note @below {{the value comes from here}}
  %0:4 = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  // expected-error @below {{but it comes from 'tf.CudnnRNN'}}
  %1:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %h, %h, %y, %h, %h, %0#1)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @from_inference(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-note @below {{the value comes from here}}
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p) {is_training = false}
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>)
  // expected-error @below {{'tf.CudnnRNNBackprop' op expects `reserve_space` to come from a training forward op or from an argument of a function, but it comes from a 'tf.CudnnRNN' with is_training = false, which saves nothing; set is_training = true}}
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %hn, %cn, %y, %hn, %cn, %r)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<f32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @from_a_block(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>, %y: tensor<5x2x4xf32>,
                        %r: tensor<?xf32>) {
  cf.br ^bb1(%r : tensor<?xf32>)
// expected-note @below {{the value comes from here}}
^bb1(%a: tensor<?xf32>):
  // expected-error @below {{'tf.CudnnRNNBackprop' op expects `reserve_space` to come from a training forward op or from an argument of a function, but it comes from an argument of a block}}
  %0:4 = "tf.CudnnRNNBackprop"(%x, %h, %h, %p, %y, %h, %h, %y, %h, %h, %a)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>,
         tensor<1x2x4xf32>, tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func private @keep(tensor<?xf32>)

func.func @to_a_declaration(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) {
  // expected-note @below {{it is the `reserve_space` of this 'tf.CudnnRNN'}}
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  // expected-error @below {{'func.call' op uses a reserve space, which is opaque bytes, as 'tensor<?xf32>'}}
  call @keep(%r) : (tensor<?xf32>) -> ()
  return
}

// -----

func.func @forward(%x: tensor<5x2x3xf32>, %h: tensor<1x2x4xf32>, %p: tensor<?xf32>) -> tensor<?xf32> {
  // expected-note @below {{it is the `reserve_space` of this 'tf.CudnnRNN'}}
  %y, %hn, %cn, %r = "tf.CudnnRNN"(%x, %h, %h, %p)
      : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
      -> (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<?xf32>)
  return %r : tensor<?xf32>
}

func.func @function_as_value() {
  // expected-error @below {{'func.constant' op uses '@forward' in an op other than a call of its type, so the type of its reserve space cannot change to tensor<?xi8>}}
  %f = func.constant @forward : (tensor<5x2x3xf32>, tensor<1x2x4xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}
