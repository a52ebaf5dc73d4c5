# torch_model.py - writes a model of PyTorch with an LSTM between other layers as MLIR.
#
#   pip install torch iree-base-compiler        tested with 2.15.0 and 3.13.0
#   python torch_model.py > torch_model.mlir
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
from iree.compiler import ir
from iree.compiler.extras.fx_importer import FxImporter

T, B, I, H = 5, 2, 3, 4


class Tagger(torch.nn.Module):
    """Scores of three classes for each of T tokens."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10, I)
        self.lstm = torch.nn.LSTM(I, H)
        self.scores = torch.nn.Linear(H, 3)

    def forward(self, tokens):
        return self.scores(self.lstm(self.embedding(tokens))[0]).log_softmax(-1)


torch.manual_seed(0)
program = torch.export.export(Tagger().eval(), (torch.randint(0, 10, (T, B)),))
importer = FxImporter(context=ir.Context())
importer.import_program(program, func_name="main")
print(importer.module.operation.get_asm(print_generic_op_form=True))
