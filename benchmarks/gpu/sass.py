# sass.py - functions, loops and instruction classes of SASS, the machine code of NVIDIA GPUs, as nvdisasm prints it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field

# Of tools/gpu-bundle.
import control_flow
import ptxas

LINE = re.compile(r"\s+/\*([0-9a-f]+)\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][A-Z0-9_.]*)\s*(.*?)\s*;")
REGISTER = re.compile(r"(?<![A-Z])R(\d+)")

# Instruction classes of a report, by the first part of the name.
CLASSES = {"HMMA": "hmma", "DMMA": "hmma", "LDS": "lds", "LDSM": "lds", "STS": "sts", "LDG": "ldg", "STG": "stg",
           "LDGSTS": "ldgsts", "STAS": "stas", "MUFU": "mufu", "BRA": "branch", "CALL": "branch", "BRX": "branch",
           "BAR": "barrier", "WARPSYNC": "barrier", "SHFL": "shfl"}
# Fences that wait for the whole device, or make later loads miss in L1.
DEVICE_FENCES = ("MEMBAR.ALL.GPU", "MEMBAR.SC.GPU", "MEMBAR.ALL.SYS", "MEMBAR.SC.SYS", "CCTL.IVALL", "ERRBAR", "CGAERRBAR")
# Instructions without a destination register: every register they name is a source.
NO_RESULT = ("ST", "STS", "STG", "STL", "STAS", "BRA", "BAR", "EXIT", "MEMBAR", "SYNCS", "RED", "LDGSTS", "NOP", "CCTL",
             "ERRBAR", "BSSY", "BSYNC", "WARPSYNC", "ISETP", "FSETP", "UCGABAR_ARV", "UCGABAR_WAIT", "DEPBAR", "LDGDEPBAR")


