# check_environment.py ROOT - every environment variable that the sources read is on docs/Environment.md.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import sys

READ = re.compile(r'(?:[gG]et[eE]nv|environ\.get)\(\s*"(\w+)"|"(RNNRT_[A-Z0-9_]+_PATH)"|"(RNNRT_CHECK)"')
SHELL = re.compile(r"\$\{(RNN_[A-Z_]+):-")
# Set by the system or by other tools, or read in a test alone.
OTHERS = {"HOME", "PATH", "PYTHONPATH", "XDG_CACHE_HOME", "XLA_FLAGS", "WAVEFRONT_MUTANT"}

root = pathlib.Path(sys.argv[1])
page = (root / "docs" / "Environment.md").read_text(encoding="utf-8")
missing = {}
count = 0
for folder in ("runtime", "lib", "tools", "scripts", "benchmarks", "unittests", "test", "python"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in (".cpp", ".h", ".c", ".py", ".sh") or path == pathlib.Path(__file__):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        pattern = SHELL if path.suffix == ".sh" else READ
        for match in pattern.finditer(text):
            name = next(group for group in match.groups() if group)
            count += 1
            if name not in OTHERS and f"`{name}`" not in page:
                missing.setdefault(name, path.relative_to(root))
for name, path in sorted(missing.items()):
    print(f"{path}: error: docs/Environment.md lacks {name}")
print(f"{count} reads, {len(missing)} variables missing")
# No reads at all means a wrong path.
sys.exit(1 if missing or not count else 0)
