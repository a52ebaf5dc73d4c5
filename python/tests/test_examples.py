# test_examples.py - runs the examples in Python, and the Python blocks of the pages on JAX, PyTorch and many devices.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(page, section=""):
    """The Python blocks of a page, from a section on."""
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text[text.index(f"## {section}\n") if section else 0:], re.DOTALL)


def run(*parts, **environment):
    # As users run it: in f32.
    done = subprocess.run([sys.executable, "-c", "\n".join(parts)], check=False, capture_output=True, text=True,
                          env=dict(os.environ, JAX_ENABLE_X64="0", **environment))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("library", ("jax", "torch"))
def test_readme(library):
    pytest.importorskip(library)
    block, = [block for block in blocks("README", "From Python") if f"import {library}" in block]
    run(block)


def test_jax():
    pytest.importorskip("jax")
    run(*blocks("docs/PythonJAX"))


def test_torch():
    pytest.importorskip("torch")
    first, *rest = blocks("docs/PythonTorch")
    assert "from_torch(theirs)" in rest[0]
    model = "torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ModuleList([torch.nn.GRU(8, 32)]))"
    run(first, "theirs = torch.nn.LSTM(8, 32, 2)", f"model = {model}", *rest, "assert type(model[1][0]) is rnn.GRU")


def test_many_devices_in_jax():
    """Without the block for clusters: test_jax_devices.py has a program for several processes."""
    pytest.importorskip("jax")
    jit, mapped, cluster = blocks("docs/ManyDevices", "JAX")[:3]
    assert "jax.distributed" in cluster
    run(blocks("docs/PythonJAX")[0], jit, mapped, "step(params, x)", XLA_FLAGS="--xla_force_host_platform_device_count=4")


def test_many_devices_in_torch(tmp_path):
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    block, = blocks("docs/ManyDevices", "PyTorch")
    network = "import torch\nimport rnn_mlir.torch as rnn\nNet = lambda: rnn.GRU(4, 6)"
    assert 'init_process_group("gloo")' in block
    block = block.replace('"gloo"', f'"gloo", init_method="file://{tmp_path}/store", rank=0, world_size=1')
    run(network, block, "model(torch.randn(5, 2, 4))[0].sum().backward()")


def test_timeseries(tmp_path):
    pytest.importorskip("jax")
    command = [sys.executable, ROOT / "examples" / "python-timeseries" / "train.py", "--steps=60"]
    plot = tmp_path / "plot.png"
    try:
        importlib.import_module("matplotlib")
        command.append(f"--plot={plot}")
    except ImportError:
        pass
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert len(command) == 3 or plot.read_bytes().startswith(b"\x89PNG")
    first, last = map(float, re.search(r"first loss (\S+), last loss (\S+)", done.stdout).groups())
    assert last < 0.5 * first
