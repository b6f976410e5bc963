#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: read.py pprof | callgrind | openmetrics  <WHAT A CONSUMER READ

Prints the totals that a consumer has read from an export: cycles, loads, hitm and stores. The input is, for pprof, what protoc --decode prints; for callgrind, what
callgrind_annotate prints; for openmetrics, the export itself, which Prometheus' own parser for
Python reads.
"""
import re
import sys


def pprof(text):
    strings = re.findall(r'^string_table: "(.*)"$', text, re.M)
    types = [strings[int(at)] for at in re.findall(r"^sample_type {\n  type: (\d+)", text, re.M)]
    locations = set(re.findall(r"^location {\n  id: (\d+)", text, re.M))
    totals = [0] * len(types)
    for sample in re.findall(r"^sample {\n(.*?)^}", text, re.M | re.S):
        values = re.findall(r"^  value: (-?\d+)", sample, re.M)
        if not set(re.findall(r"location_id: (\d+)", sample)) <= locations:
            sys.exit("a sample has a location that is not told of")
        for at, value in enumerate(values):
            totals[at] += int(value)
    if types != ["cycles", "loads", "hitm", "stores"]:
        sys.exit(f"values are {types}")
    return totals


def numbers(line):
    return [int(figure.replace(",", "")) for figure in
            re.findall(r"([\d,]+|\.)(?: \([ \d.]+%\))? +", line.replace(" . ", " 0 "))]


def callgrind(text):
    told = re.search(r"^(.*)  PROGRAM TOTALS$", text, re.M)
    rows = text.split("file:function", 1)[1].split("\n-----", 2)[1]
    summed = [0, 0, 0, 0]
    for line in rows.splitlines():
        figures = numbers(line)[:4]
        if len(figures) == 4:
            summed = [one + other for one, other in zip(summed, figures)]
    if "WARNING" in text or numbers(told.group(1) + "  ")[:4] != summed:
        sys.exit(f"rows add up to {summed}, told is {told.group(1)}\n{text}")
    return summed


def openmetrics(text):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[(sample.name, tuple(sorted(sample.labels.items())))] = int(sample.value)
    counts = {labels[0][1]: value for (name, labels), value in found.items()
              if name == "memlat_load_latency_cycles_count"}
    loads = found[("memlat_samples_total", (("type", "load"),))]
    if sum(counts.values()) != loads:
        sys.exit(f"{loads} loads, {sum(counts.values())} in the histograms")
    return [found[("memlat_waited_cycles_total", ())], loads,
            counts["l3_hitm"] + counts["rhitm"],
            found[("memlat_samples_total", (("type", "store"),))]]


def main():
    readers = {reader.__name__: reader for reader in (pprof, callgrind, openmetrics)}
    if len(sys.argv) != 2 or sys.argv[1] not in readers:
        sys.exit(__doc__)
    print(*readers[sys.argv[1]](sys.stdin.read()))


if __name__ == "__main__":
    main()
