// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts of constructed snapshots. The certainty of a fight is fitted (analysis/model_table.h), so
 * what is clear is only held to be said with much of it.
 */

#include "ctl_judge.h"
#include "ctl_session.h"

#include "analysis/verdict.h"

static struct session s;

TEST(false_sharing)
{
	struct verdicts *verdicts;
	const struct verdict_line *verdict;

	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 80, .stores = 60 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
	assert_false(judge(&s, LINE).both);
	assert_false(judge(&s, LINE).unseen_writer);
	assert_in_range(judge(&s, LINE).apart, 85, 100);
	assert_int_equal(judge(&s, LINE).apart + judge(&s, LINE).same, 100);
	assert_false(judge(&s, LINE).coarse);

	/* Its parties, the costliest first. */
	verdicts = verdicts_begin(&s.snap);
	verdict = verdict_of(verdicts, &s.lines[0]);
	assert_int_equal(verdict->nr_parties, 2);
	assert_int_equal(verdict->parties[0].tid, 1);
	assert_int_equal(verdict->parties[0].pid, PID);
	assert_int_equal(verdict->parties[0].loads, 100);
	assert_int_equal(verdict->parties[0].stores, 50);
	assert_int_equal(verdict->parties[0].hitm, 90);
	assert_int_equal(verdict->parties[0].bytes_loaded, 1);
	assert_int_equal(verdict->parties[0].cpus, 2);
	assert_int_equal(verdict->parties[0].nodes, 2);
	assert_int_equal(verdict->parties[1].bytes_stored, 1 << 8);
	assert_int_equal(verdict->parties[1].store_byte, 8);
	assert_int_equal(verdict->parties[1].load_byte, 8);
	assert_int_equal(verdict->parties[1].load_ip, 0x401020);
	assert_int_equal(verdict->parties[1].store_ip, 0x401020);
	verdicts_end(verdicts);

	/* One of them only reads, but another thread's stores take the line from it. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90 },
	     { .addr = LINE + 32, .tid = 2, .stores = 300 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
}

TEST(true_sharing)
{
	USES(&s, { .addr = LINE + 16, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 },
	     { .addr = LINE + 16, .tid = 2, .loads = 100, .hitm = 80, .stores = 60 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 90, 99);

	/* A thread's own stores elsewhere in the line do not make it false sharing. */
	USE(&s, .addr = LINE + 40, .tid = 1, .stores = 1000, .period = 1);
	verdict_is(&s, VERDICT_TRUE_SHARING, 85, 99);
}

