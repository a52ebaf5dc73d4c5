"""Part `step` of host.py: the training steps of examples/char-lstm, with --rivals=...,torch2 beside PyTorch 2's, eager and
through torch.compile.

All start with the same parameters and read the same text; a loss that differs after ten steps is an error. PyTorch runs with
both forms of Adam (`foreach` and `fused`); the faster one is reported.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os

from rivals import HERE, Missing, Rivals, Row, Worker
from tables import Table, milliseconds, sizes

MODELS = {"two LSTM layers": ("cudnn", "lstm"), "two GRU layers": ("cudnn", "gru"), "one LSTM layer (block ops)": ("block", "lstm")}
# Command lines of torch_step.py by key.
RUNS = {"eager": [["--run=eager", f"--adam={adam}"] for adam in ("foreach", "fused")],
        "compile": [["--run=compile", f"--adam={adam}"] for adam in ("foreach", "fused")]}
# Relative difference of the losses after ten steps. PyTorch adds Adam's epsilon to the corrected root, the example to the root
# itself, which changes the updates of parameters with gradients near 1e-8: 4e-5 was measured.
LIMIT = 2e-4


def write_text(path, characters=63, length=1 << 18):
    """Bytes of a first-order Markov chain: each is followed by one of four."""
    state, text = 1, bytearray(range(characters))
    while len(text) < length:
        state = (state * 1103515245 + 12345) % (1 << 31)
        text.append((text[-1] * 5 + (state >> 16) % 4 * 11) % characters)
    with open(path, "wb") as file:
        file.write(text)


class StepRow(Row):
    """The workers of one model. Ours starts first, since the others read its initial parameters."""

    def __init__(self, session, model, shape, threads, has_torch):
        rivals, (model, cell) = session.rivals, MODELS[model]
        self.rivals, self.threads = rivals, threads
        self.workers, self.missing, self.labels = {}, {}, {}
        text = os.path.join(rivals.folder, "text")
        parameters = os.path.join(rivals.folder, "parameters")
        if not os.path.exists(text):
            write_text(text)
        common = [f"--text={text}", f"--model={model}"]

        def start(key, *commands):
            try:
                self.workers[key] = [Worker([*command, *common], cell, shape, threads, {}) for command in commands]
            except Missing as reason:
                self.missing[key] = str(reason)
                return
            self.guard(key, lambda: [worker.wait_until_ready() for worker in self.workers[key]])
        for key, build in (("ours", rivals.build), ("ours" + Rivals.OTHER, rivals.other)):
            program = rivals.tool("rnn-step-bench", build)
            if build and not os.path.exists(program):
                self.missing[key] = f"{program} does not exist; build its target rnn-step-bench"
            elif build:
                start(key, [program])
                self.labels[key] = "ours" + ", other build" * key.endswith(Rivals.OTHER)
        if "ours" not in self.workers or self.guard("ours", lambda: self.workers["ours"][0].ask(f"parameters {parameters}")) is None:
            return
        for key, runs in RUNS.items() if has_torch else ():
            try:
                python = rivals.python_of("torch2")
            except Missing as reason:
                self.missing[key] = str(reason)
                continue
            script = os.path.join(HERE, "torch_step.py")
            start(key, *([python, script, *run, f"--parameters={parameters}"] for run in runs))
            if key in self.workers:
                self.labels[key] = f"{self.workers[key][0].version}, {key}"

    def losses(self):
        result = {}
        for key, workers in list(self.workers.items()):
            values = self.guard(key, lambda: [float(worker.ask("loss")) for worker in workers])
            if values:
                result[key] = values
        return result


def measure(session):
    arguments = session.arguments
    keys = ["ours", "ours" + Rivals.OTHER, *RUNS]
    times, ratios, labels = Table("model", "threads", *keys), Table("model", "threads", *keys), {}
    T, B, E, H = sizes(arguments.step_shape)
    for model in MODELS:
        for threads in arguments.threads:
            (losses, medians), found = session.measure(
                "step", [model, arguments.step_shape, threads],
                lambda: StepRow(session, model, arguments.step_shape, threads, "torch2" in arguments.rivals),
                lambda row: (row.losses(), row.measure("step", arguments.seconds)[0]))
            labels.update(found)
            head = {"model": model, "threads": str(threads)}
            times.add(**head, **{key: f"{milliseconds(value)} ({T * B / value / 1000:.1f}k)" for key, value in medians.items()})
            if "ours" in medians:
                ratios.add(**head, **{key: f"{value / medians['ours']:.2f}" for key, value in medians.items() if key != "ours"})
                expected = losses["ours"][0]
                for key, values in losses.items():
                    wrong = [value for value in values if not abs(value - expected) <= LIMIT * expected]
                    if wrong:
                        session.failed = True
                        print(f"WRONG: {labels[key]}, {model}: its loss after ten steps is {wrong[0]:.6f}, ours {expected:.6f}\n",
                              flush=True)
    print(f"### Training step of char-lstm, T={T}, B={B}, E={E}, H={H}: milliseconds (characters per second)\n")
    times.print(**labels)
    if any(len(row) > 2 for row in ratios.rows):
        print("Time of each, divided by that of `ours`.\n")
        ratios.print(**labels)
