#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Fit memlat's model of a fight (userspace/analysis/model.h) to programs whose truth is known.

memlat-ctl gives the features of each line, so they are computed in one place only. The coefficients
are the most likely ones of a softmax, with a small penalty on their squares, found by Newton's
method. How much of a line's waiting is useless where the model says false sharing is measured on
programs to which it was not fitted: each half of the seeds is judged by a fit to the other half. The
tables go to standard output.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import judge

THREADS = 3             # MODEL_THREADS
SAMPLES_LEAST = 10      # of a line, to be fitted to
PENALTY = .3
CLASSES = ("false", "both", "true", "none")     # the last one is what the odds are against
SAID_LEAST = 20         # samples of a line, to be judged
TENTH = 10              # of so many lines, one may have less
PROBABILITIES = (.7, .8, .9, .95, .98, 1)     # the first one is CERTAIN in verdict.c


def lines_of(folder, memlat_ctl):
    """Yield features, class, useless share, samples and seed of each line."""
    document, output = judge.load(folder / "record.truth.json"), judge.text_of(folder / "record.out")
    truth = judge.Truth(document, output)
    run = subprocess.run([memlat_ctl, "lines", "--json", "-n", "40", "--debug-path", folder, "-i", folder / "profile"], check=True,
                         stdout=subprocess.PIPE, env={**os.environ, "MEMLAT_MODEL_FEATURES": "1"})
    for line in json.loads(run.stdout)["lines"]:
        features = [float(feature) for feature in line["features"].split()]
        # The model is only asked about threads beside which others store.
        if line["samples"] >= SAMPLES_LEAST and features[THREADS] > 0:
            truly, useless = judge.verdict_of(truth.find(int(line["addr"], 16)))
            yield (features, CLASSES.index(truly), useless or 0,
                   line["samples"], int(folder.name))


def solve(matrix, right):
    """Gauss's elimination; the matrix is positive definite."""
    size = len(right)
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i in range(size):
        for other in range(i + 1, size):
            factor = rows[other][i] / rows[i][i]
            if factor:
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[i])]
    out = [0.0] * size
    for i in reversed(range(size)):
        out[i] = (rows[i][size] - sum(rows[i][k] * out[k] for k in range(i + 1, size))) / rows[i][i]
    return out


def probabilities(table, features):
    sums = [sum(map(float.__mul__, row, features)) for row in table] + [0.0]
    most = max(sums)
    powers = [math.exp(value - most) for value in sums]
    return [power / sum(powers) for power in powers]


def loss(table, lines):
    return PENALTY * sum(value * value for row in table for value in row) - sum(
        math.log(max(probabilities(table, features)[truly], 1e-300)) for features, truly in lines)


def fit(lines):
    """A row of coefficients for each class but the last one."""
    wide, classes = len(lines[0][0]), len(CLASSES) - 1
    size = wide * classes
    table, before = [[0.0] * wide for _ in range(classes)], math.inf
    for _ in range(100):
        now = loss(table, lines)
        if before - now < 1e-6:
            return table
        before = now
        slope = [2 * PENALTY * value for row in table for value in row]
        curve = [[2 * PENALTY * (i == k) for k in range(size)] for i in range(size)]
        for features, truly in lines:
            p = probabilities(table, features)
            for a in range(classes):
                for i, value in enumerate(features):
                    slope[a * wide + i] += (p[a] - (a == truly)) * value
                    row = curve[a * wide + i]
                    for b in range(classes):
                        weight = p[a] * ((a == b) - p[b]) * value
                        for k in range(wide):
                            row[b * wide + k] += weight * features[k]
        step, length = solve(curve, slope), 1.0
        while length > 1e-6:
            tried = [[table[a][i] - length * step[a * wide + i] for i in range(wide)] for a in range(classes)]
            if loss(tried, lines) < now:
                table = tried
                break
            length /= 2
    return table


def useless_least(lines):
    """For each range of probabilities of false sharing: its lower end, lines, the share that a tenth does not reach."""
    said = []
    for half in (0, 1):
        table = fit([line[:2] for line in lines if line[4] % 2 != half])
        for features, _, useless, samples, seed in lines:
            p = probabilities(table, features)
            if seed % 2 == half and samples >= SAID_LEAST and p[0] == max(p):
                said.append((p[0], useless))
    for low, high in zip(PROBABILITIES, PROBABILITIES[1:]):
        some = sorted(useless for p, useless in said if low <= p < high or p == high == 1)
        yield low, len(some), some[len(some) // TENTH] if some else 0


def main():
    parser = argparse.ArgumentParser(description="Fit the model of a fight.")
    parser.add_argument("--memlat-ctl", metavar="PROGRAM", required=True)
    parser.add_argument("folder", type=pathlib.Path, nargs="+", help="results of run fit")
    arguments = parser.parse_args()
    folders = sorted((path.parent for folder in arguments.folder for path in folder.glob("*/record.truth.json")
                      if not path.parent.name.endswith(".new")), key=lambda path: int(path.name))
    lines = [line for folder in folders for line in lines_of(folder, arguments.memlat_ctl)]
    if not lines:
        sys.exit(f"fit.py: no lines in {' '.join(map(str, arguments.folder))}")
    header = (pathlib.Path(__file__).parent / "../../userspace/analysis/model.h").read_text(encoding="utf-8")
    names = re.findall(r"^\t(MODEL_\w+),", header, re.M)[:len(lines[0][0])]
    commit = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "log", "-1", "--format=%h", "--", ".", ":!fit.py", ":!run"],
                            check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    count = ", ".join(f"{sum(line[1] == i for line in lines)} {name}" for i, name in enumerate(CLASSES))
    print(f"""/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made by selftests/judge/fit.py from seeds {folders[0].name} to {folders[-1].name} of selftests/judge/run fit
 * (generator and emulator as of {commit}): {len(lines)} lines with {SAMPLES_LEAST} samples or more
 * ({count}).
 */
static const double model_table[MODEL_NONE][MODEL_FEATURES] = {{""")
    for name, row in zip(CLASSES, fit([line[:2] for line in lines])):
        print(f"\t[MODEL_{name.upper()}] = {{")
        for feature, value in zip(names, row):
            print(f"\t\t[{feature}] = {value:.3f},")
        print("\t},")
    print("""};

/* Of lines that the model calls false sharing, in programs to which it was not fitted. */
static const struct {
\tdouble from;\t/* probability of false sharing */
\tdouble least;\t/* useless share that nine of ten have at least */
} model_useless[] = {""")
    for low, number, least in useless_least(lines):
        print(f"\t{{ {low:.2f}, {least:.2f} }},\t/* {number} lines */")
    print("};")


if __name__ == "__main__":
    main()
