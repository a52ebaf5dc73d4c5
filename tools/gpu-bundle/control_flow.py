"""Natural loops of a control-flow graph; used for PTX (kernels.py) and SASS (benchmarks/gpu/sass.py).

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


def reachable(successors):
    """The blocks that block 0 reaches, as a set. `successors` has a list of blocks per block."""
    reached, todo = {0}, [0]
    while todo:
        new = [target for target in successors[todo.pop()] if target not in reached]
        reached.update(new)
        todo += new
    return reached


def natural_loops(successors):
    """The blocks of each natural loop, a set per header: all blocks that reach a back edge without passing the header."""
    order = sorted(reachable(successors))
    predecessors = {block: [one for one in order if block in successors[one]] for block in order}
    dominators = {block: set(order) for block in order}
    dominators[0] = {0}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            new = set.intersection(*(dominators[one] for one in predecessors[block])) | {block}
            if new != dominators[block]:
                dominators[block], changed = new, True
    loops = {}
    for block in order:
        for header in successors[block]:
            if header in dominators[block]:
                body, todo = loops.setdefault(header, {header}), [block]
                while todo:
                    one = todo.pop()
                    if one not in body:
                        body.add(one)
                        todo += predecessors[one]
    return list(loops.values())
