# test_threads.py - first uses in several threads, and children of a fork while other threads work.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import rnn_mlir
from exchanged import Exchanged
from rnn_mlir import _runtime, modules

FORK = """
import os, signal, sys, threading
import numpy as np
from rnn_mlir import _runtime, modules

layer, running = modules.load("gru"), True
shapes = (20, 8, 32), (1, 8, 64), (3 * 64 * (32 + 64) + 6 * 64,), (20, 8, 64), (1, 8, 64)

def run():
    arrays = [np.full(s, 0.01, np.float32) for s in shapes]
    layer.inference([a.ctypes.data for a in arrays], shapes)
    return arrays[3]

def repeat():
    while running:
        run()

def hold(started, lock):
    with lock:
        started.set()
        while running:
            pass

want, threads = run(), [threading.Thread(target=repeat)]
threads[0].start()
for lock in (_runtime._loading, _runtime._creating):
    started = threading.Event()
    threads.append(threading.Thread(target=hold, args=(started, lock)))
    threads[-1].start()
    started.wait()
codes = []
for _ in range(5):
    child = os.fork()
    if not child:
        signal.alarm(60)
        loaded = _runtime.load_library(layer.path)
        _runtime._device("simt")
        os._exit(0 if np.array_equal(run(), want) and loaded["inference"] else 1)
    codes.append(os.waitpid(child, 0)[1])
running = False
for thread in threads:
    thread.join()
sys.exit(str(codes) if any(codes) else 0)
"""


@pytest.mark.parametrize("call", ("pointers", "arrays", "exchanged"))
def test_released_gil(call):
    """Another thread runs during a call. This one gives the GIL to it in no other way: the interval is longer than the test."""
    layer = modules.load("lstm")
    function, shapes = rnn_mlir.load(layer.path)["inference"], ((400, 1, 128), (1, 1, 256), (1, 1, 256), (4 * 256 * (128 + 256 + 2),),
                                                                (400, 1, 256), (1, 1, 256), (1, 1, 256))
    arrays = [np.full(shape, 0.01, np.float32) for shape in shapes]
    arguments = list(map(Exchanged, arrays)) if call == "exchanged" else arrays
    bound, pointers = layer.inference.bind(shapes), [a.ctypes.data for a in arrays]
    run = (lambda: bound(*pointers)) if call == "pointers" else (lambda: function(*arguments))
    run()
    count, running = 0, True

    def work():
        nonlocal count
        while running:
            count += 1
            time.sleep(0)  # gives the GIL back

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        seen = []
        for _ in range(50):
            before = count
            run()
            seen.append(count - before)
        running = False
    finally:
        sys.setswitchinterval(interval)
        running = False
    thread.join()
    assert any(seen), seen


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_children_of_a_fork():
    """They do not wait for locks of threads that exist in the parent only."""
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_one_device_for_all_threads():
    """Two devices for one GPU would have events that do not fit to the streams of the other."""
    for k in range(100):
        barrier, found = threading.Barrier(4), []

        def run(name=f"simt:random:{k}"):
            barrier.wait()
            found.append(_runtime._device(name))
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4 and len(set(found)) == 1
