#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Hold what memlat says of programs against the emulator's truth.

What counts as right was written down before any verdict was fitted to it:

Lines      A line is judged if it has at least 5 % of the sampled latency. What memlat says of it is its
           verdict in c2c, or in lines if c2c does not show it.
Verdict    The truth's share u is that of useless cycles: of the cycles that loads waited for the line's
           sharing lives and upgrades. If nothing waited, u is the share of transfers. The truth is false
           sharing if u is 0.7 or more, true sharing if it is 0.3 or less, and both in between. It is
           none if the line has no sharing lives, or less than 5 % of the line's waited cycles are theirs.
           memlat's words are put into the same four classes (SAID below). "Too few samples" and "writer
           not seen" are undecided, which is neither right nor wrong.
Parties    The threads that the story names are right if each of them has 10 % or more of the line's
           sharing cycles or transfers, as reader or writer, and if two are named where the truth has
           two. Where the truth cannot tell which process is which, a party may be any of them that
           uses the named bytes. Nothing is said of a program that does not tell its threads.
Fields     The bytes of the named threads are right if these threads use them.
Kind       "Contended lock" is right if most of the bytes that essential lives loaded belong to a lock,
           a turn or a sequence count. "True sharing" is right if they do not. "Read mostly" is right if
           two threads or more only read the line.
First line "Loads wait for memory in X to Y of busy cycles" is right if the truth lies between: the cycles
           in which the oldest instruction waits for memory, over all cycles of the program. "Hardly the problem" (Y below 5 %) is wrong if the truth is 10 % or more.
Gain       The interval that advise gives is right if it holds what the mended twin saves, or misses it
           by 3 % of the cycles at most. No advice stands for 0 to 1 %.
Silence    A line on which the program's loads waited for sharing in 5 % or more of its latency in user
           mode, and of which memlat says nothing: it is not judged, and no view has a verdict on it.
Denial     memlat says that there is no fight over such a line.
False alarm  memlat says false sharing, whose remedy is padding, where the truth is true sharing.
perf       Where useless cycles are 5 % or more of the latency: the first line of perf's table, and of
           memlat's, is right if no line has more useless cycles.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys

from recount import CLASSES, cells_of, weight

LATENCY_LEAST = .05
SHARING_LEAST = .05
FALSE_LEAST, TRUE_MOST = .7, .3
PARTY_LEAST = .10
HARDLY, HARDLY_WRONG = .05, .10
GAIN_ALLOWED, GAIN_UNSAID = .03, .01
SAMPLES = (0, 10, 30, 100, 300)

SAID = {
    "false_sharing": "false",
    "true_sharing": "true", "contended_lock": "true", "read_mostly": "true",
    "none": "none", "one_thread": "none", "read_shared": "none",
    "adjacent_line": "none",    # "one thread uses this line"
    "too_few": "undecided", "writer_not_seen": "undecided",
}
# What says that threads fight over a line.
CLAIMS = ("false_sharing", "true_sharing", "contended_lock", "read_mostly", "adjacent_line",
          "writer_not_seen")
TRUTHS = ("false", "true", "both", "none")
# What a field of a random program is for; the first one that a line has names the line's kind.
KINDS = {"spin": "lock", "mutex": "lock", "seq": "seqlock", "turn": "token", "index": "queue",
         "pointer": "pointer", "bytes": "data", "data": "data"}
