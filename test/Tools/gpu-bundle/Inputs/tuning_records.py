# tuning_records.py - checks and edits measurements and tuning records, independently of the compiler's code.
#   tuning_records.py table TABLE FILE        checks that FILE has the times that rnn-bundle-compare printed
#   tuning_records.py clear IN OUT            replaces times: one candidate of each op, alternately the first and the second, is
#                                             three times as fast, and all are slow enough for the margin of a plan
#   tuning_records.py swap IN OUT             exchanges the times of the two candidates of each op
#   tuning_records.py pretend LIST OUT CANDIDATE=TIME...    writes a measurement for each function of --emit-candidates
#   tuning_records.py program IN.mlir OUT     removes the lowerings of all ops
#   tuning_records.py check FILE RECORDS IR   checks that each op in IR has the lowering of the fastest candidate in FILE
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import sys
from collections import defaultdict


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def by_op(lines):
    groups = defaultdict(list)
    for line in lines:
        groups[line["op"]].append(line)
    return groups


def table(printed, source):
    times = {}
    for line in open(printed):
        if found := re.search(r"T,B,I,H = (.*)", line):
            size = found[1].replace(",", "_")
        elif found := re.match(r"\| (\w+) pass by", line):
            which = found[1]
        elif found := re.match(r"\| (block|cudnn) op, (fused|plan) \| ([0-9.]+) \|", line):
            form, way = found[1].replace("cudnn", "stack"), found[2].replace("fused", "").replace("plan", "_plan")
            times[f"{form}_{which}{way}_{size}"] = float(found[3])
    lines = read(source)
    assert times.keys() == {line["function"] for line in lines}, times
    for line in lines:
        assert abs(line["microseconds"] - times[line["function"]]) < 0.06, (line, times)


def clear(source, target):
    lines = read(source)
    for number, group in enumerate(by_op(lines).values()):
        assert len(group) == 2 and all(line["microseconds"] > 0 for line in group), group
        for place, line in enumerate(group):
            line["microseconds"] = 1000 * (3 if (place + number) % 2 else 1) + number
    write(target, lines)


def swap(source, target):
    lines = read(source)
    for group in by_op(lines).values():
        some, other = group
        some["microseconds"], other["microseconds"] = other["microseconds"], some["microseconds"]
    write(target, lines)


def pretend(source, target, *times):
    times = dict(time.split("=") for time in times)
    write(target, [dict(line, device="Pretended GPU", microseconds=float(times[line["candidate"]])) for line in read(source)])


def program(source, target):
    with open(source) as file:
        text = re.sub(r" \{lowering = #rnn\.lowering<[^>]*>\}", "", file.read())
    assert "lowering" not in text
    with open(target, "w") as file:
        file.write(text)


def check(source, records, ir):
    lines = {line["function"]: line for line in read(source)}
    groups = by_op(lines.values())
    with open(records) as file:
        made = {record["op"]: record for record in json.load(file)["records"]}
    assert made.keys() == groups.keys(), (made.keys(), groups.keys())
    for op, group in groups.items():
        times = {line["candidate"]: line["microseconds"] for line in group}
        rounded = {name: round(time, 1) for name, time in times.items()}
        assert made[op]["microseconds"] == rounded, (made[op], rounded)
        assert made[op]["device"] == group[0]["device"] and made[op]["chip"] == group[0]["chip"]
    with open(ir) as file:
        functions = re.findall(r"func\.func @(\w+)\(.*?#rnn\.lowering<(\w+)[,>]", file.read(), re.S)
    assert functions and {name for name, _ in functions} == lines.keys(), functions
    count = defaultdict(int)
    for name, lowering in functions:
        group = groups[lines[name]["op"]]
        fastest = min(group, key=lambda line: line["microseconds"])["candidate"]
        assert lowering == fastest.split("/")[0], (name, lowering, group)
        count[lowering] += 1
    print(", ".join(f"{count[name]} {name}" for name in sorted(count)))


if __name__ == "__main__":
    {"table": table, "clear": clear, "swap": swap, "pretend": pretend, "program": program, "check": check}[sys.argv[1]](*sys.argv[2:])
