#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Count the lives of cache lines in a trace of all accesses, apart from the emulator.

recount.py TRACE prints what "lives" of the emulator's truth should be. recount.py TRACE TRUTH...
compares the trace's brackets with the truths, in this order, prints the differences and exits with
status 1 if there is one.

Where the emulator asks its caches, this program goes by the trace alone: a core has a line from its
first access until a store or locked load of another core, or until the row of its eviction. Each row
has the emulator's source, so each row is also a test of that.

Bytes are those of a life, and belong to the thread that began it. They are known of lives that another
core's store ended, and of those that ended when another core had had the line.
"""
import collections
import json
import struct
import sys

ROW = struct.Struct("<QQIIBBBB4x")
STORE, LOCKED, ITEM, BEGIN, PREFETCHED, EVICTED = 1, 2, 0x10, 0x20, 0x40, 0x80
L1, LFB, L2 = 1, 2, 3
CLASSES = ("essential", "overwritten", "useless")
BEGINNINGS = ("cold", "evicted", "held")
SHOWN = 512     # lines in the truth


class Life:
    """A core's copy of a line."""
    __slots__ = ("begin", "reader", "writer", "vaddr", "loads", "waited", "read", "touched", "stored",
                 "overwrote", "shared", "owned")

    def __init__(self, begin, reader, writer, vaddr):
        self.begin, self.reader, self.writer = begin, reader, writer
        self.vaddr = vaddr      # None: fetched by a prefetcher, and not used yet
        self.loads = self.waited = 0
        self.read = 0           # pending bytes that it loaded
        self.touched = 0        # bytes that it loaded
        self.stored = 0
        self.overwrote = False
        # Both False: it may be exclusive or not, since caches of other sockets may have the line.
        self.shared = self.owned = False

    def class_of(self):
        if self.read:
            return "essential"
        return "overwritten" if self.overwrote else "useless"


class Pair:
    def __init__(self):
        self.lives = {name: [0, 0, 0] for name in CLASSES}
        self.upgrades = {name: [0, 0, 0] for name in CLASSES}


class Line:
    __slots__ = ("life", "ended", "pending", "writer", "known", "vaddrs", "pairs", "begun", "bytes")

    def __init__(self):
        self.life = {}          # cpu: its Life
        self.ended = {}         # cpu: how its last life ended
        self.pending = {}       # cpu: mask
        self.writer = None      # the thread that last got ownership
        self.known = False      # a store made known which cores have the line
        self.vaddrs = set()
        self.pairs = collections.defaultdict(Pair)
        self.begun = {name: [0, 0, 0] for name in BEGINNINGS}
        self.bytes = {}         # (thread, vaddr): [loaded, stored, essential]


def add(cell, loads, waited):
    cell[0] += 1
    cell[1] += loads
    cell[2] += waited


def plus(cells):
    return [sum(column) for column in zip(*cells)] or [0, 0, 0]