/* Parties are named by bytes that show the verdict, not by those that they use most. */
TEST(bytes_of_the_fight)
{
	struct verdicts *verdicts;
	const struct verdict_line *verdict;
	unsigned int i;

	/* The same byte, although each thread stores to another one more often. */
	USES(&s, { .addr = LINE + 16, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 },
	     { .addr = LINE + 16, .tid = 2, .loads = 100, .hitm = 80, .stores = 60 },
	     { .addr = LINE + 40, .tid = 1, .stores = 1000, .period = 1, .ip = 0x401500 },
	     { .addr = LINE + 48, .tid = 2, .stores = 1000, .period = 1, .ip = 0x401600 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 80, 99);
	verdicts = verdicts_begin(&s.snap);
	verdict = verdict_of(verdicts, &s.lines[0]);
	for (i = 0; i < 2; i++) {
		assert_int_equal(verdict_byte(&verdict->parties[i]), 16);
		assert_int_not_equal(verdict->parties[i].store_ip, 0x401500);
		assert_int_not_equal(verdict->parties[i].store_ip, 0x401600);
	}
	verdicts_end(verdicts);

	/* Different bytes, although both also use a third one, which one of them stores to. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 500 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 80, .stores = 500 },
	     { .addr = LINE + 32, .tid = 1, .stores = 20, .period = 1 },
	     { .addr = LINE + 32, .tid = 2, .loads = 2 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);
	verdicts = verdicts_begin(&s.snap);
	verdict = verdict_of(verdicts, &s.lines[0]);
	for (i = 0; i < 2; i++)
		assert_int_not_equal(verdict_byte(&verdict->parties[i]), 32);
	verdicts_end(verdicts);
}

/* Where widths are not known, accesses within the same 8 bytes may overlap or be apart. */
TEST(neighbours)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 100, .stores = 100 },
	     { .addr = LINE + 4, .tid = 2, .loads = 100, .hitm = 100, .stores = 100 });
	verdict_is(&s, VERDICT_TOO_FEW, 40, 60);
	assert_int_equal(judge(&s, LINE).few, VERDICT_FEW_UNDECIDED);
	USES(&s, { .addr = LINE + 7, .tid = 1, .loads = 100, .hitm = 100, .stores = 100 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 100, .stores = 100 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
}

/* The cycles decide, not the number of samples, because each CPU has its own period. */
TEST(weights)
{
	struct verdict_line few, many;

	USES(&s, { .addr = LINE, .tid = 1, .loads = 300, .hitm = 300, .period = 100 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 100, .period = 1000 },
	     { .addr = LINE, .tid = 3, .stores = 200 });
	few = judge(&s, LINE);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 100, .period = 1000 },
	     { .addr = LINE + 8, .tid = 2, .loads = 300, .hitm = 300, .period = 100 },
	     { .addr = LINE, .tid = 3, .stores = 200 });
	many = judge(&s, LINE);
	assert_true(few.apart > many.apart + 20);
}

/*
 * Loads and stores are never added up: no number of stores outweighs what loads say. Only when the
 * stores are too few for all the lives to find one are they a reason to doubt.
 */
TEST(loads_and_stores)
{
	struct verdict_line once, often;

	USES(&s, { .addr = LINE + 16, .tid = 1, .loads = 50, .hitm = 45 },
	     { .addr = LINE + 16, .tid = 2, .stores = 60 });
	once = judge(&s, LINE);
	USES(&s, { .addr = LINE + 16, .tid = 1, .loads = 50, .hitm = 45 },
	     { .addr = LINE + 16, .tid = 2, .stores = 60, .period = 1000000 });
	often = judge(&s, LINE);
	assert_int_equal(once.verdict, VERDICT_TRUE_SHARING);
	assert_int_equal(often.verdict, VERDICT_TRUE_SHARING);
	assert_in_range(often.sure, once.sure, 99);
}