LOCKS = ("lock", "seqlock", "token")
LINE_MASK = (1 << 64) - 1
VIEWS = {"c2c": ["-d", "all"], "lines": ["-n", "40"], "report": [], "advise": ["-n", "0"]}


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def text_of(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


class Truth:
    """Lives of lines in one bracket, and the program's threads."""

    def __init__(self, doc, output):
        lives = doc["lives"]
        self.lines = lives["lines"]
        self.threads = {thread["thread"]: thread for thread in lives["threads"]}
        self.tid = {}           # tid: value of pthread_self()
        for match in re.finditer(r"^thread \S+ (\d+) (0x[0-9a-f]+)$", output, re.M):
            self.tid[int(match[1])] = int(match[2], 16)
        # A native run knows its threads.
        self.index = {thread["tid"]: thread["thread"] for thread in lives["threads"] if "tid" in thread}
        self.told = bool(self.tid or self.index)
        told = set(self.tid.values())
        # A switch of tasks changes space and fs one after the other. Such a mixture spends no cycles.
        self.clock = any(thread["user"]["cycles"] for thread in lives["threads"])
        spaces = {thread["space"] for thread in lives["threads"] if int(thread["fs"], 16) in told and
                  (thread["user"]["cycles"] or not self.clock)}
        self.program = {index for index, thread in self.threads.items()
                        if not told or thread["space"] in spaces}
        self.by_vaddr = collections.defaultdict(list)
        for line in self.lines:
            for vaddr in {line["vaddr"], *(row["vaddr"] for row in line["bytes"])}:
                self.by_vaddr[int(vaddr, 16)].append(line)
        # The kernel's latency is not only the program's: what waits there may be an idle CPU.
        self.latency = sum(self.of_threads("latency", ("user",)))
        if not self.latency:
            self.latency = sum(cell[2] for cell in (
                *(lives[name] for name in ("cold", "evicted", "held", *CLASSES)),
                *lives["upgrades"].values()))

    def of_threads(self, key, modes=("user", "kernel")):
        return [self.threads[index].get(mode, {}).get(key, 0) for index in self.program for mode in modes]

    def find(self, vaddr):
        """The line at an address; of several in different processes the one that costs most."""
        return max(self.by_vaddr.get(vaddr, []), key=weight, default=None)

    def waited(self, line, classes=CLASSES):
        """The cycles that the program's loads waited for sharing."""
        return sum(cell[2] for _, name, reader, _, cell in cells_of(line)
                   if reader in self.program and name in classes)

    def useless_first(self):
        """The addresses of the line with the most useless cycles, if they are worth it."""
        line = max(self.lines, key=lambda line: self.waited(line, ["useless"]), default=None)
        if not line or self.waited(line, ["useless"]) < LATENCY_LEAST * self.latency:
            return None
        return {int(line["vaddr"], 16), *(int(row["vaddr"], 16) for row in line["bytes"])}

    def who(self, tid):
        """The truth's threads that a tid may be: one, or one in each process that was forked."""
        if tid in self.index:
            return {self.index[tid]}
        told = self.tid.get(tid)
        return {index for index in self.program if told is None or int(self.threads[index]["fs"], 16) == told}


def verdict_of(line):
    """The truth's verdict on a line, and its useless share."""
    if line is None:
        return "none", None
    sums = {name: [0, 0] for name in CLASSES}
    for _, name, _, _, cell in cells_of(line):
        sums[name][0] += cell[2]
        sums[name][1] += cell[0]
    for column, other in ((0, 2), (1, 0)):
        sharing = sum(cell[column] for cell in sums.values())
        if not sharing:
            continue
        if sharing < SHARING_LEAST * (sharing + line["cold"][other] + line["evicted"][other]):
            return "none", None
        share = sums["useless"][column] / sharing
        return ("false" if share >= FALSE_LEAST else "true" if share <= TRUE_MOST else "both"), share
    return "none", None


def parties_of(line):
    """The threads with their share of the line's sharing."""
    cycles, transfers = collections.Counter(), collections.Counter()
    for _, _, reader, writer, cell in cells_of(line):
        cycles[reader] += cell[2]
        for thread in {reader, writer}:
            transfers[thread] += cell[0]
    all_cycles, all_transfers = weight(line)
    return {thread for thread in transfers
            if cycles[thread] >= PARTY_LEAST * max(all_cycles, 1) or
            transfers[thread] >= PARTY_LEAST * max(all_transfers, 1)}


def bytes_of(line):
    """thread: [loaded, stored, essential] at whichever address."""
    out = collections.defaultdict(lambda: [0, 0, 0])
    for row in line["bytes"]:
        for i, key in enumerate(("loaded", "stored", "essential")):
            out[row["thread"]][i] |= int(row[key], 16)
    return out


def assign(choices):
    """Give each party a thread of its own, from those that it may be. How many get one?"""
    taken = {}

    def give(party, seen):
        for thread in choices[party] - seen:
            seen.add(thread)
            if thread not in taken or give(taken[thread], seen):
                taken[thread] = party
                return True
        return False

    return sum(give(party, set()) for party in range(len(choices)))


class Describe:
    """Objects and fields of a random program, by address."""

    def __init__(self, doc, output, natively=()):
        self.objects = []
        places = collections.defaultdict(list)
        for thing in natively:
            places[thing["name"]].append(int(thing["address"], 16))
        for match in re.finditer(r"^object (\S+) (0x[0-9a-f]+) \d+$", output, re.M):
            places[match[1]].append(int(match[2], 16))
        for thing in (doc or {}).get("objects", []):
            self.objects += [(place, thing) for place in places[thing["name"]]]

    def fields(self, vaddr):
        """Each field that the line at the address has: mask of its bytes, kind."""
        for place, thing in self.objects:
            first = max(0, (vaddr - place) // thing["size"])
            last = min(thing["count"] - 1, (vaddr + 63 - place) // thing["size"])
            for element in range(first, last + 1):
                for field in thing["fields"]:
                    offset = place + element * thing["size"] + field["offset"] - vaddr
                    mask = (1 << field["width"]) - 1
                    mask = mask << offset if 0 <= offset < 64 else mask >> -offset if offset < 0 else 0
                    if mask & LINE_MASK:
                        yield mask & LINE_MASK, KINDS[field["kind"]]

    def kind(self, vaddr):
        kinds = {kind for _, kind in self.fields(vaddr)}
        return next((kind for kind in KINDS.values() if kind in kinds), "other")


class Case:
    def __init__(self, folder, memlat_ctl=None):
        self.folder = folder
        self.meta = load(folder / "meta.json") or {}
        self.output = text_of(folder / "record.out")
        self.memlat_ctl = memlat_ctl
        document = load(folder / "record.truth.json")
        self.truth = Truth(document, self.output)
        self.describe = Describe(load(folder / "describe.json"), self.output, document.get("objects", ()))
        self.views = {name: self.view(name) for name in VIEWS}

    def view(self, name):
        """A view's document, by this memlat-ctl or as it was stored."""
        profile = self.folder / ("counted" if name == "advise" else "profile")
        if self.memlat_ctl and name == "report" and not self.truth.clock:
            return {}           # nothing to hold its first line against
        if self.memlat_ctl and profile.exists():
            run = subprocess.run([self.memlat_ctl, name, "-i", profile, "--json", *VIEWS[name],
                                  "--debug-path", self.folder], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, check=False)
            try:
                return json.loads(run.stdout)
            except ValueError:
                sys.exit(f"{self.folder}: memlat-ctl {name}: status {run.returncode}: "
                         f"{run.stderr.decode(errors='replace').strip()[:300]}")
        return load(self.folder / f"{name}.json") or {}

    def lines(self):
        shown = {}
        for row in (self.views["c2c"] or {}).get("lines", []):
            shown.setdefault(int(row["addr"], 16), row)
            shown[int(row["addr"], 16), row["pid"]] = row
        for row in (self.views["lines"] or {}).get("lines", []):
            vaddr = int(row["addr"], 16)
            yield vaddr, row, shown.get((vaddr, row["pid"])) or shown.get(vaddr)

    def judge(self):
        judged, claims, said = [], [], {}
        for vaddr, row, shown in self.lines():
            one = self.line(vaddr, row, shown)
            said.setdefault(vaddr, one["said"])
            if (row["cost"] or 0) >= LATENCY_LEAST:
                judged.append(one)
            elif one["verdict"] in CLAIMS:
                claims.append(one)
        looked = {one["line"] for one in judged}
        silent, denied = [], [one for one in judged if one["fight"] and one["said"] == "none"]
        for line in self.truth.lines:
            places = {int(line["vaddr"], 16), *(int(row["vaddr"], 16) for row in line["bytes"])}
            share = self.truth.waited(line) / self.truth.latency if self.truth.latency else 0
            if share < LATENCY_LEAST or looked & places:
                continue
            words = {said.get(place, "undecided") for place in places}
            if words == {"undecided"}:
                silent.append({"line": min(places), "share": share, "truth": verdict_of(line)[0]})
            elif words <= {"none", "undecided"}:
                denied.append({"line": min(places), "share": share, "truth": verdict_of(line)[0]})
        return {"case": str(self.folder), **self.meta, "lines": judged, "claims": claims, "silent": silent, "denied": denied,
                "first": self.first(), "gain": self.gain(), "perf": self.perf()}

    def line(self, vaddr, row, shown):
        line = self.truth.find(vaddr)
        truth, share = verdict_of(line)
        verdict = (shown or row)["verdict"]
        said = SAID[verdict]
        if shown and shown["both"] and said in ("false", "true"):
            said = both_of(shown)
        out = {"line": vaddr, "data": (shown or row).get("data"), "cost": row["cost"], "samples": row["samples"], "loads": row["loads"],
               "verdict": verdict, "said": said, "sure": (shown or row)["sure"], "truth": truth,
               "useless": share, "kind": self.describe.kind(vaddr),
               "differ": bool(shown) and shown["verdict"] != row["verdict"],
               "fight": line is not None and
               self.truth.waited(line) >= LATENCY_LEAST * max(self.truth.latency, 1)}
        out["result"] = "undecided" if said == "undecided" else "right" if said == truth else "wrong"
        if shown and line is not None and truth != "none" and said in ("false", "true", "both"):
            out.update(self.details(line, vaddr, shown))
        return out

    def details(self, line, vaddr, shown):
        named = {int(tid) for tids in re.findall(r"\bthreads? ([\d, and]*\d)", shown["story"])
                 for tid in re.findall(r"\d+", tids)}
        parties = [party for party in shown["parties"] if party["tid"] in named and self.truth.told]
        true_parties, used = parties_of(line), bytes_of(line)
        out = {}
        if parties:
            who = [self.truth.who(party["tid"]) for party in parties]
            masks = [tuple(sum(1 << byte for byte in party[key]) for key in ("bytes_loaded", "bytes_stored"))
                     for party in parties]
            fits = [{thread for thread in threads if not loaded & ~used[thread][0] and
                     not stored & ~used[thread][1]} for threads, (loaded, stored) in zip(who, masks)]
            out["fields"] = all(fits)
            choices = [(fit or threads) & true_parties for fit, threads in zip(fits, who)]
            out["parties"] = assign(choices) == len(parties) >= min(2, len(true_parties & self.truth.program))
        essential = 0
        for masks in used.values():
            essential |= masks[2]
        fields = list(self.describe.fields(vaddr))
        if essential and fields:
            locks = sum(bin(mask & essential).count("1") for mask, kind in fields if kind in LOCKS)
            lock = 2 * locks > bin(essential).count("1")
            readers = sum(1 for loaded, stored, _ in used.values() if loaded and not stored)
            if shown["verdict"] in ("true_sharing", "contended_lock", "read_mostly"):
                out["kind_right"] = {"contended_lock": lock, "true_sharing": not lock,
                                     "read_mostly": readers >= 2}[shown["verdict"]]
        return out

    def first(self):
        report = self.views["report"] or {}
        modes = modes_of(report)
        cycles = sum(self.truth.of_threads("cycles", modes))
        if not cycles:
            return None
        truth = sum(self.truth.of_threads("head", modes)) / cycles
        said = report.get("waiting_high")
        if said is None:
            return {"truth": truth, "low": None}
        low, high = report["waiting_low"], said
        return {"truth": truth, "said": said, "low": low, "high": high, "held": low <= truth <= high,
                "short": high < .85 * truth, "hardly": said < HARDLY and truth >= HARDLY_WRONG}

    def gain(self):
        both = [self.folder / f"{name}.truth.json" for name in ("plain", "mended")]
        advise = self.views["advise"]
        if not advise or not all(path.exists() for path in both) or not (self.folder / "counted").exists():
            return None
        cycles = [sum(Truth(load(path), text_of(self.folder / path.name.replace("truth.json", "out")))
                      .of_threads("cycles", modes_of(advise))) for path in both]
        if not all(cycles):
            return None
        saved = 1 - cycles[1] / cycles[0]
        items = [item for item in advise.get("items", [])
                 if item["kind"] == "false_sharing" and item["gain_low"] is not None]
        low, high = sum(item["gain_low"] for item in items), min(1, sum(item["gain_high"] for item in items))
        if not items:
            high = GAIN_UNSAID
        return {"saved": saved, "low": low, "high": high, "advised": bool(items),
                "held": low - GAIN_ALLOWED <= saved <= high + GAIN_ALLOWED}

    def perf(self):
        document = load(self.folder / "perf.truth.json")
        if not document:
            return None
        theirs = Truth(document, text_of(self.folder / "perf.out")).useless_first()
        ours = self.truth.useless_first()
        first = re.search(r"Shared Data Cache Line Table.*?^\s*0\s+(0x[0-9a-f]+)",
                          text_of(self.folder / "perf.txt"), re.M | re.S)
        shown = (self.views["c2c"] or {}).get("lines", [])
        return {"perf": theirs and bool(first and int(first[1], 16) in theirs),
                "memlat": ours and bool(shown and int(shown[0]["addr"], 16) in ours)}


def modes_of(document):
    """What a session sampled."""
    return ("user", "kernel") if document.get("quality", {}).get("kernel") else ("user",)


def both_of(shown):
    """A line of two kinds of fight is of both only if one of them is over different bytes."""
    apart, same = shown["other_bytes_share"], shown["lock_share"] + shown["same_bytes_share"]
    return "both" if min(apart, same) >= .2 else "false" if apart > same else "true"


def wilson(right, of):
    """The 95 % interval of a frequency (Wilson's)."""
    if not of:
        return 0.0, 1.0
    z, p = 1.959964, right / of
    middle, half = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return max(0.0, (middle - half) / (1 + z * z / of)), min(1.0, (middle + half) / (1 + z * z / of))


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else None


def percent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def frequency(right, of):
    low, high = wilson(right, of)
    return f"{right} of {of} ({percent(right / of)}, {percent(low)} to {percent(high)})" if of else "0 of 0"


def tally(lines, key, keys):
    """A row for each key: lines, right, wrong, undecided, and of the decided ones how many are right."""
    rows = []
    for name in keys:
        results = collections.Counter(one["result"] for one in lines if key(one) == name)
        decided = results["right"] + results["wrong"]
        rows.append([name, results.total(), results["right"], results["wrong"], results["undecided"],
                     frequency(results["right"], decided)])
    return rows


def bin_of(samples):
    return max(least for least in SAMPLES if samples >= least)


def bin_name(least):
    above = [other for other in SAMPLES if other > least]
    return f"{least} to {above[0] - 1}" if above else f"{least} and more"


def tables(cases):
    """Yield heading, columns, rows."""
    lines = [one for case in cases for one in case["lines"]]
    columns = ["", "lines", "right", "wrong", "undecided", "right of the decided (95 %)"]
    yield "Verdicts, by truth", columns, tally(lines, lambda one: one["truth"], TRUTHS) + \
        tally(lines, lambda one: "all", ["all"])
    kinds = sorted({one["kind"] for one in lines})
    yield "Verdicts, by what the line has", columns, tally(lines, lambda one: one["kind"], kinds)
    yield "Verdicts, by number of samples", columns, tally(
        lines, lambda one: bin_name(bin_of(one["samples"])), map(bin_name, SAMPLES))
    machines = sorted({case.get("machine", "native") for case in cases})
    rows = []
    for machine in machines:
        some = [one for case in cases if case.get("machine", "native") == machine for one in case["lines"]]
        rows += tally(some, lambda one: machine, [machine])
    yield "Verdicts, by machine", columns, rows
    said = (*TRUTHS, "undecided")
    yield "What was said (columns) of what is true (rows)", ["", *said], [
        [truth, *(sum(one["truth"] == truth and one["said"] == word for one in lines) for word in said)]
        for truth in TRUTHS]
    rows = []
    for tenth in range(10):
        some = [one["result"] == "right" for one in lines if one["result"] != "undecided" and
                one["sure"] is not None and min(int(one["sure"] * 10 + 1e-9), 9) == tenth]
        if some:
            rows.append([f"{10 * tenth} to {10 * tenth + 9} %" if tenth < 9 else "90 % and more", len(some),
                         frequency(sum(some), len(some))])
    yield "Reliability", ["sure", "lines", "right (95 %)"], rows
    yield "Claims", ["", "share"], [row for row in claims(cases, lines) if row[1] not in ("0 of 0", "-")]


def claims(cases, lines):
    def of(name, some):
        some = [bool(value) for value in some if value is not None]
        return [name, frequency(sum(some), len(some))]

    advised = [one for one in lines if one["said"] == "false"]
    fights = [one for case in cases for one in case["lines"] if one["fight"]]
    silent = [one for case in cases for one in case["silent"]]
    denied = [one for case in cases for one in case["denied"]]
    every = len(fights) + len(silent) + sum("fight" not in one for one in denied)
    yield of("false alarms: padding advised, truth is true sharing", [one["truth"] == "true" for one in advised])
    yield ["denials: \"no fight\", truth has one of 5 % of the latency", frequency(len(denied), every)]
    yield ["silence: nothing said of such a fight", frequency(len(silent), every)]
    yield of("parties right", [one.get("parties") for one in lines])
    yield of("fields right", [one.get("fields") for one in lines])
    yield of("kind of true sharing right", [one.get("kind_right") for one in lines])
    yield of("views differ about a line", [one["differ"] for one in lines])
    first = [case["first"] for case in cases if case["first"]]
    claimed = [one for one in first if one["low"] is not None]
    yield of("first line: something is claimed", [one["low"] is not None for one in first])
    yield of("first line: claim holds", [one["held"] for one in claimed])
    yield of("first line: more than 15 % below the truth", [one["short"] for one in claimed])
    yield of("first line: \"hardly the problem\", truth 10 % or more", [one["hardly"] for one in claimed])
    yield ["first line: median width", percent(median([one["high"] - one["low"] for one in claimed]))]
    gains = [case["gain"] for case in cases if case["gain"]]
    yield of("gain: what the twin saves is in the interval", [one["held"] for one in gains])
    yield of("gain: nothing advised where the twin saves 5 % or more",
             [not one["advised"] for one in gains if one["saved"] >= .05])
    compared = [case["perf"] for case in cases if case["perf"]]
    for name in ("perf", "memlat"):
        yield of(f"{name}'s first line has the most useless cycles", [one[name] for one in compared])


def each_line(cases):
    """A row for each judged line, and for each other one that memlat says is fought over."""
    for case in cases:
        for one in case["lines"] + case["claims"]:
            yield [case.get("program", case.get("seed", case["case"])), case.get("machine", "native"),
                   (one["data"] or hex(one["line"]))[:NAME_MOST], percent(one["cost"]), one["samples"], one["verdict"],
                   percent(one["sure"]), one["truth"], percent(one["useless"]), one["result"]]


NAME_MOST = 40
EACH = ("program", "machine", "line", "latency", "samples", "said", "sure", "truth", "useless", "result")


def show(title, columns, rows, rst):
    cells = [[str(cell) for cell in row] for row in (columns, *rows)]
    width = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    rule = "  ".join("=" * max(1, w) for w in width)
    # A simple table's first column may not be empty.
    text = ["  ".join((cell or ("\\" if rst and not i else "")).ljust(w) for i, (cell, w) in
                      enumerate(zip(row, width))).rstrip() for row in cells]
    if rst:
        return "\n".join([f"{title}:", "", rule, text[0], rule, *text[1:], rule, ""])
    return "\n".join([title, *("  " + row for row in text), ""])


def main():
    parser = argparse.ArgumentParser(description="Hold what memlat says against the emulator's truth.")
    parser.add_argument("--memlat-ctl", metavar="PROGRAM", help="judge the stored profiles by this "
                        "memlat-ctl, not what the one in the guest said")
    parser.add_argument("--json", action="store_true", help="everything, for programs")
    parser.add_argument("--rst", action="store_true", help="tables for Documentation")
    parser.add_argument("--lines", action="store_true", help="a row for each line, not tables")
    parser.add_argument("--wrong", action="store_true", help="list the lines that are judged wrongly")
    parser.add_argument("folder", nargs="+", help="results of a program, or a folder of such")
    arguments = parser.parse_args()
    folders = sorted({path.parent for folder in arguments.folder
                      for path in pathlib.Path(folder).rglob("record.truth.json")})
    if not folders:
        sys.exit(f"judge.py: no record.truth.json in {' '.join(arguments.folder)}")
    cases, failed = [], []
    for folder in folders:
        case = Case(folder, arguments.memlat_ctl)
        # Without its threads in the truth, nothing of the program could be found.
        if case.truth.program and text_of(folder / "record.status").strip() in ("", "0"):
            cases.append(case.judge())
        else:
            failed.append(str(folder))
    if arguments.json:
        print(json.dumps({"cases": cases, "failed": failed, "tables": [
            {"title": title, "columns": columns, "rows": rows} for title, columns, rows in tables(cases)]},
            indent=1))
        return
    found = [("Lines", EACH, list(each_line(cases)))] if arguments.lines else tables(cases)
    for title, columns, rows in found:
        print(show(title, columns, rows, arguments.rst))
    print(f"{len(cases)} programs; {len(failed)} failed and are not judged"
          f"{': ' if failed else ''}{' '.join(failed)}")
    if arguments.wrong:
        for case in cases:
            for one in case["lines"]:
                if one["result"] == "wrong":
                    print(f"{case['case']}: {one['line']:#x}, {one['kind']}: {one['verdict']} ({one['said']}), "
                          f"sure {one['sure']}, {one['samples']} samples; truth {one['truth']}, "
                          f"useless {percent(one['useless'])}")


if __name__ == "__main__":
    main()
