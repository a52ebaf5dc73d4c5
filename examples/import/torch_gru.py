# torch_gru.py - writes a GRU of PyTorch as MLIR.
#
#   pip install torch iree-base-compiler        tested with 2.15.0 and 3.13.0
#   python torch_gru.py > torch_gru.mlir
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from iree.compiler import ir
from iree.compiler.extras.fx_importer import FxImporter

T, B, I, H = 5, 2, 3, 4
torch.manual_seed(0)
layer = torch.nn.GRU(I, H, num_layers=2).eval()
program = torch.export.export(layer, (torch.randn(T, B, I), torch.randn(2, B, H)))
importer = FxImporter(context=ir.Context())
importer.import_program(program, func_name="main")
print(importer.module.operation.get_asm(print_generic_op_form=True))
