// invalid-properties.mlir - unknown properties in the generic form.
// RUN: rnn-opt %s -split-input-file -verify-diagnostics

func.func @unit(%n: index) -> index {
  // expected-error @below {{has no property `foo`; remove it, or write an attribute of another dialect after the properties}}
  %0 = "rnn.cudnn_params_size"(%n, %n, %n) <{mode = #rnn.mode<gru>, element_type = f32, foo}> : (index, index, index) -> index
  return %0 : index
}

// -----

func.func @misspelled(%n: index) -> index {
  // expected-error @below {{has no property `input_mod`; remove it}}
  %0 = "rnn.cudnn_params_size"(%n, %n, %n) <{mode = #rnn.mode<gru>, element_type = f32, input_mod = #rnn.input_mode<skip_input>}> : (index, index, index) -> index
  return %0 : index
}

// -----

// All known ones, and an attribute of another dialect.
func.func @valid(%n: index) -> index {
  %0 = "rnn.cudnn_params_size"(%n, %n, %n) <{mode = #rnn.mode<gru>, element_type = f32, num_proj = 0 : i64,
      input_mode = #rnn.input_mode<skip_input>, direction = #rnn.direction<unidirectional>}> {other.foo} : (index, index, index) -> index
  return %0 : index
}
