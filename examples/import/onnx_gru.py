# onnx_gru.py - writes a GRU of ONNX as MLIR.
#
#   pip install onnx iree-base-compiler        tested with 1.23.2 and 3.13.0
#   python onnx_gru.py > onnx_gru.mlir
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from iree.compiler import ir
from iree.compiler.extras import onnx_importer
from onnx import TensorProto, helper, numpy_helper, shape_inference

T, B, I, H = 5, 2, 3, 4
random = np.random.default_rng(0)
weights = [numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name)
           for name, shape in (("W", (1, 3 * H, I)), ("R", (1, 3 * H, H)))]
node = helper.make_node("GRU", ["X", "W", "R"], ["Y", "Y_h"], hidden_size=H)
graph = helper.make_graph([node], "main", [helper.make_tensor_value_info("X", TensorProto.FLOAT, (T, B, I))],
                          [helper.make_tensor_value_info("Y", TensorProto.FLOAT, (T, 1, B, H)),
                           helper.make_tensor_value_info("Y_h", TensorProto.FLOAT, (1, B, H))], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)

# The import needs the shape of every value of the file.
model = shape_inference.infer_shapes(model, data_prop=True)
info = onnx_importer.ModelInfo(model)
module = info.create_module(context=ir.Context()).operation
onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
print(module.get_asm(print_generic_op_form=True))