TEST(read_mostly)
{
	/* Two readers and a writer that stores no more often than they must fetch. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 100 },
	     { .addr = LINE, .tid = 2, .loads = 100, .hitm = 90 },
	     { .addr = LINE, .tid = 3, .stores = 200 });
	verdict_is(&s, VERDICT_READ_MOSTLY, 80, 99);
	/* If the bytes are others, it is false sharing. */
	s.accesses[2].addr = LINE + 8;
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);

	/* One store more, by weight, and it is not mostly read any more. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 100 },
	     { .addr = LINE, .tid = 2, .loads = 100, .hitm = 90 },
	     { .addr = LINE, .tid = 3, .stores = 201 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 80, 99);
	/* But if one load in many is tagged, half of the stores found the line taken away. */
	s.accesses[2].store_l1_hit = 101;
	verdict_is(&s, VERDICT_TRUE_SHARING, 80, 99);
	s.accesses[2].store_l1_hit = 100;
	verdict_is(&s, VERDICT_READ_MOSTLY, 80, 99);
	/* With other bytes it is false sharing all the same. */
	s.accesses[2].addr = LINE + 8;
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);

	/* One reader is not many. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 200, .hitm = 190 },
	     { .addr = LINE, .tid = 3, .stores = 100 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 80, 99);

	/* A second writer counts from a tenth of the stores on. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 100 },
	     { .addr = LINE, .tid = 2, .loads = 100, .hitm = 90 },
	     { .addr = LINE, .tid = 4, .loads = 100, .hitm = 90, .stores = 9 },
	     { .addr = LINE, .tid = 3, .stores = 91 });
	verdict_is(&s, VERDICT_READ_MOSTLY, 80, 99);
	s.accesses[2].stores = s.accesses[2].store_l1_hit = 10;
	s.accesses[2].samples++;
	s.accesses[2].weight += 1000;
	s.accesses[3].stores = s.accesses[3].store_l1_hit = 90;
	s.accesses[3].samples--;
	s.accesses[3].weight -= 1000;
	verdict_is(&s, VERDICT_TRUE_SHARING, 80, 99);
}

TEST(adjacent_line)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 30, .stores = 100 },
	     { .addr = LINE + 64, .tid = 2, .loads = 100, .stores = 200 });
	verdict_is(&s, VERDICT_ADJACENT, 90, 99);
	/* A clean copy elsewhere shows the same. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .snoop = 30, .stores = 100 },
	     { .addr = LINE + 64, .tid = 2, .loads = 100, .stores = 200 });
	verdict_is(&s, VERDICT_ADJACENT, 90, 99);
	/*
	 * Two threads read the line and none writes it, but a third one writes the line beside it.
	 */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 30 },
	     { .addr = LINE, .tid = 3, .loads = 10, .hitm = 3 },
	     { .addr = LINE + 64, .tid = 2, .loads = 100, .stores = 200 });
	verdict_is(&s, VERDICT_ADJACENT, 80, 99);

	/* The same thread writes the partner, so others are not to blame. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 30, .stores = 100 },
	     { .addr = LINE + 64, .tid = 1, .loads = 100, .stores = 200 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* The partner is the other half of 128 bytes, not just the next line. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 30, .stores = 100 },
	     { .addr = LINE - 64, .tid = 2, .loads = 100, .stores = 200 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* Nothing shows that other cores are involved. The line is only slow. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .stores = 100 },
	     { .addr = LINE + 64, .tid = 2, .loads = 100, .stores = 200 });
	verdict_is(&s, VERDICT_ONE_THREAD, 98, 99);
	/* The line's own fight comes first. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 100 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 90, .stores = 100 },
	     { .addr = LINE + 64, .tid = 3, .loads = 100, .stores = 200 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
}

TEST(quiet_lines)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .stores = 100 });
	verdict_is(&s, VERDICT_ONE_THREAD, 98, 99);
	/* A few accesses of another thread. */
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 5);
	verdict_is(&s, VERDICT_ONE_THREAD, 95, 99);

	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .dram = 100 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .dram = 100 });
	verdict_is(&s, VERDICT_READ_SHARED, 98, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	/* L3, or another core, may have it from a thread whose stores were not sampled. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .dram = 70 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .dram = 70 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_int_equal(judge(&s, LINE).few, VERDICT_FEW_ONE_SIDE);
	/* So may what a fill buffer waits for. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .lfb = 91, .stores = 100 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);

	/* Written, but hardly ever fetched from another core. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 900, .hitm = 9 });
	verdict_is(&s, VERDICT_NONE, 95, 99);

	/* Stores alone do not show that nobody waits, hits or not. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 200 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_int_equal(judge(&s, LINE).few, VERDICT_FEW_LOADS);
	USE(&s, .addr = LINE, .tid = 1, .loads = 9);
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE, .tid = 1, .loads = 1);
	verdict_is(&s, VERDICT_ONE_THREAD, 80, 90);
}

/* Loads that wait in fill buffers belong to the fight. */
TEST(fill_buffers)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .lfb = 90, .hitm = 10, .stores = 100 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .lfb = 90, .hitm = 10, .stores = 100 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .lfb = 90, .hitm = 10, .stores = 100 },
	     { .addr = LINE, .tid = 2, .loads = 100, .lfb = 90, .hitm = 10, .stores = 100 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 85, 99);
	/* But not if what they wait for comes from L3. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .lfb = 60, .stores = 100 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .lfb = 60, .stores = 100 });
	verdict_is(&s, VERDICT_NONE, 95, 99);
}

/* That most stores hit L1 is no sign against a fight. */
TEST(store_hits)
{
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 50 },
	     { .addr = LINE, .tid = 2, .stores = 100, .store_misses = 50 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 65, 99);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 4 },
	     { .addr = LINE, .tid = 2, .stores = 100, .store_misses = 4 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 65, 99);
}

