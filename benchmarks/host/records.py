"""Measured rows of host.py in a file, so that a run that was interrupted, or ran out of time, continues where it ended.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import time


class OutOfTime(Exception):
    """The next row would begin after the time that the run may take."""


class Records:
    """One line of JSON per row: its key and its results. Without a path nothing is kept."""

    def __init__(self, path=None, minutes=None):
        self.path, self.rows, self.measured = path, {}, 0
        self.end = None if minutes is None else time.monotonic() + 60 * minutes
        if path and os.path.exists(path):
            with open(path) as file:
                for line in file:
                    try:
                        row = json.loads(line)
                    except json.JSONDecodeError:
                        continue  # the process ended while it wrote the line
                    self.rows[json.dumps(row["key"])] = row["results"]

    def get(self, key, measure):
        """The results of `key`: those in the file, or those of `measure()`, which are JSON values."""
        name = json.dumps(key)
        if name in self.rows:
            return self.rows[name]
        if self.end is not None and self.measured and time.monotonic() > self.end:
            raise OutOfTime
        results = json.loads(json.dumps(measure()))
        self.measured += 1
        if self.path:
            with open(self.path, "a") as file:
                file.write(json.dumps({"key": key, "results": results}) + "\n")
            self.rows[name] = results
        return results