class Recount:
    def __init__(self):
        self.lines = {}
        self.rows = 0
        self.wrong = collections.Counter()
        self.first_wrong = {}

    def disagree(self, what):
        self.wrong[what] += 1
        self.first_wrong.setdefault(what, self.rows)

    def end(self, line, cpu, how):
        """End the life of a core that has one. Return the class that it gives an upgrade."""
        life = line.life.pop(cpu)
        line.ended[cpu] = how
        name = None
        if life.begin == "sharing":
            name = life.class_of()
            add(line.pairs[life.reader, life.writer].lives[name], life.loads, life.waited)
        else:
            add(line.begun[life.begin], life.loads, life.waited)
            if life.begin == "cold":
                name = "essential"
        if life.read:
            line.pending[cpu] = 0
        else:
            line.pending[cpu] = line.pending.get(cpu, 0) & ~life.stored
        if life.vaddr is not None and (how == "sharing" or len(line.ended.keys() | line.life) > 1):
            cells = line.bytes.setdefault((life.reader, life.vaddr), [0, 0, 0])
            cells[0] |= life.touched
            cells[1] |= life.stored
            if name == "essential" and life.begin == "sharing":
                cells[2] |= life.read
        return name, life.reader

    @staticmethod
    def begin(line, cpu, thread, vaddr, how=None):
        life = line.life[cpu] = Life(how or line.ended.get(cpu, "cold"), thread, line.writer, vaddr)
        return life

    def take(self, line, cpu, thread, life):
        """A core gets ownership. Return the strongest class among the ended lives, and its reader."""
        ended = []
        for other in sorted(line.life):
            if other != cpu:
                name, reader = self.end(line, other, "sharing")
                if name:
                    ended.append((CLASSES.index(name), reader))
        if not life.owned:
            line.writer = thread
        life.owned, life.shared = True, False
        line.known = True
        return min(ended, key=lambda pair: pair[0]) if ended else None

    @staticmethod
    def share(line):
        """A core reads a line. Those that have it keep it, but not exclusively."""
        if len(line.life) > 1:
            for life in line.life.values():
                life.shared, life.owned = True, False

    def fetch(self, line, row):
        """A core gets a line that it does not have. Return its life."""
        vaddr, _, latency, thread, _, cpu, kind, _ = row
        life = self.begin(line, cpu, thread, vaddr & ~63)
        if kind & (STORE | LOCKED):
            self.take(line, cpu, thread, life)
        else:
            self.share(line)
        if not kind & STORE:
            life.loads, life.waited = 1, latency
        return life

    def upgrade(self, line, row, life):
        _, _, latency, thread, _, cpu, kind, _ = row
        ended = self.take(line, cpu, thread, life)
        if ended:
            load = not kind & STORE
            add(line.pairs[thread, ended[1]].upgrades[CLASSES[ended[0]]], load, latency if load else 0)

    def miss_or_hit(self, line, row, life):
        """What the row's code says, against what is known of the core. Return the core's life."""
        vaddr, _, latency, thread, _, cpu, kind, code = row
        beyond = code not in (L1, LFB, L2)
        own = kind & (STORE | LOCKED)
        if not life:
            if beyond:
                return self.fetch(line, row)
            if line.known or cpu in line.ended:
                self.disagree("a hit of a core that does not have the line")
            life = self.begin(line, cpu, thread, vaddr & ~63, "held")
        elif beyond:
            if not own or life.owned:
                self.disagree("a miss of a core that has the line")
            elif own:
                self.upgrade(line, row, life)
            return life
        if code == LFB and not kind & STORE:
            life.loads += 1
            life.waited += latency
        if own:
            if life.shared:
                self.disagree("a store hit a line that other cores have")
            self.take(line, cpu, thread, life)
        return life

    def row(self, row):
        vaddr, paddr, _, thread, size, cpu, kind, _ = row
        self.rows += 1
        line = self.lines.get(paddr >> 6)
        if line is None:
            line = self.lines[paddr >> 6] = Line()
        life = line.life.get(cpu)
        if kind & EVICTED:
            if life:
                self.end(line, cpu, "evicted")
            elif line.known or cpu in line.ended:
                self.disagree("an eviction from a core that does not have the line")
            return
        if kind & PREFETCHED:
            if life:
                self.disagree("a prefetch for a core that has the line")
            else:
                self.begin(line, cpu, thread, None)
                self.share(line)
            return
        if not kind & ITEM:
            life = self.miss_or_hit(line, row, life)
        elif not life:
            self.disagree("a string's item in a line that the core does not have")
            return
        self.use(line, life, vaddr, (1 << size) - 1 << (vaddr & 63), row)

    def use(self, line, life, vaddr, mask, row):
        cpu, kind = row[5:7]
        if mask >> 64:
            self.disagree("an access that crosses the line's end in one row")
            mask &= (1 << 64) - 1
        line.vaddrs.add(vaddr & ~63)
        if life.vaddr is None:
            life.vaddr = vaddr & ~63
        pending = line.pending.get(cpu, 0)
        if kind & STORE:
            if pending & mask:
                life.overwrote = True
            life.stored |= mask
            for other in line.ended:
                if other != cpu:
                    line.pending[other] = line.pending.get(other, 0) | mask
        else:
            life.touched |= mask
            life.read |= pending & mask & ~life.stored

    def finish(self):
        for line in self.lines.values():
            for cpu in list(line.life):
                self.end(line, cpu, "end")


    def document(self):
        pairs = [pair for line in self.lines.values() for pair in line.pairs.values()]
        out = {name: plus(line.begun[name] for line in self.lines.values()) for name in BEGINNINGS}
        out.update({name: plus(pair.lives[name] for pair in pairs) for name in CLASSES})
        out["upgrades"] = {name: plus(pair.upgrades[name] for pair in pairs) for name in CLASSES}
        lines = [(number, line) for number, line in self.lines.items()
                 if any(any(cell[0] for cell in (*pair.lives.values(), *pair.upgrades.values()))
                        for pair in line.pairs.values())]
        lines.sort(key=lambda pair: weight(line_document(*pair)), reverse=True)
        out["lines"] = [line_document(*pair) for pair in lines]
        out["lines_total"] = len(lines)
        return out


