"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[5,2,3],f32>) -> (!torch.vtensor<[5,1,2,4],f32>, !torch.vtensor<[1,2,4],f32>), sym_name = "main"}> ({
  ^bb0(%arg0: !torch.vtensor<[5,2,3],f32>):
    %0 = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense_resource<W> : tensor<1x12x3xf32>} : () -> !torch.vtensor<[1,12,3],f32>
    %1 = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value = dense_resource<R> : tensor<1x12x4xf32>} : () -> !torch.vtensor<[1,12,4],f32>
    %2 = "torch.constant.none"() : () -> !torch.none
    %3:2 = "torch.operator"(%arg0, %0, %1) <{name = "onnx.GRU"}> {torch.onnx.hidden_size = 4 : si64} : (!torch.vtensor<[5,2,3],f32>, !torch.vtensor<[1,12,3],f32>, !torch.vtensor<[1,12,4],f32>) -> (!torch.vtensor<[5,1,2,4],f32>, !torch.vtensor<[1,2,4],f32>)
    "func.return"(%3#0, %3#1) : (!torch.vtensor<[5,1,2,4],f32>, !torch.vtensor<[1,2,4],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      W: "0x080000006CBF003E7F4607BEBDF2233FDFD5D63DA12109BFFD22B93E79E9A63FE673723FFE2734BF55F9A1BFEA8E1FBF6E45293D4ECD14C0EC0A60BE037A9FBFE0753BBF8F540BBF18F2A1BE3DC1D23E1471853F979E03BE46E8AE3F334A2ABF21F9B33ED249673F8589C03DF8553EBF32F66BBF0A5BEABED57A613E2B3B81BF1F3256BEE20B23BEDB740A3F9ACF5B3E69F3B53E",
      R: "0x08000000506127BF70B904BE9EB2483FC028BF3F0F29A1BF41C8C13FA545AC3F0604483FBA66873E7EBAA0BE6CA0BA3FBFE9FA3FF99BE63F5255A83F91FAB63E2FAA9ABFFAF391BBBE0E283F07E9A4BF704DCA3E1817DC3EDB2F323F2D9197BF576529BF7174DFBE12BC95BF9BA3DE3F03E8FDBEB56EA83E9F6384BE3DAFCA3F9701A93F6623223F4E060DC0551C553D0F062F3FD081803F282F1EBFAB37E93FE203A9BFE75929BF705F6F3F7EED483D332700402D0B413E021922BF0150C1BEADAA8BBF"
    }
  }
#-}

