"""Part `inference` of host.py: forward passes that keep nothing for a gradient, with few rows. Ours packs the weights in every
call, or once with a handle (rnn_runtime/weights.h); oneDNN's weights are reordered once.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from rivals import Rivals, Row
from tables import Table, microseconds

SHAPES = ["1,1,256,256", "1,1,512,512", "1,1,1024,1024", "64,1,512,512", "64,1,1024,1024", "64,4,512,512"]
RIVALS = {"plan": "plan-cudnn", "onednn2": "onednn2", "onednn3": "onednn3", "torch": "torch", "torch2": "torch2"}


def measure(session):
    arguments = session.arguments
    keys = ["kept", "cudnn"] + [RIVALS[rival] for rival in arguments.rivals if rival in RIVALS]
    keys = Rivals.with_other(keys) if arguments.compare else keys
    rivals = session.rivals.with_shapes(arguments.inference_shapes)
    for cell in ("lstm", "gru"):
        times, ratios, labels = Table("T,B,I,H", "threads", *keys), Table("T,B,I,H", "threads", *keys), {}
        for shape in arguments.inference_shapes:
            for threads in arguments.threads:
                medians, found = session.measure("inference", [cell, shape, threads],
                                                 lambda: Row(rivals, keys, cell, shape, threads),
                                                 lambda row: row.measure("inference", arguments.seconds / 2)[0])
                labels.update(found)
                head = {"T,B,I,H": shape, "threads": str(threads)}
                times.add(**head, **{key: microseconds(value) for key, value in medians.items()})
                if "kept" in medians:
                    ratios.add(**head, **{key: f"{value / medians['kept']:.2f}" for key, value in medians.items() if key != "kept"})
        print(f"### {cell.upper()}, inference, f32: microseconds of one call\n")
        times.print(**labels)
        if ratios.rows:
            print(f"Time of each, divided by that of `{labels['kept']}`.\n")
            ratios.print(**labels)