def brackets(file):
    """Yield a Recount for each bracket of a trace."""
    counted = None
    while block := file.read(ROW.size << 15):
        for row in ROW.iter_unpack(block[:len(block) - len(block) % ROW.size]):
            if row[6] & BEGIN:
                if counted:
                    counted.finish()
                    yield counted
                counted = Recount()
                continue
            counted = counted or Recount()
            counted.row(row)
        if len(block) % ROW.size:
            counted = counted or Recount()
            counted.disagree("the trace ends within a row")
    if counted:
        counted.finish()
        yield counted


def line_document(number, line):
    def masks(cells):
        return dict(zip(("loaded", "stored", "essential"), map(hex, cells)))

    return {
        "vaddr": hex(min(line.vaddrs, default=0)), "paddr": hex(number << 6),
        **{name: line.begun[name] for name in BEGINNINGS},
        "pairs": [{"reader": reader, "writer": writer, **pair.lives, "upgrades": pair.upgrades}
                  for (reader, writer), pair in line.pairs.items()],
        "bytes": [{"thread": thread, "vaddr": hex(vaddr), **masks(cells)}
                  for (thread, vaddr), cells in line.bytes.items()],
    }


def cells_of(line):
    """All sharing cells of a line of a truth: kind, class, reader, writer, cell."""
    for pair in line["pairs"]:
        for name in CLASSES:
            yield "lives", name, pair["reader"], pair["writer"], pair.get(name, [0, 0, 0])
            yield ("upgrades", name, pair["reader"], pair["writer"],
                   pair.get("upgrades", {}).get(name, [0, 0, 0]))


def weight(line):
    cells = [cell for *_, cell in cells_of(line)]
    return sum(cell[2] for cell in cells), sum(cell[0] for cell in cells)


def sums(line):
    """Of a line: each class of lives and upgrades, without readers and writers."""
    out = {name: tuple(line[name]) for name in ("cold", "evicted")}
    for kind, name, _, _, cell in cells_of(line):
        key = f"{kind} {name}"
        out[key] = tuple(a + b for a, b in zip(out.get(key, (0, 0, 0)), cell))
    return out


def by_pair(line):
    return {(kind, name, reader, writer): tuple(cell)
            for kind, name, reader, writer, cell in cells_of(line) if any(cell)}


def by_bytes(line):
    rows = {(row["thread"], int(row["vaddr"], 16)): tuple(int(row[key], 16) for key in
                                                         ("loaded", "stored", "essential"))
            for row in line["bytes"]}
    return {key: masks for key, masks in rows.items() if any(masks)}