/* The writer is not known: nobody is named, and nothing is called false sharing. */
TEST(no_stores_sampled)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 90 });
	verdict_is(&s, VERDICT_UNSEEN, 88, 99);
	assert_true(judge(&s, LINE).unseen_writer);
	assert_false(judge(&s, LINE).both);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90 },
	     { .addr = LINE, .tid = 2, .loads = 100, .hitm = 90 });
	verdict_is(&s, VERDICT_UNSEEN, 88, 99);
}

/* Stores were sampled, but none of a line that many read, so they are rare. */
TEST(seldom_written)
{
	session_init(&s);
	/* One in 100,000 stores is sampled, and one in 1,000 loads: 300 against 3. */
	USE(&s, .addr = LINE + 4096, .tid = 3, .stores = 10, .period = 100000);
	USE(&s, .addr = LINE, .tid = 1, .loads = 150, .hitm = 90);
	USE(&s, .addr = LINE, .tid = 2, .loads = 150, .hitm = 90);
	verdict_is(&s, VERDICT_READ_MOSTLY, 98, 99);
	assert_true(judge(&s, LINE).unseen_writer);
	/* One load fewer, and there may be stores that were not sampled. */
	s.accesses[1].weight -= 1000;
	verdict_is(&s, VERDICT_UNSEEN, 58, 99);
	s.accesses[1].weight += 1000;
	/* No stores were sampled. */
	s.snap.head.status.flags &= ~MEMLAT_F_STORES;
	verdict_is(&s, VERDICT_UNSEEN, 58, 99);
}

/* By the weight of samples, not by their number. */
TEST(too_few)
{
	struct memlat_rec_line stranger = { .addr = 0x1000, .samples = 100 };
	struct verdicts *verdicts;

	USES(&s, { .addr = LINE, .tid = 1, .loads = 9, .hitm = 9, .stores = 1 },
	     { .addr = LINE + 8, .tid = 2, .loads = 8, .hitm = 8, .stores = 1 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_false(judge(&s, LINE).both);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 1, .hitm = 1);
	verdict_is(&s, VERDICT_FALSE_SHARING, 60, 99);
	/* The first period was long: one sample weighs more than all later ones. */
	USE(&s, .addr = LINE + 16, .tid = 2, .loads = 1, .hitm = 1, .period = 65536 * 1000);
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_true(judge(&s, LINE).effective < 3.1);

	/* Only one side of a fight was sampled, so "one thread" is not said. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 20, .hitm = 19, .stores = 90 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_int_equal(judge(&s, LINE).few, VERDICT_FEW_ONE_SIDE);
	/* Nor if the thread was on several CPUs: it did not move for each of its loads. */
	s.accesses[0].cpus = 6;
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 15, .stores = 5 });
	verdict_is(&s, VERDICT_ONE_THREAD, 85, 99);

	/* A line that the snapshot does not have, and a snapshot that has none. */
	verdicts = verdicts_begin(&s.snap);
	assert_int_equal(verdict_of(verdicts, &stranger)->verdict, VERDICT_TOO_FEW);
	verdicts_end(verdicts);
	session_init(&s);
	verdicts = verdicts_begin(&s.snap);
	assert_int_equal(verdict_of(verdicts, &stranger)->verdict, VERDICT_TOO_FEW);
	verdicts_end(verdicts);
	verdicts_free(NULL);
}

