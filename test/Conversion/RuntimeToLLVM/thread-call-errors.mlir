// RUN: rnn-opt %s -rnn-thread-runtime-call -verify-diagnostics

func.func @callee(%n: index) -> index {
  return %n : index
}
func.func @taken() -> ((index) -> index) {
  // expected-error @below {{takes the address of `callee`, whose signature changes in stage lower; call the function directly}}
  %f = func.constant @callee : (index) -> index
  return %f : (index) -> index
}
