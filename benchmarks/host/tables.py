"""Markdown tables of host.py, and the units of their cells.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


def sizes(shape):
    return [int(size) for size in shape.split(",")]


def gflop(cell, shape, passes=2):
    T, B, I, H = sizes(shape)
    return 2e-9 * passes * T * B * (4 if cell == "lstm" else 3) * H * (I + H)


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}" if seconds < 0.9995 else f"{seconds * 1e3:.0f}"


def microseconds(seconds):
    return f"{seconds * 1e6:.3g}" if seconds < 0.9995e-3 else f"{seconds * 1e6:.0f}"


class Table:
    """Rows of cells by column; columns without a value are omitted."""

    def __init__(self, *columns):
        self.columns, self.rows = list(columns), []

    def add(self, **cells):
        self.rows.append(cells)

    def print(self, **titles):
        if not self.rows:
            return
        columns = [column for column in self.columns if any(row.get(column) for row in self.rows)]
        print("| " + " | ".join(titles.get(column, column) for column in columns) + " |")
        print("|" + "---|" * len(columns))
        for row in self.rows:
            print("| " + " | ".join(row.get(column, "") for column in columns) + " |")
        print(flush=True)
