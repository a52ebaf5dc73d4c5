"""The workers that host.py can start: which are available, their command lines, and their requests (Worker.h).

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import re
import select
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Missing(Exception):
    """Something cannot be measured, with the reason."""


def processor():
    """The name of the processor and the set of its features."""
    with open("/proc/cpuinfo") as file:
        text = file.read()
    name = re.search(r"^model name\s*: (.*)$", text, re.M)
    flags = re.search(r"^(?:flags|Features)\s*: (.*)$", text, re.M)
    return name.group(1) if name else "unknown processor", set(flags.group(1).split() if flags else [])


class Worker:
    """A process that answers requests. Runs on as many processors as it has threads."""

    def __init__(self, command, cell, shape, threads, environment):
        processors = sorted(os.sched_getaffinity(0))[:threads]
        self.errors = tempfile.TemporaryFile("w+")
        command = command + [f"--cell={cell}", f"--shape={shape}", f"--threads={threads}"]
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                            bufsize=0, env={**os.environ, **environment},
                                            preexec_fn=lambda: os.sched_setaffinity(0, processors))
        except OSError as error:
            raise Missing(f"{command[0]}: {error.strerror}") from None

    def read(self, seconds):
        end = time.monotonic() + seconds
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                self.close()
                raise Missing(f"no answer within {seconds} s")
            part = os.read(self.process.stdout.fileno(), 1 << 12)
            if not part:
                self.process.wait()
                self.errors.seek(0)
                lines = [line for line in self.errors.read().splitlines() if line.strip()]
                said = [line for line in lines if "rror" in line] or lines
                raise Missing(said[-1][:200] if said else f"exit status {self.process.returncode}")
            line += part
        return line.decode().strip()

    def wait_until_ready(self):
        """Sets the version, and the memory in MB before the layer was made."""
        ready, loaded, self.version = self.read(240).split(" ", 2)
        assert ready == "ready"
        self.loaded = int(loaded) / 1e3

    def ask(self, request, seconds=100):
        try:
            self.process.stdin.write((request + "\n").encode())
        except BrokenPipeError:
            pass  # reading says why
        return self.read(seconds)

    def close(self):
        self.process.kill()
        self.process.wait()


class Rivals:
    """Commands by key. A worker is built and looked up at its first use.

    A key is NAME, NAME:TYPE or NAME:TYPE:METHOD, with OTHER behind it for another build. TYPE is the element type, f32 if
    there is none; METHOD is the value of --bf16-gemm. Workers of type f64 are references of bf16 problems: they have the
    same inputs, which are bf16 values."""

    ALL = ["block", "cudnn", "plan", "onednn2", "onednn3", "torch", "tensorflow"]
    MORE = ["torch2", "onednn2-bare", "onednn3-bare"]  # when asked for
    LABELS = {"block": "block, fused", "cudnn": "cudnn, fused", "kept": "cudnn, fused, packed once", "plan": "plan",
              "plan-cudnn": "cudnn, plan"}
    OTHER = "@other"  # suffix of a key: the same lowering, compiled and run by the programs of `--compare`

    def __init__(self, build, shapes, folder, cpu="native", other=None, quiet=None):
        self.build, self.other, self.shapes, self.folder, self.cpu = build, other, shapes, folder, cpu
        self.quiet = quiet or Quiet(0)
        self.tools = os.path.join(build, "rivals")
        self.modules, self.name, self.flags = {}, *processor()
        self.program = self.tool("rnn-host-bench")

    def with_shapes(self, shapes):
        """The same for other shapes."""
        return Rivals(self.build, shapes, tempfile.mkdtemp(dir=self.folder), self.cpu, self.other, self.quiet)

    @classmethod
    def with_other(cls, keys):
        """Adds the other build's worker behind each of ours."""
        return [name for key in keys for name in ((key, key + cls.OTHER) if key.split(":")[0] in cls.LABELS else (key,))]

    @classmethod
    def label(cls, key):
        """The title of a column of ours; None for rivals, which report their version."""
        name, *more = key.removesuffix(cls.OTHER).split(":")
        more += ["other build"] * key.endswith(cls.OTHER)
        return cls.LABELS.get(name) and ", ".join([cls.LABELS[name], *more])

    def tool(self, name, build=None):
        return os.path.join(build or self.build, "bin", name)

    def module_text(self, layer, kind):
        path = os.path.join(self.folder, f"{layer}-{kind}.mlir")
        if not os.path.exists(path):
            with open(path, "w") as file:
                subprocess.run(["python3", os.path.join(HERE, "layers.py"), f"--layer={layer}", f"--type={kind}",
                                *self.shapes], stdout=file, check=True)
        return path

    def module(self, layer, lowering, kind="f32", build=None, flags=()):
        """A shared library with every shape, compiled by the rnn-compile of `build`."""
        build = build or self.build
        key = "-".join([layer, lowering, kind, *flags] + ["other"] * (build == self.other))
        if key not in self.modules:
            path = os.path.join(self.folder, key + ".so")
            try:
                subprocess.run([self.tool("rnn-compile", build), self.module_text(layer, kind), f"--cpu={self.cpu}",
                                f"--lowering={lowering}", *flags, "-o", path], check=True, capture_output=True, text=True)
            except (OSError, subprocess.CalledProcessError) as error:
                text = getattr(error, "stderr", None) or str(error)
                raise Missing("rnn-compile: " + text.strip().splitlines()[-1][:200]) from None
            self.modules[key] = path
        return self.modules[key]

    def python_of(self, key):
        """The Python of a rival's virtual environment."""
        python = os.path.join(self.tools, key, "bin", "python")
        if not os.path.exists(python):
            how = "PYPI_TORCH=1 " if key == "torch2" else ""
            raise Missing(f"{python} is not there; {how}benchmarks/host.sh makes it")
        return python

    def peak(self, kind, threads):
        """GFLOP/s of the fastest instructions on this type, by hand-written code (Peak.cpp)."""
        program = os.path.join(self.build, "bin", "rnn-host-peak")
        processors = sorted(os.sched_getaffinity(0))[:threads]
        try:
            return float(subprocess.run([program, f"--type={kind}", f"--threads={threads}"], check=True, capture_output=True,
                                        text=True, preexec_fn=lambda: os.sched_setaffinity(0, processors)).stdout)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"rnn-host-peak: {(getattr(error, 'stderr', None) or str(error)).strip()}") from None

    def exchange(self):
        """Nanoseconds of a cache line from one processor to another and back (Peak.cpp); None with one processor."""
        if len(os.sched_getaffinity(0)) < 2:
            return None
        try:
            return int(subprocess.run([os.path.join(self.build, "bin", "rnn-host-peak"), "--exchange"], check=True,
                                      capture_output=True, text=True).stdout)
        except (OSError, subprocess.CalledProcessError):
            return None  # the first row says why

    def chosen(self, layer, kind="f32", what="backward"):
        """The lowering that `auto` selects for the gradients, or for the forward passes, by shape."""
        try:
            text = subprocess.run([self.tool("rnn-compile"), self.module_text(layer, kind), f"--cpu={self.cpu}",
                                   "--stop-after=select", "-o", "-"], check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return {}  # the rows say why nothing could be compiled
        result = {}
        for function in text.split("func.func @")[1:]:
            name, lowering = function.split("(", 1)[0], re.search(r"lowering = #rnn\.lowering<(\w+)>", function)
            if f"_{what}_" in name and lowering:
                result[",".join(name.split("_")[2:])] = lowering.group(1)
        return result

    def start(self, key, cell, shape, threads):
        """The workers of a rival; the fastest is reported."""
        def worker(*command, **environment):
            command = [*command, "--type=bf16"] if kind != "f32" else [*command]
            return Worker(command, cell, shape, threads, environment)

        build = self.other if key.endswith(self.OTHER) else self.build
        key, kind, method, *_ = key.removesuffix(self.OTHER).split(":") + ["", ""]
        kind = kind or "f32"

        def ours(layer, lowering, *flags):
            name = "block" if layer == "block" else cell
            module = self.module(name, lowering, kind, build, [f"--bf16-gemm={method}"] if method else [])
            return worker(self.tool("rnn-host-bench", build), f"--layer={layer}", f"--module={module}", *flags)
        if key == "block":
            return [ours("block", "fused")]
        if key == "cudnn":
            return [ours("cudnn", "fused")]
        if key == "kept":  # weights with a handle
            return [ours("cudnn", "fused", "--weights=kept")]
        if key in ("plan", "plan-cudnn"):
            if threads > 1:
                return []  # plans have one thread
            return [ours("block" if cell == "lstm" and key == "plan" else "cudnn", "runtime")]
        if key in ("onednn2", "onednn3", "onednn2-bare", "onednn3-bare"):
            base, bare = key.split("-")[0], ["--bare=1"] if key.endswith("-bare") else []
            program = os.path.join(self.tools, base)
            if not os.path.exists(program):
                raise Missing(f"{program} is not there; benchmarks/host.sh makes it")
            libraries = os.path.join(self.tools, "onednn", "lib")
            environment = {} if base == "onednn2" else {
                "LD_LIBRARY_PATH": libraries, "OCL_ICD_FILENAMES": os.path.join(libraries, "libintelocl.so")}
            return [worker(program, *bare, **environment)]
        if key == "torch":
            environment = {"OPENBLAS_NUM_THREADS": "1"}
            # OpenBLAS 0.3.21 detects some processors with AVX-512 as older ones.
            if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= self.flags:
                environment["OPENBLAS_CORETYPE"] = "SKYLAKEX"
            script = os.path.join(HERE, "torch_layers.py")
            return [worker("/usr/bin/python3", script, **{**environment, "OPENBLAS_NUM_THREADS": str(count)})
                    for count in range(1, threads + 1)]
        if key == "torch2":
            return [worker(self.python_of(key), os.path.join(HERE, "torch_layers.py"))]
        if key == "tensorflow":
            python = self.python_of(key)
            return [worker(python, os.path.join(HERE, "tensorflow_layers.py"), TF_CPP_MIN_LOG_LEVEL="3")]
        raise Missing(f"unknown rival `{key}`")


class Quiet:
    """Decides which rounds count. The other hardware thread of a virtual processor's core may belong to another virtual
    machine, which takes up to half of the rate of multiply-adds. A round counts if the rates right before and right after it are at
    least `fraction` of the highest one that was measured for this type and this number of threads."""

    def __init__(self, fraction):
        self.fraction, self.highest = fraction, {}
        self.rounds = self.disturbed = 0
        self.without = 0  # measurements in which no round counts

    def select(self, kind, threads, peaks):
        """The indexes of the rounds that count; round k is between peaks k and k + 1."""
        highest = max([self.highest.get((kind, threads), 0), *peaks])
        self.highest[kind, threads] = highest
        return [k for k in range(len(peaks) - 1) if min(peaks[k:k + 2]) >= self.fraction * highest]

    def count(self, rounds, selected):
        self.rounds += rounds
        self.disturbed += rounds - len(selected)
        self.without += not selected

    def print(self):
        if self.fraction and self.rounds:
            print(f"{self.disturbed} of {self.rounds} rounds are disturbed: the peak before or after them was less than "
                  f"{self.fraction:g} of the highest one. They do not count, except in {self.without} measurements that had no "
                  "other rounds.")


class Row:
    """All rivals for one problem, started together and measured interleaved."""

    def __init__(self, rivals, keys, cell, shape, threads):
        self.rivals, self.threads = rivals, threads
        self.workers, self.missing = {}, {}
        for key in keys:
            try:
                started = rivals.start(key, cell, shape, threads)
                if started:
                    self.workers[key] = started
            except Missing as reason:
                self.missing[key] = str(reason)
        for key, workers in list(self.workers.items()):
            self.guard(key, lambda: [worker.wait_until_ready() for worker in workers])
        self.labels = {key: Rivals.label(key) or workers[0].version + ", bare" * ("-bare" in key) + ", bf16" * (":bf16" in key)
                       for key, workers in self.workers.items()}

    def guard(self, key, run):
        """None if the rival failed; it is then skipped in the rest of the row."""
        try:
            return run()
        except Missing as reason:
            self.missing[key] = str(reason)
            for worker in self.workers.pop(key):
                worker.close()
            return None

    def differences(self, rivals, reference=None, keys=None):
        """The largest relative difference of the gradients of `keys`, or of all, from those of the row `reference`, or from
        the first one's; and the relative norm of the differences."""
        result, first = {}, None
        with tempfile.TemporaryDirectory(dir=rivals.folder) as folder:
            for row in (reference, self) if reference else (self,):
                for key, workers in list(row.workers.items()):
                    if row is self and keys is not None and key not in keys:
                        continue
                    os.mkdir(os.path.join(folder, key))
                    if row.guard(key, lambda: workers[0].ask("save " + os.path.join(folder, key))) is None:
                        continue
                    if first is None:
                        first = key
                        continue
                    done = subprocess.run([rivals.program, f"--compare={folder}/{first},{folder}/{key}"],
                                          capture_output=True, text=True)
                    if done.returncode:
                        raise SystemExit(f"{self.labels[key]}: {done.stderr.strip()}")
                    largest, _, norm = done.stdout.split()
                    result[key] = float(largest), float(norm)
                if reference and first is None:
                    return {}
        return result

    def memory(self):
        """Largest resident sets so far in MB, and less what there was before the layer."""
        result = {}
        for key, workers in list(self.workers.items()):
            used = self.guard(key, lambda: int(workers[0].ask("memory")) / 1e3)
            if used is not None:
                result[key] = " (".join(f"{value:.0f}" if value >= 100 else f"{value:.3g}"
                                        for value in (used, used - workers[0].loaded)) + ")"
        return result

    def measure(self, request, seconds, kind="f32"):
        """Medians in seconds, and the peak of `kind` in GFLOP/s; three to nine rounds, as many as fit in the time, or if some
        do not count (Quiet), in four times the time. A worker whose first run takes longer than that is not run again once it
        has a round that counts."""
        rounds, peaks, start = [], [], time.monotonic()
        quiet = self.rivals.quiet
        ours = any(Rivals.label(key) for key in self.workers)
        while True:
            if quiet.fraction:
                peaks.append(self.rivals.peak(kind, self.threads))
                selected = quiet.select(kind, self.threads, peaks)
            else:
                selected = list(range(len(rounds)))
            passed = time.monotonic() - start
            is_enough = len(selected) >= 3 or passed > 4 * seconds
            if len(selected) >= 9 or (len(rounds) >= 3 and passed > seconds and is_enough):
                break
            if ours and not quiet.fraction:
                peaks.append(self.rivals.peak(kind, self.threads))
            counted = [rounds[k] for k in selected]
            rounds.append({})
            for key, workers in list(self.workers.items()):
                for index, worker in enumerate(workers):
                    if next((turn[key, index] for turn in counted if (key, index) in turn), 0) > max(seconds, 2):
                        continue
                    answer = self.guard(key, lambda: worker.ask(request))
                    # Its threads stop spinning: those of OpenBLAS after 2^26 cycles.
                    time.sleep(0.05 if key == "torch" and len(workers) > 1 else 0.005)
                    if answer is None:
                        break
                    rounds[-1][key, index] = float(answer)
        quiet.count(len(rounds), selected)
        used = [rounds[k] for k in selected] or rounds

        def median(key, index):
            times = [turn[key, index] for turn in used if (key, index) in turn]
            return statistics.median(times or [turn[key, index] for turn in rounds if (key, index) in turn])
        medians = {key: min(median(key, index) for index in range(len(workers))) for key, workers in self.workers.items()}
        peaks = [peaks[k] for k in selected] or peaks if peaks else []
        return medians, statistics.median(peaks) if peaks else 0

    def close(self):
        for workers in self.workers.values():
            for worker in workers:
                worker.close()