def differences(ours, truth):
    """Yield what differs: a kind and a sentence."""
    for name in BEGINNINGS + CLASSES:
        if list(truth[name]) != list(ours[name]):
            yield "totals", f"{name}: counted {ours[name]}, truth {truth[name]}"
    for name in CLASSES:
        if list(truth["upgrades"][name]) != list(ours["upgrades"][name]):
            yield "totals", (f"upgrades {name}: counted {ours['upgrades'][name]}, "
                             f"truth {truth['upgrades'][name]}")
    if truth["lines_total"] != ours["lines_total"]:
        yield "totals", f"lines: counted {ours['lines_total']}, truth {truth['lines_total']}"
    mine = {int(line["paddr"], 16): line for line in ours["lines"]}
    for line in truth["lines"]:
        paddr = int(line["paddr"], 16)
        if paddr not in mine:
            yield "lines", f"{paddr:#x}: not counted, truth {sums(line)}"
            continue
        for what, of in (("counts", sums), ("pairs", by_pair), ("bytes", by_bytes)):
            a, b = of(mine[paddr]), of(line)
            for key in sorted({*a, *b}, key=str):
                if a.get(key) != b.get(key):
                    yield what, f"{paddr:#x} {key}: counted {a.get(key)}, truth {b.get(key)}"
    if len(truth["lines"]) < min(SHOWN, truth["lines_total"]):
        yield "lines", f"the truth shows {len(truth['lines'])} of {truth['lines_total']} lines"


def false_share(doc):
    """Return the useless share of the waited cycles, and of the transfers."""
    def share(column):
        of = {name: doc[name][column] + doc["upgrades"][name][column] for name in CLASSES}
        return of["useless"] / sum(of.values()) if sum(of.values()) else None

    return share(2), share(0)


def compare(recount, path):
    """Print what differs from a truth. Return 1 if something does."""
    ours = recount.document()
    with open(path, encoding="utf-8") as file:
        truth = json.load(file)
    truth = truth.get("lives", truth)
    kinds = collections.Counter()
    for kind, text in differences(ours, truth):
        kinds[kind] += 1
        if kinds[kind] <= 20:
            print(f"{kind}: {text}")
    shares = "; ".join(f"{name}: {by} by waited cycles, {transfers} by transfers"
                       for name, (by, transfers) in (("counted", false_share(ours)),
                                                     ("truth", false_share(truth))))
    print(f"{recount.rows} rows, {sum(recount.wrong.values())} disagree; {len(truth['lines'])} lines "
          f"compared, differences: {dict(kinds) or 'none'}; unkept {truth.get('unkept', 0)}")
    print(f"useless share {shares}")
    return 1 if kinds or recount.wrong else 0


def main(argv):
    if len(argv) < 2:
        print("usage: recount.py TRACE [TRUTH...]", file=sys.stderr)
        return 2
    truths = argv[2:]
    number = status = 0
    with open(argv[1], "rb") as file:
        for number, recount in enumerate(brackets(file), 1):
            for what, times in recount.wrong.items():
                print(f"disagrees: {what}: {times} of {recount.rows} rows, first row "
                      f"{recount.first_wrong[what]}", file=sys.stderr)
            if not truths:
                ours = recount.document()
                ours["lines"] = ours["lines"][:SHOWN]
                print(json.dumps({"rows": recount.rows, "disagreements": sum(recount.wrong.values()),
                                  "lives": ours}, indent=1))
                status |= bool(recount.wrong)
            elif number <= len(truths):
                if len(truths) > 1:
                    print(f"{truths[number - 1]}:")
                status |= compare(recount, truths[number - 1])
    if truths and number != len(truths):
        print(f"recount.py: {argv[1]} has {number} brackets, for {len(truths)} truths", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv))
