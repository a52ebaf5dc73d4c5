# wheels.py - commands of the tests of installed packages, and the wheel of rnn_mlir from the prebuilt libraries.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import subprocess
import sys

from rnn_mlir import _files

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def prebuilt(folder):
    """Options of pip: pack the libraries of the build tree, and build the rest below `folder`."""
    return (f"--config-settings=cmake.define.RNN_PYTHON_PREBUILT={_files.library_folder()}",
            f"--config-settings=build-dir={folder}/build")


def build(folder):
    """The wheel, written to `folder`."""
    run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-build-isolation", "--no-deps", "-w", folder, *prebuilt(folder))
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel, folder):
    """Installs a wheel into `folder`/site."""
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--target", folder / "site", wheel)
