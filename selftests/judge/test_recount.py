# SPDX-License-Identifier: GPL-2.0
"""recount.py on traces worked by hand. Core A is CPU 0, B is CPU 1; each runs the thread of its number."""
import io
import json
import os
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout

import recount
from recount import BEGIN, EVICTED, ITEM, L1, L2, LFB, LOCKED, PREFETCHED, ROW, STORE

L3, CLEAN, HITM, DRAM = 4, 6, 7, 10
BASE = 0x7000
A, B, C = 0, 1, 2


class Trace:
    def __init__(self):
        self.rows = b""

    def row(self, cpu, offset, kind, code, latency=0, size=4, line=0):
        at = BASE + 64 * line + offset
        self.rows += ROW.pack(at, 0x10000 + at, latency, cpu, size, cpu, kind, code)
        return self

    def load(self, cpu, offset, code, latency=5, **more):
        return self.row(cpu, offset, 0, code, latency, **more)

    def store(self, cpu, offset, code, latency=5, **more):
        return self.row(cpu, offset, STORE, code, latency, **more)

    def lock(self, cpu, offset, code, latency=5, size=4):
        self.row(cpu, offset, LOCKED, code, latency, size)
        return self.row(cpu, offset, LOCKED | STORE, L1, 5, size)

    def count(self):
        counted, = recount.brackets(io.BytesIO(self.rows))
        return counted


