# SPDX-License-Identifier: GPL-2.0
"""judge.py on small made results."""
import json
import pathlib
import tempfile
import unittest

import judge
from judge import Describe, Truth, assign, parties_of, verdict_of, wilson

LINE = 0x1000
NONE = {name: [0, 0, 0] for name in judge.CLASSES}


def cells(**some):
    return {**NONE, **some}


def pair(reader, writer, upgrades=None, **lives):
    return {"reader": reader, "writer": writer, **cells(**lives), "upgrades": cells(**(upgrades or {}))}


def used(thread, loaded=0, stored=0, essential=0, vaddr=LINE):
    return {"thread": thread, "vaddr": hex(vaddr), "loaded": hex(loaded), "stored": hex(stored),
            "essential": hex(essential)}


def line(*pairs, cold=(0, 0, 0), evicted=(0, 0, 0), rows=(), vaddr=LINE):
    return {"vaddr": hex(vaddr), "paddr": hex(0x80000 + vaddr), "cold": list(cold),
            "evicted": list(evicted), "pairs": list(pairs), "bytes": list(rows)}


FALSE = line(pair(0, 1, useless=[10, 20, 900]), pair(1, 0, useless=[9, 9, 900], essential=[1, 1, 100]),
             rows=[used(0, 0xff, 0xff), used(1, 0xff00, 0xff00, 0xff)])
TRUE = line(pair(0, 1, essential=[10, 20, 900]), rows=[used(0, 0xff, 0, 0xff), used(1, 0, 0xff)])


def thread(index, cycles=10000, head=4000, latency=2000, space="0x1000", fs=None):
    other = {"cycles": 0, "head": 0, "latency": 99999}
    return {"thread": index, "space": space, "fs": hex(0x7f00 + index if fs is None else fs),
            "user": {"cycles": cycles, "head": head, "latency": latency}, "kernel": other}


def truth_of(*lines, threads=None):
    return {"lives": {"unkept": 0, "threads": threads or [thread(0), thread(1)], **NONE,
                      "cold": [0, 0, 0], "evicted": [0, 0, 0], "held": [0, 0, 0], "upgrades": NONE,
                      "lines": list(lines), "lines_total": len(lines)}}


OUTPUT = "object pair 0x1000 64\nthread t0 100 0x7f00\nthread t1 101 0x7f01\n"


def party(tid, loaded=(), stored=()):
    return {"pid": 99, "tid": tid, "bytes_loaded": list(loaded), "bytes_stored": list(stored)}