/* What is left of a line's accesses shows little of who did what, so there is no verdict. */
TEST(evicted)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 80, .stores = 50 });
	/* The accesses of half of the samples must be known. */
	s.lines[0].samples = 600;
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);
	assert_false(judge(&s, LINE).coarse);
	s.lines[0].samples = 601;
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_int_equal(judge(&s, LINE).few, VERDICT_FEW_EVICTED);
	assert_true(judge(&s, LINE).coarse);
	/* All were evicted. */
	s.snap.nr_accesses = 0;
	assert_int_equal(judge(&s, LINE).few, VERDICT_FEW_EVICTED);
	assert_int_equal(judge(&s, LINE).nr_parties, 0);
}

/* Accesses of other processes at the same address, and to the same line in memory. */
TEST(whose_line)
{
	struct verdicts *verdicts;

	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 },
	     { .addr = LINE + 8, .pid = 72, .tid = 2, .loads = 100, .hitm = 80, .stores = 60 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	session_init(&s);
	s.snap.head.status.flags |= MEMLAT_F_PHYS;
	USE(&s, .addr = LINE, .phys = 0x7000, .tid = 1, .loads = 100, .hitm = 90, .stores = 50);
	USE(&s, .addr = LINE + 0x10008, .phys = 0x7000, .pid = 72, .tid = 2, .loads = 100,
	    .hitm = 80, .stores = 60);
	assert_int_equal(s.snap.nr_lines, 1);
	verdicts = verdicts_begin(&s.snap);
	assert_int_equal(verdict_of(verdicts, &s.lines[0])->verdict, VERDICT_FALSE_SHARING);
	assert_int_equal(verdict_of(verdicts, &s.lines[0])->nr_parties, 2);
	verdicts_end(verdicts);
	/* One number at two times is two threads. */
	s.accesses[1].tid = 1;
	verdicts = verdicts_begin(&s.snap);
	assert_int_equal(verdict_of(verdicts, &s.lines[0])->nr_parties, 2);
	verdicts_end(verdicts);
	s.accesses[1].tgid = PID;
	s.accesses[1].gen = 5;
	verdicts = verdicts_begin(&s.snap);
	assert_int_equal(verdict_of(verdicts, &s.lines[0])->nr_parties, 2);
	verdicts_end(verdicts);
	/* Kernel lines are everybody's. */
	USES(&s, { .addr = 0xffff888000404080ULL, .tid = 1, .loads = 100, .hitm = 90,
		   .stores = 50 },
	     { .addr = 0xffff888000404088ULL, .pid = 72, .tid = 2, .loads = 100, .hitm = 80,
	       .stores = 60 });
	assert_int_equal(s.snap.nr_lines, 1);
	verdicts = verdicts_begin(&s.snap);
	assert_int_equal(verdict_of(verdicts, &s.lines[0])->verdict, VERDICT_FALSE_SHARING);
	verdicts_end(verdicts);
}

/* In the kernel's memory, a thread that executes another program is still that thread. */
TEST(thread_goes_on)
{
	const __u64 kernel = 0xffffffff82001900;

	USES(&s, { .addr = kernel, .tid = 1, .stores = 50, .store_misses = 50 },
	     { .addr = kernel + 8, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 });
	s.accesses[1].gen = 2;
	assert_int_equal(judge(&s, kernel).few, VERDICT_FEW_ONE_SIDE);
	assert_int_equal(judge(&s, kernel).nr_parties, 1);

	/* In the order of the rows, another thread's accesses are in between. */
	USE(&s, .addr = kernel + 32, .tid = 2, .loads = 100, .hitm = 90, .stores = 50);
	s.accesses[2].gen = 1;
	assert_int_equal(judge(&s, kernel).verdict, VERDICT_FALSE_SHARING);
	assert_int_equal(judge(&s, kernel).nr_parties, 2);
}

TEST(words)
{
	unsigned int i;

	for (i = 0; i < VERDICTS; i++) {
		assert_non_null(verdict_text((enum verdict)i));
		assert_null(strchr(verdict_key((enum verdict)i), ' '));
	}
	assert_string_equal(verdict_text(VERDICT_FALSE_SHARING), "false sharing");
	assert_string_equal(verdict_key(VERDICT_FALSE_SHARING), "false_sharing");
}
