# test_torch_devices.py - data-parallel training with rnn_mlir.torch: two processes over Gloo equal one.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

if not torch.distributed.is_available():
    pytest.skip("this PyTorch has no torch.distributed", allow_module_level=True)

PROGRAM = """
import os
import sys
import torch
import rnn_mlir.torch as rnn

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        f64 = dict(dtype=torch.float64)
        self.layers = torch.nn.ModuleList([rnn.GRU(4, 6, 2, **f64), rnn.LSTM(6, 6, bidirectional=True, proj_size=2, **f64),
                                           rnn.RNN(4, 6, **f64), rnn.BlockLSTM(6, 6, **f64), torch.nn.Linear(6, 1, **f64)])
    def forward(self, x):
        *layers, head = self.layers
        for layer in layers:
            x = layer(x)[0]
        return head(x)

rank, world, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
torch.manual_seed(0)
model, x = Net(), torch.randn(5, 8, 4, dtype=torch.float64)
step = model
if world > 1:
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
    step = torch.nn.parallel.DistributedDataParallel(model)
    x = x.chunk(world, 1)[rank]
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(3):
    optimizer.zero_grad()
    step(x).square().mean().backward()
    optimizer.step()
torch.save(model.state_dict(), f"{folder}/{world}-{rank}.pt")
if world > 1:
    torch.distributed.destroy_process_group()
os._exit(0)  # PyTorch 2.15 sometimes aborts at the end of a process that used Gloo, also with torch.nn
"""


def test_two_processes_equal_one(tmp_path):
    environment = dict(os.environ, RNNRT_THREADS="1", OMP_NUM_THREADS="1")
    runs = [subprocess.Popen([sys.executable, "-c", PROGRAM, str(rank), str(world), str(tmp_path)], env=environment)
            for world in (1, 2) for rank in range(world)]
    assert [run.wait(timeout=120) for run in runs] == [0, 0, 0]
    one, first, second = (torch.load(tmp_path / f"{name}.pt") for name in ("1-0", "2-0", "2-1"))
    for key, want in one.items():
        assert torch.equal(first[key], second[key])
        torch.testing.assert_close(first[key], want, rtol=0, atol=1e-14)  # other order of sums