class Case(unittest.TestCase):
    def counted(self, trace, wrong=0, **expected):
        """What is not expected has to be zero."""
        counter = trace.count()
        doc = counter.document()
        got = {name: doc[name] for name in recount.BEGINNINGS + recount.CLASSES if any(doc[name])}
        got.update({"up_" + name: cell for name, cell in doc["upgrades"].items() if any(cell)})
        self.assertEqual(got, expected)
        self.assertEqual(sum(counter.wrong.values()), wrong, counter.wrong)
        return doc

    def test_cold(self):
        self.counted(Trace().load(A, 0, DRAM, 300).load(A, 8, LFB, 200).load(A, 0, L1),
                     cold=[1, 2, 500])

    def test_cold_takes_all_values(self):
        """B's cold life makes A's earlier stores known to it, though it loads another byte."""
        self.counted(Trace().store(A, 0, DRAM).load(B, 8, HITM, 100).store(A, 8, CLEAN)
                     .load(B, 0, HITM, 70),
                     cold=[2, 1, 100], useless=[1, 1, 70], up_essential=[1, 0, 0])

    def test_true_sharing(self):
        doc = self.counted(Trace().load(B, 0, DRAM, 300).store(A, 0, CLEAN).load(B, 0, HITM, 100)
                           .load(B, 4, LFB, 60).load(B, 0, L1).store(A, 0, CLEAN)
                           .load(B, 0, HITM, 110),
                           cold=[2, 1, 300], essential=[2, 3, 270], up_essential=[1, 0, 0])
        pairs = {(pair["reader"], pair["writer"]): pair for pair in doc["lines"][0]["pairs"]}
        self.assertEqual(pairs[B, A]["essential"], [2, 3, 270])
        self.assertEqual(pairs[A, B]["upgrades"]["essential"], [1, 0, 0])
        self.assertIn({"thread": B, "vaddr": hex(BASE), "loaded": "0xff", "stored": "0x0",
                       "essential": "0xf"}, doc["lines"][0]["bytes"])

    def test_false_sharing(self):
        """Each loads and stores its own word."""
        trace = Trace().load(A, 0, DRAM, 300).store(A, 0, L1).load(B, 8, HITM, 100).store(B, 8, CLEAN)
        for _ in range(3):
            trace.load(A, 0, HITM, 100).store(A, 0, CLEAN).load(B, 8, HITM, 100).store(B, 8, CLEAN)
        # B's first upgrade ends A's cold life, A's first one B's cold life; then useless lives end.
        self.counted(trace, cold=[2, 2, 400], useless=[6, 6, 600], up_essential=[2, 0, 0],
                     up_useless=[5, 0, 0])

    def test_useless_life_keeps_pending(self):
        """What a useless life did not load is still pending in the next one."""
        self.counted(Trace().load(B, 8, DRAM, 300).store(A, 0, CLEAN).load(B, 8, HITM, 80)
                     .store(A, 16, CLEAN).load(B, 0, HITM, 90),
                     cold=[2, 1, 300], useless=[1, 1, 80], essential=[1, 1, 90], up_useless=[1, 0, 0])

    def test_essential_life_takes_all_values(self):
        """A life that loads one pending byte makes all of them known."""
        self.counted(Trace().load(B, 32, DRAM, 300).store(A, 0, CLEAN).store(A, 8, L1)
                     .load(B, 0, HITM, 80).store(A, 16, CLEAN).load(B, 8, HITM, 90),
                     cold=[2, 1, 300], essential=[1, 1, 80], useless=[1, 1, 90],
                     up_essential=[1, 0, 0])

    def test_loaded_in_the_life_after_others(self):
        """The first access is useless, a later hit makes the life essential."""
        self.counted(Trace().load(B, 8, DRAM, 300).store(A, 0, CLEAN).load(B, 8, HITM, 80)
                     .load(B, 3, L1, size=1), cold=[2, 1, 300], essential=[1, 1, 80])

    def test_overwrite(self):
        """B stores the byte that A wrote, and loads it only then."""
        self.counted(Trace().store(B, 0, DRAM).store(A, 0, HITM).store(B, 0, HITM).load(B, 0, LFB, 40)
                     .store(A, 8, HITM), cold=[2, 0, 0], overwritten=[1, 1, 40], useless=[1, 0, 0])

    def test_overwrite_of_a_part(self):
        """The load is wider than the store before it, so it finds bytes of A."""
        self.counted(Trace().store(B, 0, DRAM).store(A, 0, HITM, size=8).store(B, 0, HITM)
                     .load(B, 0, L1, size=8), cold=[2, 0, 0], essential=[1, 0, 0])

    def test_own_bytes_are_not_pending(self):
        """B stored the byte after A, so its value is B's own in all lives that follow."""
        self.counted(Trace().load(B, 8, DRAM, 300).store(A, 0, CLEAN).store(B, 0, HITM).store(B, 0, LFB, 50)
                     .store(A, 16, HITM).load(B, 0, HITM, 80),
                     cold=[2, 1, 300], overwritten=[1, 0, 0], useless=[2, 1, 80])

    def test_eviction(self):
        """A life that begins after an eviction is no sharing; one that ends by it is."""
        self.counted(Trace().load(B, 0, DRAM, 300).store(A, 0, CLEAN).load(B, 0, HITM, 100)
                     .row(B, 0, EVICTED, 0).store(A, 0, CLEAN).load(B, 0, HITM, 120)
                     .store(A, 8, CLEAN).load(B, 0, HITM, 130),
                     cold=[2, 1, 300], essential=[1, 1, 100], evicted=[1, 1, 120], useless=[1, 1, 130])

    def test_eviction_without_pending_load_keeps_it(self):
        self.counted(Trace().load(B, 0, DRAM, 300).row(B, 0, EVICTED, 0).store(A, 0, DRAM)
                     .load(B, 8, HITM, 120).store(A, 8, CLEAN).load(B, 0, HITM, 130),
                     cold=[2, 1, 300], evicted=[1, 1, 120], essential=[1, 1, 130])

    def test_line_end(self):
        """Each line has its part of the bytes."""
        doc = self.counted(Trace().load(B, 60, DRAM, 300).load(B, 0, DRAM, 310, line=1)
                           .store(A, 0, CLEAN, line=1).load(B, 60, L1).load(B, 0, HITM, 90, line=1),
                           cold=[3, 2, 610], essential=[1, 1, 90])
        self.assertEqual([line["vaddr"] for line in doc["lines"]], [hex(BASE + 64)])

    def test_string_items(self):
        """Items use bytes of the copy that the string's first access got; they never miss."""
        self.counted(Trace().load(B, 0, DRAM, 300, size=8).store(A, 16, CLEAN).load(B, 0, HITM, 90, size=8)
                     .row(B, 8, ITEM, 0, size=8).row(B, 16, ITEM, 0, size=8)
                     .store(A, 32, CLEAN).row(A, 40, ITEM | STORE, 0)
                     .load(B, 40, HITM, 70), cold=[2, 1, 300], essential=[2, 2, 160],
                     up_essential=[1, 0, 0])
        self.counted(Trace().row(B, 8, ITEM, 0, size=8), wrong=1)

    def test_upgrade_with_readers(self):
        """The strongest class of the ended lives counts, and its reader. A locked load waits for it."""
        trace = (Trace().load(B, 0, DRAM, 300).load(C, 8, CLEAN, 50).lock(A, 0, CLEAN, 60)
                 .load(B, 0, HITM, 90).load(C, 8, HITM, 95).lock(A, 0, CLEAN, 70)
                 .load(C, 8, HITM, 96).lock(A, 0, CLEAN, 75))
        # A's first locked load misses; its second ends an essential and a useless life, its third one
        # useless life.
        doc = self.counted(trace, cold=[3, 3, 410], essential=[1, 1, 90], useless=[2, 2, 191],
                           up_essential=[1, 1, 70], up_useless=[1, 1, 75])
        pairs = {(pair["reader"], pair["writer"]): pair["upgrades"] for pair in doc["lines"][0]["pairs"]}
        self.assertEqual(pairs[A, B]["essential"], [1, 1, 70])
        self.assertEqual(pairs[A, C]["useless"], [1, 1, 75])

    def test_upgrade_of_evicted_lives_is_none(self):
        self.counted(Trace().store(A, 0, DRAM).load(B, 0, HITM, 90).row(B, 0, EVICTED, 0)
                     .load(B, 0, CLEAN, 80).store(A, 0, CLEAN).row(A, 0, EVICTED, 0).load(A, 0, L3, 30)
                     .store(A, 4, L3), cold=[2, 1, 90], evicted=[2, 2, 110])

    def test_write_write(self):
        """Two who only store, at different bytes: useless; at the same: overwritten."""
        apart, same = Trace(), Trace()
        for i in range(3):
            code = HITM if i else DRAM
            apart.store(A, 0, code).store(B, 8, HITM)
            same.store(A, 0, code).store(B, 0, HITM)
        self.counted(apart, cold=[2, 0, 0], useless=[4, 0, 0])
        self.counted(same, cold=[2, 0, 0], overwritten=[4, 0, 0])

    def test_held(self):
        """A had the line before. Its life counts as held, and the upgrade that ends it does not count."""
        self.counted(Trace().load(A, 0, L1).load(B, 0, L2, 14).load(B, 0, LFB, 33).store(A, 0, CLEAN),
                     held=[2, 1, 33])

    def test_prefetched(self):
        """The prefetcher began the life, so no load waited. Its row has no virtual address."""
        trace = Trace().load(B, 0, DRAM, 300).store(A, 0, CLEAN)
        trace.rows += ROW.pack(0, 0x10000 + BASE, 0, B, 64, B, PREFETCHED, 0)
        doc = self.counted(trace.load(B, 0, L2, 14), cold=[2, 1, 300], essential=[1, 0, 0])
        self.assertEqual([(pair["reader"], pair["writer"]) for pair in doc["lines"][0]["pairs"]], [(B, A)])
        self.assertIn({"thread": B, "vaddr": hex(BASE), "loaded": "0xf", "stored": "0x0", "essential": "0xf"},
                      doc["lines"][0]["bytes"])

    def test_writer_is_the_last_owner(self):
        trace = (Trace().load(B, 0, DRAM, 300).store(A, 0, CLEAN).store(C, 0, HITM).load(B, 0, HITM, 90))
        doc = self.counted(trace, cold=[3, 1, 300], essential=[1, 1, 90])
        self.assertEqual([(pair["reader"], pair["writer"]) for pair in doc["lines"][0]["pairs"]
                          if pair["essential"][0]], [(B, C)])

    def test_bytes_are_of_lives(self):
        """Bytes belong to who began the life, as far as another core had the line or ended that life."""
        def used(trace):
            return {(row["thread"], row["vaddr"]): (row["loaded"], row["stored"], row["essential"])
                    for line in trace.count().document()["lines"] for row in line["bytes"]}

        trace = Trace().store(A, 0, DRAM).row(A, 0, EVICTED, 0).store(A, 4, L3).load(B, 0, HITM, 70)
        # Thread C runs on B's core, and uses what B has fetched.
        trace.rows += ROW.pack(BASE + 8, 0x10000 + BASE + 8, 5, C, 4, B, 0, L1)
        trace.store(A, 4, CLEAN).load(B, 4, HITM, 70)
        self.assertEqual(used(trace), {(A, hex(BASE)): ("0x0", "0xf0", "0x0"),
                                       (B, hex(BASE)): ("0xfff", "0x0", "0xf0")})
        # What a life loads that began after an eviction is known, but no essential life's.
        trace = (Trace().load(B, 0, DRAM, 300).store(A, 0, CLEAN).load(B, 8, HITM, 80).row(B, 0, EVICTED, 0)
                 .load(B, 0, CLEAN, 70).store(A, 0, CLEAN).load(B, 8, HITM, 70))
        self.assertEqual(used(trace)[B, hex(BASE)], ("0xf0f", "0x0", "0x0"))

    def test_prefetched_bytes(self):
        """A line that a prefetcher fetched has its address from its first use."""
        trace = Trace().load(B, 0, DRAM, 300).store(A, 0, CLEAN)
        trace.rows += ROW.pack(0, 0x10000 + BASE, 0, B, 64, B, PREFETCHED, 0)
        doc = trace.load(B, 0, L2, 14).store(A, 0, CLEAN).count().document()
        self.assertIn({"thread": B, "vaddr": hex(BASE), "loaded": "0xf", "stored": "0x0", "essential": "0xf"},
                      doc["lines"][0]["bytes"])

    def test_brackets(self):
        """What a bracket counts has nothing of the one before."""
        rows = Trace().load(A, 0, DRAM, 300).rows
        begin = ROW.pack(0, 0, 0, 0, 0, 0, BEGIN, 0)
        for trace, expected in ((rows, 1), (begin + rows, 1), (begin + rows + begin + rows, 2), (b"", 0)):
            counted = [counter.document()["cold"] for counter in recount.brackets(io.BytesIO(trace))]
            self.assertEqual(counted, [[1, 1, 300]] * expected)
        counted = list(recount.brackets(io.BytesIO(rows + b"x")))
        self.assertEqual(sum(counted[0].wrong.values()), 1)

    def test_disagreements(self):
        """What the codes say contradicts who has the line."""
        self.assertEqual(Trace().store(A, 0, DRAM).load(B, 0, L1).count().wrong.total(), 1)
        self.assertEqual(Trace().load(B, 0, DRAM).row(B, 0, EVICTED, 0).load(B, 0, L1).count().wrong.total(), 1)
        self.assertEqual(Trace().store(A, 0, DRAM).load(A, 0, HITM).count().wrong.total(), 1)
        self.assertEqual(Trace().store(A, 0, DRAM).store(A, 0, CLEAN).count().wrong.total(), 1)
        self.assertEqual(Trace().store(A, 0, DRAM).load(B, 0, HITM).store(A, 0, L1).count().wrong.total(), 1)
        self.assertEqual(Trace().store(A, 0, DRAM).row(B, 0, EVICTED, 0).count().wrong.total(), 1)
        self.assertEqual(Trace().store(A, 0, DRAM).row(A, 0, PREFETCHED, 0).count().wrong.total(), 1)
        self.assertEqual(Trace().load(A, 62, DRAM).count().wrong.total(), 1)

    def test_compare(self):
        """The same counts are equal; each figure that is changed is seen."""
        trace = (Trace().load(B, 0, DRAM, 300).store(A, 0, CLEAN).load(B, 0, HITM, 100)
                 .lock(A, 0, CLEAN, 60))
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("trace", "truth")]
            with open(paths[0], "wb") as file:
                file.write(trace.rows)
            good = trace.count().document()

            def compare(change):
                doc = json.loads(json.dumps(good))
                change(doc)
                with open(paths[1], "w", encoding="utf-8") as file:
                    json.dump({"lives": doc}, file)
                out = io.StringIO()
                with redirect_stdout(out):
                    status = recount.main(["recount.py", *paths])
                return status, out.getvalue()

            line = good["lines"][0]
            self.assertEqual(compare(lambda doc: None)[0], 0)
            for change, word in (
                    (lambda doc: doc["cold"].__setitem__(2, 1), "totals: cold"),
                    (lambda doc: doc["upgrades"]["essential"].__setitem__(0, 9), "totals: upgrades"),
                    (lambda doc: doc["lines"][0]["pairs"][0].update(reader=7), "pairs: "),
                    (lambda doc: doc["lines"][0]["bytes"][0].update(loaded="0x1"), "bytes: "),
                    (lambda doc: doc["lines"][0].update(cold=[0, 0, 0]), "counts: "),
                    (lambda doc: doc["lines"].append({**line, "paddr": "0x40"}), "lines: 0x40"),
                    (lambda doc: doc["lines"].clear(), "lines: the truth shows")):
                status, out = compare(change)
                self.assertEqual(status, 1)
                self.assertIn(word, out)
            with open(paths[1], "w", encoding="utf-8") as file:
                json.dump({"lives": good}, file)
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                self.assertEqual(recount.main(["recount.py", *paths, paths[1]]), 1)
                with open(paths[0], "ab") as file:
                    file.write(ROW.pack(0, 0, 0, 0, 0, 0, BEGIN, 0) + trace.rows)
                self.assertEqual(recount.main(["recount.py", *paths, paths[1]]), 0)


if __name__ == "__main__":
    unittest.main()
