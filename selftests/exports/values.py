#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: values.py MEMLAT_CTL PROFILE DEBUG_PATH [all]

Reads each export of a profile by a reader of its own, and compares value by value: pprof's types, units, times and
chains with folded's; its functions, files and lines with callgrind's; callgrind's objects too with sites --json, if
the table of sites has "all"; metrics of both formats with other views. For each difference a line is printed.
"""
import collections
import json
import re
import subprocess
import sys

VALUES = ("cycles", "loads", "hitm", "stores")


class Export:
    def __init__(self, ctl, profile, paths):
        self.ctl, self.profile, self.paths, self.wrong = ctl, profile, paths, 0
        with open(profile, "rb") as file:
            content = file.read()
        self.recorded = int(re.search(rb'"recorded_at":(\d+)', content)[1])

    def told(self, *words):
        paths = ["--debug-path", self.paths] if words[0] not in ("status", "buckets") else []
        return subprocess.run([self.ctl, *words, "-i", self.profile, *paths], check=True, stdout=subprocess.PIPE).stdout

    def export(self, name, *more):
        return self.told("export", "--format", name, *more)

    def view(self, *words):
        return json.loads(self.told(*words, "--json"))

    def same(self, what, found, expected):
        if found == expected:
            return
        self.wrong += 1
        if isinstance(found, dict) and isinstance(expected, dict):
            other = [key for key in {**found, **expected} if found.get(key) != expected.get(key)]
            what = f"{what}: {other[0]}"
            found, expected = found.get(other[0]), expected.get(other[0])
        print(f"# wrong: {what}: {found!r}, expected {expected!r}"[:500])


def varint(content, at):
    number = shift = 0
    while True:
        number |= (content[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 0x80:
            return number, at


def message(content):
    """Fields of a message of protobuf: for each number the values, which are numbers or bytes."""
    fields, at = collections.defaultdict(list), 0
    while at < len(content):
        key, at = varint(content, at)
        value, at = varint(content, at)
        if key & 7 == 2:
            value, at = content[at:at + value], at + value
        elif key & 7:
            sys.exit(f"a field of type {key & 7}, which profile.proto does not have")
        fields[key >> 3].append(value)
    return fields


def packed(content):
    numbers, at = [], 0
    while at < len(content):
        number, at = varint(content, at)
        numbers.append(number)
    return numbers


def add(table, key, values):
    table[key] = [one + other for one, other in zip(table.get(key, (0, 0, 0, 0)), values)]


def pprof(it):
    """Returns the values by chain of names, outermost first, and by the innermost function, file and line."""
    fields, status = message(it.export("pprof")), it.view("status")
    text = [one.decode() for one in fields[6]]
    types = [message(one) for one in fields[1]]
    it.same("pprof's types", [(text[one[1][0]], text[one[2][0]]) for one in types],
            [("cycles", "cycles"), ("loads", "count"), ("hitm", "count"), ("stores", "count")])
    it.same("pprof's default type", text[fields[14][0]], "cycles")
    it.same("pprof's time", fields[9], [it.recorded * 10**9])
    it.same("pprof's duration", fields[10], [status["duration_ns"]])
    functions = {}
    for one in map(message, fields[5]):
        it.same("pprof's system name", one[3], one[2])
        functions[one[1][0]] = text[one[2][0]], text[one[4][0]]
    places = {}
    for one in map(message, fields[4]):
        line = message(one[4][0])
        places[one[1][0]] = *functions[line[1][0]], line[2][0]
    chains, codes = {}, {}
    for one in map(message, fields[2]):
        frames, values = [places[number] for number in packed(one[1][0])], packed(one[2][0])
        add(chains, ";".join(name for name, _, _ in reversed(frames)), values)
        add(codes, frames[0], values)
    return chains, codes


def folded(it):
    """The same by chain, without the process; evicted samples have no chain but that."""
    chains = {}
    for number, value in enumerate(VALUES):
        for line in it.export("folded" if value == "cycles" else f"folded:{value}").decode().splitlines():
            chain, figure = line.rsplit(" ", 1)
            values = [0] * len(VALUES)
            values[number] = int(figure)
            add(chains, chain if chain == "[evicted]" else chain.split(";", 1)[1], values)
    return chains


def callgrind(it):
    """Values by object, file, function and line."""
    codes, head, at = {}, {}, {}
    for line in it.export("callgrind").decode().splitlines():
        name, _, rest = line.partition("=")
        if name in ("ob", "fl", "fn"):
            at[name] = rest
        elif re.match(r"\d", line):
            number, *values = map(int, line.split())
            add(codes, (at["ob"], at["fl"], at["fn"], number), values)
        elif ": " in line:
            head.update([line.split(": ", 1)])
    it.same("callgrind's events", head["events"], "Cycles Loads Hitm Stores")
    it.same("callgrind's positions", head["positions"], "line")
    whole = " ".join(map(str, map(sum, zip(*codes.values()))))
    it.same("callgrind's summary and totals", [head["summary"], head["totals"]], [whole, whole])
    it.same("callgrind's command", head["cmd"], it.view("report")["command"])
    return codes


def sites(it):
    codes = {}
    for row in it.view("dcache", "--by", "site", "-n", "0")["sites"]:
        key = row["path"] or "[unknown]", row["file"] or "[unknown]", row["function"] or row["module"], row["line"] or 0
        add(codes, key, (row["cost_cycles"], row["loads"], row["hitm"], row["stores"]))
    return codes


def metrics(text):
    """Values by name and labels, and types by name."""
    values, types = {}, {}
    for line in text.decode().splitlines():
        if line.startswith("# TYPE "):
            types.update([line[7:].split(" ")])
        elif not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            values[name] = float(value)
    return values, types


def metrics_of_views(it):
    status, report, buckets = it.view("status"), it.view("report"), it.view("buckets")
    count = status["counters"]
    started = float(f"{it.recorded - status['duration_ns'] / 1e9:.0f}")
    wanted = {'samples_total{type="load"}': count["loads"], 'samples_total{type="store"}': count["stores"],
              'events_total{type="load"}': count["weight_loads"], 'events_total{type="store"}': count["weight_stores"],
              "waited_cycles_total": report["cost_cycles"], "busy_cycles_total": count["busy_cycles"],
              "own_cycles_total": count["own_cycles"], "lost_total": report["quality"]["lost"],
              "buffer_full_total": count["full_pmis"], "running": 0, "ldlat_cycles": report["quality"]["ldlat"],
              "session_start_time_seconds": started}
    for end, figure in (("low", report["waiting_low"]), ("high", report["waiting_high"])):
        if figure is not None:
            wanted[f'waiting_ratio{{bound="{end}"}}'] = float(f"{figure:.4f}")
    for table in ("lines", "sites", "accesses", "threads"):
        wanted[f'evicted_samples_total{{table="{table}"}}'] = count[f"{table}_evicted"]
    for family, kind in (("load_latency_cycles", "sources"), ("estimated_load_latency_cycles", "weights")):
        for source in buckets["total"][kind]:
            below, rough = 0, 0
            for row in buckets["buckets"]:
                below += row[kind][source]
                rough += row[kind][source] * ((row["above"] + (row["to"] or row["above"])) // 2)
                edge = f"{row['to']}.0" if row["to"] else "+Inf"
                wanted[f'{family}_bucket{{source="{source}",le="{edge}"}}'] = below
            wanted[f'{family}_count{{source="{source}"}}'] = below
            wanted[f'{family}_sum{{source="{source}"}}'] = buckets["total"]["latency"][source] if kind == "sources" else rough
    fights = [line for line in it.view("c2c", "-n", "0")["lines"] if line["verdict"] in ("true_sharing", "false_sharing")]
    return {f"memlat_{name}": value for name, value in wanted.items()}, started, fights


def judge_metrics(it):
    wanted, started, fights = metrics_of_views(it)
    found, types = metrics(it.export("openmetrics"))
    created = {name: value for name, value in found.items() if re.match(r"\w+_created\b", name)}
    it.same("when counters began", set(created.values()), {started})
    counters = {re.sub(r"_(total|count)\b", "_created", name) for name in wanted
                if re.search(r"_(total|count)\b", name)}
    it.same("counters that say when they began", set(created), counters)
    lines = {name: value for name, value in found.items() if name.startswith("memlat_contended_latency_ratio")}
    it.same("lines of metrics", 0 < len(lines) <= 5 or not fights, True)
    for name, value in lines.items():
        labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', name))
        costs = [line["cost"] for line in fights if line["verdict"] == labels["verdict"]]
        it.same(f"{name}: a line's cost", any(abs(cost - value) < 1e-5 for cost in costs), True)
    plain = {name: value for name, value in found.items() if name not in created and name not in lines}
    it.same("metrics", plain, wanted)
    other, other_types = metrics(it.export("prometheus"))
    it.same("the older format's metrics", other, {**plain, **lines})
    it.same("the older format's types", other_types,
            {name + "_total" * (kind == "counter"): kind for name, kind in types.items()})


def main():
    it = Export(*sys.argv[1:4])
    chains, codes = pprof(it)
    by_chain, by_code = folded(it), callgrind(it)
    it.same("pprof's chains", {chain: values for chain, values in chains.items() if any(values)}, by_chain)
    lines = {}
    for (_, file, function, line), values in by_code.items():
        add(lines, (function, "" if file == "[unknown]" else file, line), values)
    it.same("pprof's functions, files and lines", codes, lines)
    if sys.argv[4:] == ["all"]:
        it.same("callgrind's objects, files, functions and lines", by_code, sites(it))
    judge_metrics(it)
    return it.wrong > 0


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) > 3 else __doc__)
