# conftest.py - lets the tests import their helpers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
