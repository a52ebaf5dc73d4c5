// linalg-index-extremes-host.mlir - minima and maxima of index values, for which upstream has no neutral elements.
// REQUIRES: rnn-run
// RUN: rnn-run %s --function=minsi '--input=37xindex=[-37,4,45,-15,26,-34,7,48,-12,29,-31,10,-50,-9,32,-28,13,-47,-6,35,-25,16,-44,-3,38,-22,19,-41,0,41,-19,22,-38,3,44,-16,25]' --expected-output=index=-50 | FileCheck %s
// RUN: rnn-run %s --function=maxsi '--input=37xindex=[-37,4,45,-15,26,-34,7,48,-12,29,-31,10,-50,-9,32,-28,13,-47,-6,35,-25,16,-44,-3,38,-22,19,-41,0,41,-19,22,-38,3,44,-16,25]' --expected-output=index=48 | FileCheck %s
// RUN: rnn-run %s --function=minui '--input=37xindex=[-37,4,45,-15,26,-34,7,48,-12,29,-31,10,-50,-9,32,-28,13,-47,-6,35,-25,16,-44,-3,38,-22,19,-41,0,41,-19,22,-38,3,44,-16,25]' --expected-output=index=0 | FileCheck %s
// RUN: rnn-run %s --function=maxui '--input=37xindex=[-37,4,45,-15,26,-34,7,48,-12,29,-31,10,-50,-9,32,-28,13,-47,-6,35,-25,16,-44,-3,38,-22,19,-41,0,41,-19,22,-38,3,44,-16,25]' --expected-output=index=-3 | FileCheck %s
// CHECK: all results are as expected

func.func @minsi(%x: tensor<37xindex>) -> tensor<index> {
  %init = arith.constant dense<1000> : tensor<index>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<37xindex>) outs(%init : tensor<index>) {
  ^bb0(%element: index, %extreme: index):
    %next = arith.minsi %element, %extreme : index
    linalg.yield %next : index
  } -> tensor<index>
  return %0 : tensor<index>
}
func.func @maxsi(%x: tensor<37xindex>) -> tensor<index> {
  %init = arith.constant dense<-1000> : tensor<index>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<37xindex>) outs(%init : tensor<index>) {
  ^bb0(%element: index, %extreme: index):
    %next = arith.maxsi %element, %extreme : index
    linalg.yield %next : index
  } -> tensor<index>
  return %0 : tensor<index>
}
func.func @minui(%x: tensor<37xindex>) -> tensor<index> {
  %init = arith.constant dense<-1> : tensor<index>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<37xindex>) outs(%init : tensor<index>) {
  ^bb0(%element: index, %extreme: index):
    %next = arith.minui %element, %extreme : index
    linalg.yield %next : index
  } -> tensor<index>
  return %0 : tensor<index>
}
func.func @maxui(%x: tensor<37xindex>) -> tensor<index> {
  %init = arith.constant dense<0> : tensor<index>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<37xindex>) outs(%init : tensor<index>) {
  ^bb0(%element: index, %extreme: index):
    %next = arith.maxui %element, %extreme : index
    linalg.yield %next : index
  } -> tensor<index>
  return %0 : tensor<index>
}
