"""Runs a command with each of its operations on files failing once, then with limits on the size of files.

failing_files.py LIBRARY OUTPUT -- COMMAND...

Each run must end with status 1 and an error message; after a failed rename it may also succeed. A run that fails leaves the
existing content of OUTPUT unchanged, or leaves no file, and no temporary file. A run without failures then writes the expected content.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import resource
import subprocess
import sys

library, output, command = sys.argv[1], sys.argv[2], sys.argv[4:]
old = os.environ.get("FAIL_FILE_KEEPS") == "1"
log = output + ".failed"
# In a build with a sanitizer, its runtime must come before all other libraries.
needed = subprocess.run(["ldd", library], stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout.split()
preload = ":".join([word for word in needed if word.startswith("libclang_rt.")] + [library])


def run(n, limit=resource.RLIM_INFINITY):
    env = dict(os.environ, LD_PRELOAD=preload, FAIL_FILE=str(n), FAIL_FILE_LOG=log)
    if os.path.exists(log):
        os.remove(log)
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    text = done.stdout.decode(errors="replace")
    return done.returncode, text, open(log).read() if os.path.exists(log) else None


def content():
    return open(output, "rb").read() if os.path.exists(output) else None


def stop(message):
    print("wrong:", message)
    sys.exit(1)


def temporary_files():
    return [name for name in os.listdir() if name.startswith(output + ".") and name != log]


def check_folder(what):
    if temporary_files():
        stop(f"{what}: temporary files are left: {', '.join(temporary_files())}")


code, text, failed = run(-1)
if code != 0 or content() is None:
    stop(f"the command fails without faults: {text}")
names = []
while True:
    expected = content()
    if not old:
        os.remove(output)
    before = content()
    code, text, failed = run(len(names))
    if failed is None:
        break
    names.append(failed)
    if code not in (0, 1) or "PLEASE submit" in text:
        stop(f"operation {len(names) - 1} ({failed}): status {code}: {text}")
    # The system may copy a file that it cannot rename.
    if code == 0 and failed in ("write", "fsync"):
        stop(f"operation {len(names) - 1} ({failed}): no error")
    check_folder(f"operation {len(names) - 1} ({failed})")
    if code == 1 and "error:" not in text:
        stop(f"operation {len(names) - 1} ({failed}): no error message: {text}")
    if code == 1 and old and content() != before:
        stop(f"operation {len(names) - 1} ({failed}): the existing file has changed")
    code, text, failed = run(-1)
    if code != 0 or content() is None:
        stop(f"the run after operation {len(names) - 1} fails: {text}")
if code != 0 or not names:
    stop(f"no operation failed: {text}")
# As on a small disk: a write is partial, and the next one fails.
limits = 0
for size in [0] + [2**k for k in range(6, 30)]:
    if not old and os.path.exists(output):
        os.remove(output)
    before = content()
    code, text, failed = run(-1, size)
    if code == 0:
        break
    limits += 1
    if code != 1 or "error:" not in text or "PLEASE submit" in text:
        stop(f"at most {size} bytes: status {code}: {text}")
    check_folder(f"at most {size} bytes")
    if content() != before:
        stop(f"at most {size} bytes: the existing file has changed, or a partial one is left")
if code != 0 or not limits:
    stop(f"no limit failed, or all did: {text}")
print(f"{limits} limits of size, {len(names)} operations: {', '.join(sorted(set(names)))}")