def shown(verdict="false_sharing", sure=.95, both=False, vaddr=LINE, cost=.5, samples=50, parties=None):
    story = f"{verdict}: a() in thread 100 writes x while b() in thread 101 reads y. Sure: 95%."
    return ({"addr": hex(vaddr), "pid": 99, "verdict": verdict, "sure": sure, "both": both, "story": story,
             "lock_share": 0, "same_bytes_share": .3, "other_bytes_share": .7,
             "parties": parties or [party(100, [0], [0]), party(101, [8], [8])]},
            {"addr": hex(vaddr), "pid": 99, "verdict": verdict, "sure": sure, "cost": cost, "samples": samples,
             "loads": samples // 2})


class Made(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def put(self, name, document):
        text = document if isinstance(document, str) else json.dumps(document)
        (self.folder / name).write_text(text, encoding="utf-8")

    def case(self, truth, *rows, output=OUTPUT, **files):
        self.put("record.truth.json", truth)
        self.put("record.out", output)
        self.put("c2c.json", {"lines": [row[0] for row in rows if row[0]]})
        self.put("lines.json", {"lines": [row[1] for row in rows]})
        for name, document in files.items():
            self.put(f"{name}.json", document)
        return judge.Case(self.folder).judge()

    def one(self, truth_line, row, **files):
        return self.case(truth_of(truth_line), row, **files)["lines"][0]

    def test_results(self):
        for truth, word, result in ((FALSE, "false_sharing", "right"), (FALSE, "true_sharing", "wrong"),
                                    (FALSE, "one_thread", "wrong"), (FALSE, "too_few", "undecided"),
                                    (FALSE, "writer_not_seen", "undecided"), (TRUE, "false_sharing", "wrong"),
                                    (TRUE, "contended_lock", "right"), (TRUE, "read_mostly", "right"),
                                    (line(), "read_shared", "right"), (line(), "adjacent_line", "right")):
            self.assertEqual(self.one(truth, shown(word))["result"], result, word)

    def test_both(self):
        half = line(pair(0, 1, useless=[5, 5, 500], essential=[5, 5, 500]))
        self.assertEqual(self.one(half, shown(both=True))["result"], "right")
        self.assertEqual(self.one(half, shown())["result"], "wrong")
        row = shown(both=True)
        row[0]["same_bytes_share"], row[0]["lock_share"], row[0]["other_bytes_share"] = .5, .5, 0
        self.assertEqual(self.one(TRUE, row)["result"], "right")

    def test_only_lines_of_five_percent(self):
        case = self.case(truth_of(FALSE, line(vaddr=0x2000)), shown(cost=.05), shown(cost=.049, vaddr=0x2000))
        self.assertEqual([one["line"] for one in case["lines"]], [LINE])

    def test_each_line(self):
        """Also a claim about a line that costs little, but nothing else of such a line."""
        self.put("meta.json", {"program": "p", "machine": "icx"})
        first = shown("true_sharing")
        first[0]["data"] = "a.b"
        case = self.case(truth_of(FALSE), first, shown(cost=.01, vaddr=0x2000),
                         shown("too_few", cost=.01, vaddr=0x3000), shown("one_thread", cost=.01, vaddr=0x4000))
        self.assertEqual([row[:3] + row[5:] for row in judge.each_line([case])],
                         [["p", "icx", "a.b", "true_sharing", "95 %", "false", "95 %", "wrong"],
                          ["p", "icx", "0x2000", "false_sharing", "95 %", "none", "-", "wrong"]])

    def test_parties(self):
        self.assertTrue(self.one(FALSE, shown())["parties"])
        # Thread 101 has no part in this fight, or 5 % of it.
        other = line(pair(0, 2, useless=[20, 20, 1900]), pair(1, 0, useless=[1, 1, 100]),
                     rows=[used(0, 0xff, 0xff), used(1, 0xff00, 0xff00), used(2, 0xf0000, 0xf0000)])
        truth = truth_of(other, threads=[thread(0), thread(1), thread(2)])
        self.assertFalse(self.case(truth, shown())["lines"][0]["parties"])
        row = shown()
        row[0]["story"] = "a() in thread 100 writes x. Sure: 95%."
        self.assertFalse(self.one(FALSE, row)["parties"])
        row = shown(parties=[party(100, [0]), party(101, [8]), party(102)])
        row[0]["story"] = "a() in threads 100, 101 and 102 writes x. Sure: 95%."
        self.assertFalse(self.case(truth_of(FALSE, threads=[thread(0), thread(1), thread(2)]), row,
                                   output=OUTPUT + "thread t2 102 0x7f02\n")["lines"][0]["parties"])

    def test_parties_are_not_told(self):
        one = self.case(truth_of(FALSE), shown(), output="")["lines"][0]
        self.assertEqual((one["result"], "parties" in one, "fields" in one), ("right", False, False))

    def test_parties_of_forked_processes(self):
        """Processes have one fs, so a party is any of them that uses its bytes, but no two are one."""
        threads = [thread(i, fs=0x7f00, space=hex(0x1000 * (i + 1))) for i in range(2)]
        output = OUTPUT.replace("0x7f01", "0x7f00")
        good = self.case(truth_of(FALSE, threads=threads), shown(), output=output)["lines"][0]
        self.assertTrue(good["parties"] and good["fields"])
        same = shown(parties=[party(100, [0]), party(101, [0])])
        self.assertFalse(self.case(truth_of(FALSE, threads=threads), same, output=output)["lines"][0]["parties"])
        self.assertEqual(assign([{1, 2}, {1}]), 2)
        self.assertEqual(assign([{1}, {1}]), 1)

    def test_native(self):
        """A native run's truth has tids and objects."""
        threads = [{**thread(i, fs=0), "tid": 101 - i} for i in range(2)]
        truth = {**truth_of(FALSE, threads=threads), "objects": [{"name": "a", "address": "0x1000", "size": 64}]}
        doc = {"objects": [{"name": "a", "size": 64, "count": 1, "fields": [
            {"kind": "index", "offset": 0, "width": 8}]}]}
        one = self.case(truth, shown(), output="", describe=doc)["lines"][0]
        self.assertEqual((one["fields"], one["kind"]), (False, "queue"))

    def test_fields(self):
        self.assertTrue(self.one(FALSE, shown())["fields"])
        self.assertFalse(self.one(FALSE, shown(parties=[party(100, [0]), party(101, [8], [32])]))["fields"])
        self.assertFalse(self.one(FALSE, shown(parties=[party(100, [8]), party(101, [0])]))["fields"])

    def test_kind(self):
        def doc(kind):
            return {"objects": [{"name": "pair", "size": 64, "count": 1, "fields": [
                {"kind": kind, "offset": 0, "width": 8}, {"kind": "data", "offset": 8, "width": 8}]}]}

        for kind, word, right in (("mutex", "contended_lock", True), ("mutex", "true_sharing", False),
                                  ("data", "contended_lock", False), ("data", "true_sharing", True),
                                  ("data", "read_mostly", False)):
            one = self.one(TRUE, shown(word), describe=doc(kind))
            self.assertEqual((one["kind_right"], one["kind"]), (right, "lock" if kind == "mutex" else "data"))
        readers = line(pair(0, 1, essential=[5, 5, 500]), pair(2, 1, essential=[5, 5, 500]),
                       rows=[used(0, 0xff, 0, 0xff), used(2, 0xff, 0, 0xff), used(1, 0, 0xff)])
        self.assertTrue(self.one(readers, shown("read_mostly"), describe=doc("data"))["kind_right"])

    def test_fields_of_a_line(self):
        thing = {"name": "a", "size": 24, "count": 100, "fields": [{"kind": "seq", "offset": 8, "width": 16}]}
        describe = Describe({"objects": [thing]}, "object a 0x1010 2400\n")
        self.assertEqual([mask for mask, _ in describe.fields(0x1040)], [0xffff00, 0xffff << 32, 0xff << 56])
        self.assertEqual(next(describe.fields(0x1080)), (0xff, "seqlock"))
        self.assertEqual(list(describe.fields(0xfc0)), [])

    def test_silence_and_denial(self):
        self.assertEqual(self.case(truth_of(FALSE))["silent"][0]["share"], .475)
        self.assertEqual(len(self.case(truth_of(FALSE), shown("too_few", cost=.01))["silent"]), 1)
        self.assertEqual(self.case(truth_of(FALSE), shown(cost=.01))["silent"], [])
        self.assertEqual(len(self.case(truth_of(FALSE), shown("none", cost=.01))["denied"]), 1)
        self.assertEqual(len(self.case(truth_of(FALSE), shown("one_thread"))["denied"]), 1)
        small = truth_of(FALSE, threads=[thread(0, latency=40000), thread(1)])
        self.assertEqual(self.case(small, shown("one_thread"))["denied"], [])
        # A thread of another program waits for that line.
        other = truth_of(FALSE, threads=[thread(i, space="0x9000", fs=0) for i in range(2)] + [thread(2, fs=0x7f00)])
        self.assertEqual(self.case(other)["silent"], [])

    def first(self, high, low=0):
        report = {"waiting_low": low, "waiting_high": high, "quality": {"kernel": False}}
        return self.case(truth_of(FALSE), report=report)["first"]

    def test_first_line(self):
        self.assertTrue(self.first(.41)["held"])
        self.assertFalse(self.first(.39)["held"])
        self.assertFalse(self.first(.39)["short"])
        self.assertTrue(self.first(.33)["short"])
        self.assertTrue(self.first(.04)["hardly"])
        self.assertFalse(self.first(.06)["hardly"])
        self.assertIsNone(self.first(None)["low"])
        for low, held in ((.39, True), (.41, False)):
            self.assertEqual(self.first(.6, low)["held"], held)

    def gain(self, mended, low=.2, high=.3, items=None):
        for name, cycles in (("plain", 10000), ("mended", mended)):
            self.put(f"{name}.truth.json", truth_of(threads=[thread(0, cycles=cycles)]))
            self.put(f"{name}.out", "thread t0 100 0x7f00\n")
        self.put("counted", "")
        item = {"kind": "false_sharing", "gain_low": low, "gain_high": high}
        return self.case(truth_of(FALSE), advise={"items": [item] if items is None else items})["gain"]

    def test_gain(self):
        self.assertEqual(self.gain(7500)["saved"], .25)
        for mended, held in ((7500, True), (8290, True), (8310, False), (6710, True), (6690, False)):
            self.assertEqual(self.gain(mended)["held"], held, mended)
        self.assertEqual((self.gain(9590, items=[])["held"], self.gain(9610, items=[])["held"]), (False, True))

    def test_perf(self):
        self.put("perf.truth.json", truth_of(FALSE))
        self.put("perf.out", OUTPUT)
        table = "    Shared Data Cache Line Table     (1 entries)\n# heading\n      0            {}    1\n"
        for address, right in (("0x1000", True), ("0x2000", False)):
            self.put("perf.txt", table.format(address))
            self.assertEqual(self.case(truth_of(FALSE), shown())["perf"], {"perf": right, "memlat": True})
        self.assertEqual(self.case(truth_of(TRUE), shown())["perf"], {"perf": False, "memlat": None})

    def test_tables(self):
        half = line(pair(0, 1, useless=[5, 5, 500], essential=[5, 5, 500]))
        cases = [self.case(truth_of(FALSE), shown(), shown("one_thread", vaddr=0x3000, samples=9)),
                 self.case(truth_of(TRUE), shown(sure=1, samples=10)), self.case(truth_of(half), shown(sure=.89)),
                 self.case(truth_of(FALSE), shown("too_few", sure=.95))]
        found = {title: {row[0]: row[1:] for row in rows} for title, _, rows in judge.tables(cases)}
        self.assertEqual(found["Verdicts, by truth"]["false"][:4], [2, 1, 0, 1])
        self.assertEqual(found["Verdicts, by truth"]["all"][:4], [5, 2, 2, 1])
        self.assertEqual(found["Verdicts, by number of samples"]["0 to 9"][:4], [1, 1, 0, 0])
        self.assertEqual(found["Verdicts, by number of samples"]["10 to 29"][:4], [1, 0, 1, 0])
        self.assertEqual(found["Verdicts, by number of samples"]["30 to 99"][:4], [3, 1, 1, 1])
        self.assertEqual(found["What was said (columns) of what is true (rows)"]["true"], [1, 0, 0, 0, 0])
        self.assertEqual(found["Reliability"]["90 % and more"], [3, "2 of 3 (67 %, 21 % to 94 %)"])
        self.assertEqual(found["Reliability"]["80 to 89 %"][0], 1)
        self.assertIn("1 of 3", found["Claims"]["false alarms: padding advised, truth is true sharing"][0])
        for rst in (False, True):
            self.assertIn("100 to 299", judge.show("T", ["", "n"], [["100 to 299", 1]], rst))


class Truths(unittest.TestCase):
    def test_thresholds(self):
        for useless, verdict in ((70, "false"), (69, "both"), (31, "both"), (30, "true")):
            one = line(pair(0, 1, useless=[1, 1, useless], overwritten=[1, 1, 50 - useless / 2],
                            essential=[1, 1, 50 - useless / 2]))
            self.assertEqual(verdict_of(one)[0], verdict)

    def test_upgrades_count(self):
        self.assertEqual(verdict_of(line(pair(0, 1, {"useless": [1, 1, 70]}, essential=[1, 1, 30])))[0], "false")

    def test_transfers_if_nothing_waited(self):
        self.assertEqual(verdict_of(line(pair(0, 1, useless=[7, 0, 0], overwritten=[3, 0, 0])))[0], "false")
        self.assertEqual(verdict_of(line(pair(0, 1, useless=[9, 0, 0], essential=[1, 1, 5])))[0], "true")

    def test_none(self):
        self.assertEqual(verdict_of(None)[0], "none")
        self.assertEqual(verdict_of(line(cold=[1, 1, 300]))[0], "none")
        self.assertEqual(verdict_of(line(pair(0, 1, useless=[1, 1, 5]), evicted=[1, 1, 96]))[0], "none")
        self.assertEqual(verdict_of(line(pair(0, 1, useless=[1, 1, 5]), cold=[1, 1, 96]))[0], "none")
        self.assertEqual(verdict_of(line(pair(0, 1, useless=[1, 1, 5]), cold=[1, 1, 95]))[0], "false")

    def test_parties(self):
        one = line(pair(0, 1, useless=[10, 10, 100]), pair(2, 1, useless=[1, 1, 5]),
                   pair(3, 1, useless=[1, 1, 40]))
        self.assertEqual(parties_of(one), {0, 1, 3})

    def test_program(self):
        """Threads of the spaces in which the printed threads are, so also the main thread."""
        doc = truth_of(threads=[thread(0), thread(1, fs=0x7e00), thread(2, space="0x5000")])
        self.assertEqual(Truth(doc, "thread t0 100 0x7f00\n").program, {0, 1})
        self.assertEqual(Truth(doc, "").program, {0, 1, 2})
        mixed = truth_of(threads=[thread(0), thread(1, cycles=0, space="0x5000", fs=0x7f00), thread(2, space="0x5000")])
        self.assertEqual(Truth(mixed, "thread t0 100 0x7f00\n").program, {0})

    def test_costliest(self):
        """Of two lines at one address the costlier one counts."""
        small = line(pair(0, 1, useless=[1, 1, 5]))
        truth = Truth(truth_of(small, FALSE), OUTPUT)
        self.assertIs(truth.find(LINE), truth.lines[1])
        self.assertIsNone(truth.find(0x9000))
        other = line(pair(0, 1, useless=[1, 1, 5]), rows=[used(0, 1, vaddr=0x5000)])
        self.assertEqual(Truth(truth_of(other), OUTPUT).find(0x5000), other)

    def test_wilson(self):
        self.assertEqual([round(x, 3) for x in wilson(8, 10)], [.490, .943])
        self.assertEqual([round(x, 3) for x in wilson(0, 10)], [0, .278])


if __name__ == "__main__":
    unittest.main()