@dataclass
class Instruction:
    address: int
    predicate: str
    name: str
    operands: str

    @property
    def opcode(self):
        return self.name.split(".")[0]

    @property
    def kind(self):
        return CLASSES.get(self.opcode, "other")

    @property
    def is_wait(self):
        return self.name.startswith("SYNCS.PHASECHK")

    @property
    def is_fence(self):
        return self.opcode in ("MEMBAR", "CCTL", "ERRBAR", "CGAERRBAR", "FENCE")

    @property
    def bytes(self):
        """Bytes that a thread moves."""
        if self.opcode == "LDSM":
            return 4 * int(re.search(r"\.(\d)$", self.name.replace(".M88", ""))[1]) if self.name[-1].isdigit() else 4
        for part, size in ((".128", 16), (".64", 8), (".U16", 2), (".S16", 2), (".U8", 1), (".S8", 1)):
            if part in self.name:
                return size
        return 4

    @property
    def width(self):
        """Registers of the result."""
        if self.opcode in ("HMMA", "LDSM") or self.name.endswith(".128"):
            return 4
        return 2 if ".64" in self.name or ".WIDE" in self.name or self.opcode in ("CS2R", "DMMA", "DADD", "DFMA", "DMUL") else 1

    def registers(self):
        """(written, read) general registers."""
        parts = self.operands.split(",")
        found = [[int(n) for n in REGISTER.findall(part)] for part in parts]
        if self.opcode in NO_RESULT:
            return [], [n for part in found for n in part] + self.wide_sources(parts)
        first = found[0][0] if found and found[0] and not parts[0].lstrip().startswith("[") else None
        written = [] if first is None else list(range(first, first + self.width))
        return written, [n for part in found[1:] for n in part] + self.wide_sources(parts)

    def wide_sources(self, parts):
        """Further registers of the operands of an MMA, and of stored vectors."""
        more = []
        if self.opcode == "HMMA":
            for part, width in zip(parts[1:4], (4, 2, 4)):
                if m := REGISTER.search(part):
                    more += range(int(m[1]), int(m[1]) + width)
        elif self.opcode in ("STS", "STG", "STAS") and (m := REGISTER.search(parts[-1])):
            more += range(int(m[1]), int(m[1]) + max(1, self.bytes // 4))
        return more


@dataclass
class Function:
    name: str
    instructions: list = field(default_factory=list)
    labels: dict = field(default_factory=dict)  # label -> index of the next instruction

    def analyze(self):
        """Finds the natural loops: lists of instruction indices in program order, largest first."""
        code = self.instructions
        starts = sorted({0} | {i for i in self.labels.values() if i < len(code)} |
                        {i + 1 for i, one in enumerate(code) if one.opcode in ("BRA", "EXIT", "RET", "BRX") and i + 1 < len(code)})
        block_of = {start: number for number, start in enumerate(starts)}
        ends = starts[1:] + [len(code)]
        successors = []
        for start, end in zip(starts, ends):
            last, next_blocks = code[end - 1], []
            # BRA.DIV leads to a copy of the next instruction for divergent warps.
            if last.opcode == "BRA" and ".DIV" not in last.name:
                target = re.search(r"\(?(\.L_x?_?\w+)", last.operands)
                if target and self.labels.get(target[1]) in block_of:
                    next_blocks.append(block_of[self.labels[target[1]]])
            always = last.opcode in ("EXIT", "RET", "BRX", "BRA") and last.predicate is None and ".DIV" not in last.name \
                and not re.match(r"!?U?P\d", last.operands)
            if not always and end in block_of:
                next_blocks.append(block_of[end])
            successors.append(next_blocks)
        self.starts, self.ends, self.successors = starts, ends, successors
        order = sorted(control_flow.reachable(successors))
        self.reached = [i for block in order for i in range(starts[block], ends[block])]
        self.loops = sorted(([i for block in sorted(body) for i in range(starts[block], ends[block])]
                             for body in control_flow.natural_loops(successors)), key=len, reverse=True)

    def time_loop(self):
        """The instructions of one step of a persistent kernel, in program order, without those that only poll an mbarrier again;
        or None if there is no loop. In a wavefront, the loop over the steps of a task is in one over tasks."""
        if not self.loops:
            return None
        steps = [loop for loop in self.loops if any(self.instructions[i].opcode == "HMMA" for i in loop)][-1:] or self.loops[:1]
        spins = {i for loop in self.loops if len(loop) < 12 for i in loop if any(self.instructions[j].is_wait for j in loop)}
        first_wait = next((i for i in steps[0] if self.instructions[i].is_wait), None)
        return [self.instructions[i] for i in steps[0] if i not in spins or i == first_wait]

    def depth_loop(self):
        """The instructions of one iteration of a per-step kernel's loop over the depth, in program order, without paths through
        inner loops: those copy unaligned operands element by element, or only clear tiles past the end of the depth."""
        if not self.loops:
            return []
        blocks_of = lambda loop: {b for b, (start, end) in enumerate(zip(self.starts, self.ends)) if start in loop and end - 1 in loop}
        outer = set(self.loops[0])
        blocks = blocks_of(outer)
        for loop in self.loops[1:]:
            if outer.issuperset(loop) and any(self.instructions[i].opcode in ("LDG", "STS") for i in loop):
                blocks -= blocks_of(set(loop))
        header = min(b for b in blocks_of(outer))
        from_header = self.walk({header}, blocks, self.successors)
        predecessors = [[] for _ in self.successors]
        for block, following in enumerate(self.successors):
            for other in following:
                predecessors[other].append(block)
        latches = {b for b in blocks if header in self.successors[b]}
        to_latch = self.walk(latches, blocks, predecessors)
        return [self.instructions[i] for b in sorted(from_header & to_latch) for i in range(self.starts[b], self.ends[b])]

    @staticmethod
    def walk(first, blocks, edges):
        found, pending = set(first), list(first)
        while pending:
            for other in edges[pending.pop()]:
                if other in blocks and other not in found:
                    found.add(other)
                    pending.append(other)
        return found


def parse(text):
    """The functions in the output of `nvdisasm -c`."""
    functions, current = {}, None
    for line in text.splitlines():
        if m := re.match(r"\.text\.(\S+):", line):
            current = functions[m[1]] = Function(m[1])
        elif current is None:
            continue
        elif line.startswith("//-----") or re.match(r"\$?\S+\$.*:$", line):
            current = None  # the end, or a subroutine such as the slow path of a division
        elif m := re.match(r"(\.L_\w+):", line):
            current.labels[m[1]] = len(current.instructions)
        elif m := LINE.match(line):
            current.instructions.append(Instruction(int(m[1], 16), m[2], m[3], m[4]))
    for function in functions.values():
        function.analyze()
    return functions


def longest_chain(instructions):
    """The most HMMAs that depend on one another through their accumulator."""
    length, longest = {}, 0
    for one in instructions:
        written, _ = one.registers()
        if one.opcode in ("HMMA", "DMMA"):
            m = REGISTER.search(one.operands.split(",")[3])
            before = max((length.get(r, 0) for r in range(int(m[1]), int(m[1]) + one.width)), default=0) if m else 0
            longest = max(longest, before + 1)
            for register in written:
                length[register] = before + 1
        else:
            for register in written:
                length[register] = 0
    return longest


def same_step_loads(instructions):
    """Global loads whose value an instruction reads in the same step before the last send (or before the end, without sends).
    Their latency may add to the step; a load that is issued a step ahead is read in the next one."""
    exposed, pending = set(), {}
    sends = [i for i, one in enumerate(instructions) if one.kind == "stas"]
    for one in instructions[:sends[-1] if sends else None]:
        written, read = one.registers()
        for register in read:
            if register in pending:
                exposed.add(pending.pop(register))
        for register in written:
            pending.pop(register, None)
            if one.opcode == "LDG":
                pending[register] = one.address
    return len(exposed)


def stores_before_sends(instructions):
    """Global stores between the wait for other blocks and the last send to them."""
    kinds = [one.kind for one in instructions]
    if "stas" not in kinds:
        return 0
    wait = next((i for i, one in enumerate(instructions) if one.is_wait), 0)
    last = len(kinds) - 1 - kinds[::-1].index("stas")
    return sum(kind == "stg" for kind in kinds[wait:last])


def barrier_before_mma(instructions):
    """Whether the block synchronizes between its cell arithmetic and its MMAs, as the backward kernels do."""
    kinds = [one.opcode for one in instructions]
    return "BAR" in kinds and "HMMA" in kinds and kinds.index("BAR") < kinds.index("HMMA")


def report(instructions):
    """Counts of a list of instructions: by class, bytes of shared memory per warp, chains, and what must not be in a time loop."""
    counts = Counter(one.kind for one in instructions)
    total = lambda kind: sum(32 * one.bytes for one in instructions if one.kind == kind)
    return {**{kind: counts[kind] for kind in sorted(set(CLASSES.values()))}, "all": len(instructions),
            "lds_bytes": total("lds"), "sts_bytes": total("sts"), "chain": longest_chain(instructions),
            "fences": sum(one.is_fence for one in instructions),
            "device_fences": sum(one.name.startswith(DEVICE_FENCES) for one in instructions),
            "same_step_loads": same_step_loads(instructions),
            "barrier_before_mma": barrier_before_mma(instructions), "early_stores": stores_before_sends(instructions)}


def assemble(ptx, assembler, nvdisasm, chip):
    """Functions and resources of the kernels in `ptx`, by name."""
    code = []
    disassemble = lambda cubin: code.append(
        subprocess.run([nvdisasm, "-c", cubin], text=True, check=True, stdout=subprocess.PIPE).stdout)
    resources = ptxas.assemble(ptx, assembler, chip, disassemble)
    return parse(code[0]), resources
