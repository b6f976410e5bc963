// SPDX-License-Identifier: GPL-2.0
/* The patterns of sharing, of no sharing, and of none that has a name. */
#include "maker.h"

#define RATE	1000	/* the rarest: once in so many iterations */
#define SEEN	100	/* the rarest for what the pattern is about */

static struct plan_op *often(struct maker *m, struct plan_op *op, unsigned int high)
{
	op->every = (uint16_t)maker_rate(m, high);
	return op;
}

static unsigned int data(struct maker *m, unsigned int object, const char *stem)
{
	return maker_field(m, object, stem, PLAN_DATA, maker_width(m), 0);
}

/* Up to n words that belong to what stands before them, at the addresses that follow. */
static unsigned int words(struct maker *m, unsigned int object, const char *stem, unsigned int n,
			  unsigned int unit, bool guarded)
{
	const unsigned int width = maker_chance(m, 75) ? 8 : 4;
	unsigned int first = 0, i, field;

	for (i = 0; i < n; i++) {
		field = maker_field(m, object, stem, PLAN_DATA, width, unit);
		if (!i)
			first = field;
		if (guarded)
			maker_guard(m, object, field);
	}
	return first;
}

/* Each thread has counters of its own in one struct. */
static void counters(struct maker *m)
{
	unsigned int object, i, j, n;

	maker_threads(m, 2, 4);
	object = maker_home(m, "stats", 8);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		for (j = 0, n = maker_between(m, 1, 2); j < n; j++) {
			unsigned int field = data(m, object, "hits");

			often(m, maker_change(m, &s, object, field), j ? RATE : SEEN);
			if (maker_chance(m, 30))
				often(m, maker_load(&s, object, field), RATE);
		}
		maker_work(m, &s, 300);
		maker_add(m, m->thread[i], &s);
	}
}

/* Flags that all read, beside a counter that one of them changes. */
static void flag(struct maker *m)
{
	unsigned int object, flags, field[3], hits, i, j;

	maker_threads(m, 2, 5);
	object = maker_home(m, "config", 5);
	flags = maker_between(m, 1, 3);
	for (j = 0; j < flags; j++)
		field[j] = data(m, object, "flag");
	hits = data(m, object, "hits");
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		if (!i)
			often(m, maker_change(m, &s, object, hits), SEEN);
		for (j = 0; j < flags; j++)
			if (i || maker_chance(m, 30))
				often(m, maker_load(&s, object, field[j]), SEEN);
		if (!i && maker_chance(m, 50))
			often(m, maker_op(&s, PLAN_STORE, object, field[0]), RATE);
		maker_work(m, &s, 200);
		maker_add(m, m->thread[i], &s);
	}
}

/* A lock, and what it protects, in its line or elsewhere; perhaps with fields of others beside it. */
static void locked(struct maker *m)
{
	const bool mutex = !m->plan->forked && maker_chance(m, 35), beside = maker_chance(m, 60);
	const unsigned int unit = maker_unit(m), n = maker_between(m, 1, 6);
	unsigned int object, lock, in, first, i, j, stray = 0;
	const bool strays = maker_chance(m, 35);

	maker_threads(m, 2, 4);
	object = maker_home(m, "account", n + 4);
	lock = maker_field(m, object, "lock", mutex ? PLAN_MUTEX : PLAN_SPIN, mutex ? 40 : 4, unit);
	in = beside ? object : maker_object(m, "data", 1);
	first = words(m, in, "sum", n, unit, true);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, maker_rate(m, SEEN), false);

		maker_op(&s, PLAN_LOCK, object, lock);
		for (j = 0; j < n; j++)
			if (!j || maker_chance(m, 70))
				maker_op(&s, maker_chance(m, 70) ? PLAN_ADD : PLAN_LOAD, in, first + j);
		if (maker_chance(m, 30))
			maker_work(m, &s, 30);
		maker_op(&s, PLAN_UNLOCK, object, lock);
		maker_add(m, m->thread[i], &s);
		s = maker_section(m, 1, false);
		if (strays) {
			stray = data(m, object, "own");
			often(m, maker_change(m, &s, object, stray), SEEN);
		}
		maker_work(m, &s, 300);
		maker_add(m, m->thread[i], &s);
	}
}

/* A queue of one producer and one consumer. */
static void queue(struct maker *m)
{
	const bool parted = maker_chance(m, 40);
	const unsigned int room = 1U << maker_between(m, 1, 7), n = maker_between(m, 1, 8);
	const unsigned int unit = maker_unit(m), every = maker_rate(m, 16);
	unsigned int object, head, tail, slots, first, i, j;

	maker_threads(m, 2, 2);
	object = maker_home(m, "queue", 2);
	head = maker_field(m, object, "head", PLAN_INDEX, 8, 0);
	if (parted)
		maker_line(m, object, 0);
	tail = maker_field(m, object, "tail", PLAN_INDEX, 8, 0);
	slots = maker_object(m, "slot", room);
	first = words(m, slots, "item", n, unit, true);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, every, true);

		if (i)
			maker_op(&s, PLAN_WAIT_ITEM, object, tail);
		else
			maker_op(&s, PLAN_WAIT_ROOM, object, head)->n = room;
		for (j = 0; j < n; j++)
			maker_op(&s, i ? PLAN_LOAD : PLAN_STORE, slots, first + j)->at = PLAN_AT_MINE;
		maker_op(&s, PLAN_ADVANCE, object, i ? head : tail);
		maker_add(m, m->thread[i], &s);
		s = maker_section(m, 1, false);
		maker_work(m, &s, 100);
		maker_add(m, m->thread[i], &s);
	}
}

/* A message is written by one thread and read by the other, word by word or copied whole. */
static void mailbox(struct maker *m)
{
	const unsigned int unit = maker_unit(m), every = maker_rate(m, 16);
	const bool copied = maker_chance(m, 40);
	const unsigned int bytes = 8 * maker_between(m, 1, 14), n = maker_between(m, 1, 7);
	unsigned int object, turn, first, i, j;

	maker_threads(m, 2, 2);
	object = maker_home(m, "mail", n + 1);
	turn = maker_field(m, object, "full", PLAN_TURN, 4, unit);
	first = copied ? maker_field(m, object, "text", PLAN_BYTES, bytes, unit) :
			 words(m, object, "word", n, unit, true);
	if (copied)
		maker_guard(m, object, first);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, every, true);

		maker_op(&s, PLAN_WAIT_TURN, object, turn)->n = i;
		if (copied)
			maker_op(&s, i ? PLAN_COPY_OUT : PLAN_COPY_IN, object, first)->n = bytes;
		else
			for (j = 0; j < n; j++)
				maker_op(&s, i ? PLAN_LOAD : PLAN_STORE, object, first + j);
		maker_op(&s, PLAN_PASS_TURN, object, turn)->n = !i;
		maker_add(m, m->thread[i], &s);
		s = maker_section(m, 1, false);
		maker_work(m, &s, 200);
		maker_add(m, m->thread[i], &s);
	}
}

/* One thread writes some words under a sequence number, the others read all of them. */
static void seqlock(struct maker *m)
{
	const unsigned int unit = maker_unit(m), n = maker_between(m, 1, 6);
	unsigned int object, seq, first, i, j;

	maker_threads(m, 2, 5);
	object = maker_home(m, "clock", n + 1);
	seq = maker_field(m, object, "seq", PLAN_SEQ, 4, unit);
	first = words(m, object, "time", n, unit, false);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, maker_rate(m, i ? 40 : SEEN), false);

		maker_op(&s, i ? PLAN_READ_BEGIN : PLAN_SEQ_BEGIN, object, seq);
		for (j = 0; j < n; j++)
			maker_op(&s, i ? PLAN_LOAD : PLAN_STORE, object, first + j);
		maker_op(&s, i ? PLAN_READ_END : PLAN_SEQ_END, object, seq);
		maker_add(m, m->thread[i], &s);
		s = maker_section(m, 1, false);
		maker_work(m, &s, 300);
		maker_add(m, m->thread[i], &s);
	}
}

/* An object is handed on from thread to thread; who has the token changes all of it. */
static void token(struct maker *m)
{
	const unsigned int unit = maker_unit(m), n = maker_between(m, 1, 10);
	const unsigned int every = maker_rate(m, 16);
	unsigned int object, in, turn, first, i, j;

	maker_threads(m, 2, 4);
	object = maker_object(m, "token", 1);
	turn = maker_field(m, object, "turn", PLAN_TURN, 4, unit);
	in = maker_chance(m, 60) ? maker_object(m, "baton", 1) : object;
	first = words(m, in, "part", n, unit, true);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, every, true);

		maker_op(&s, PLAN_WAIT_TURN, object, turn)->n = i;
		for (j = 0; j < n; j++)
			maker_op(&s, maker_chance(m, 80) ? PLAN_ADD : PLAN_LOAD, in, first + j);
		maker_op(&s, PLAN_PASS_TURN, object, turn)->n = (i + 1) % m->nr;
		maker_add(m, m->thread[i], &s);
		s = maker_section(m, 1, false);
		maker_work(m, &s, 100);
		maker_add(m, m->thread[i], &s);
	}
}

/* An object with a count of its users. */
static void counted(struct maker *m)
{
	const unsigned int unit = maker_unit(m), n = maker_between(m, 1, 6);
	unsigned int object, refs, first, i, j;

	maker_threads(m, 2, 5);
	object = maker_home(m, "node", n + 1);
	refs = maker_field(m, object, "refs", PLAN_DATA, maker_chance(m, 70) ? 4 : 8, unit);
	first = words(m, object, "name", n, unit, false);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, maker_rate(m, SEEN), false);

		maker_op(&s, PLAN_LOCKED_ADD, object, refs)->n = maker_chance(m, 30);
		for (j = 0; j < n; j++)
			if (maker_chance(m, 70))
				maker_load(&s, object, first + j);
		maker_op(&s, PLAN_LOCKED_ADD, object, refs)->n = maker_chance(m, 50);
		maker_add(m, m->thread[i], &s);
		s = maker_section(m, 1, false);
		maker_work(m, &s, 200);
		maker_add(m, m->thread[i], &s);
	}
}

/* One thread fills nodes and publishes pointers to them, the others read what the pointer has. */
static void published(struct maker *m)
{
	const unsigned int n = maker_between(m, 1, 8), nodes = 1U << maker_between(m, 1, 4);
	unsigned int object, pool, pointer, first, i, j;

	maker_threads(m, 2, 5);
	object = maker_home(m, "root", 1);
	pointer = maker_field(m, object, "now", PLAN_POINTER, 8, 0);
	pool = maker_object(m, "version", nodes);
	m->plan->object[object].field[pointer].target = (uint8_t)pool;
	first = words(m, pool, "value", n, maker_unit(m), false);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, maker_rate(m, i ? 40 : SEEN), false);

		if (i)
			maker_op(&s, PLAN_GET_POINTER, object, pointer);
		for (j = 0; j < n; j++)
			maker_op(&s, i ? PLAN_LOAD : PLAN_STORE, pool, first + j)->at =
				i ? PLAN_AT_POINTER : PLAN_AT_MINE;
		if (!i)
			maker_op(&s, PLAN_PUBLISH, object, pointer);
		maker_add(m, m->thread[i], &s);
		s = maker_section(m, 1, false);
		maker_work(m, &s, 200);
		maker_add(m, m->thread[i], &s);
	}
}

/* A table that all read and one changes now and then. */
static void read_mostly(struct maker *m)
{
	unsigned int object, field, n, i, j, count = maker_rate(m, 64);
	const unsigned int at = count > 1 ? PLAN_AT_ROUND : PLAN_AT_INDEX;

	maker_threads(m, 2, 5);
	object = maker_object(m, "table", count);
	for (j = 0, n = maker_between(m, 1, 6); j < n; j++)
		field = data(m, object, "entry");
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		for (j = 0; j < n; j++) {
			field = maker_draw(m, n);
			if (!i && !j)
				maker_op(&s, PLAN_STORE, object, field)->every =
					(uint16_t)maker_between(m, 100, RATE);
			else
				often(m, maker_load(&s, object, field), 40);
			s.op[s.nr - 1].at = (uint8_t)at;
		}
		maker_work(m, &s, 100);
		maker_add(m, m->thread[i], &s);
	}
}

/* An array with an element for each thread. */
static void by_thread(struct maker *m)
{
	unsigned int object, n, i, j;

	maker_threads(m, 2, 6);
	object = maker_object(m, "each", m->plan->threads);
	for (j = 0, n = maker_between(m, 1, 6); j < n; j++)
		data(m, object, "count");
	if (maker_chance(m, 15))
		maker_line(m, object, 0);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		for (j = 0; j < n; j++) {
			if (maker_chance(m, 80))
				often(m, maker_change(m, &s, object, j), SEEN);
			else
				often(m, maker_load(&s, object, j), SEEN);
			s.op[s.nr - 1].index = m->thread[i];
		}
		maker_work(m, &s, 300);
		maker_add(m, m->thread[i], &s);
	}
}

/* The same, and one thread that collects them all. */
static void slots(struct maker *m)
{
	unsigned int object, field, i;

	maker_threads(m, 3, 6);
	object = maker_object(m, "slots", m->plan->threads);
	field = data(m, object, "done");
	if (maker_chance(m, 40))
		data(m, object, "own");
	if (maker_chance(m, 40))
		maker_line(m, object, 0);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		if (!i) {
			often(m, maker_load(&s, object, field), RATE)->at = PLAN_AT_ALL;
		} else {
			often(m, maker_change(m, &s, object, field), SEEN)->index = m->thread[i];
			if (m->plan->object[object].fields > 1)
				often(m, maker_op(&s, PLAN_ADD, object, field + 1), SEEN)->index =
					m->thread[i];
		}
		maker_work(m, &s, 200);
		maker_add(m, m->thread[i], &s);
	}
}

/* Fields, threads, widths and rates at random. */
static void soup(struct maker *m)
{
	static const uint8_t vector[] = { 16, 32 };
	unsigned int object, first, n, i, j;

	maker_threads(m, 2, 6);
	n = maker_between(m, 2, 12);
	object = maker_home(m, "soup", n);
	first = m->plan->object[object].fields;
	for (i = 0; i < n; i++) {
		if (maker_chance(m, 15))
			maker_field(m, object, "vec", PLAN_BYTES, vector[maker_draw(m, 2)], 0);
		else
			data(m, object, "f");
	}
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);
		unsigned int ops = maker_between(m, 1, 8);

		for (j = 0; j < ops; j++) {
			unsigned int field = first + maker_draw(m, n);

			if (maker_chance(m, 55))
				often(m, maker_load(&s, object, field), RATE);
			else
				often(m, maker_change(m, &s, object, field), RATE);
		}
		maker_work(m, &s, 300);
		maker_add(m, m->thread[i], &s);
	}
}

/* Words over a line's end, used by one thread or by several. */
static void split(struct maker *m)
{
	const unsigned int width = 4U << maker_draw(m, 2);
	unsigned int object, field, beside, i;

	maker_threads(m, 1, 3);
	object = maker_object(m, "record", 1);
	m->plan->object[object].aligned = true;
	data(m, object, "head");
	field = maker_field(m, object, "split", PLAN_BYTES, width, 0);
	m->plan->object[object].field[field].offset = PLAN_LINE - maker_between(m, 1, width - 1);
	m->plan->object[object].size = m->plan->object[object].field[field].offset + width;
	beside = data(m, object, "tail");
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		if (i && maker_chance(m, 50))
			often(m, maker_change(m, &s, object, maker_chance(m, 50) ? 0 : beside), SEEN);
		else if (maker_chance(m, 50))
			often(m, maker_op(&s, PLAN_STORE, object, field), SEEN);
		else
			often(m, maker_load(&s, object, field), SEEN);
		maker_work(m, &s, 100);
		maker_add(m, m->thread[i], &s);
	}
}

/* A counter that all add to, or several. */
static void total(struct maker *m)
{
	unsigned int object, field[2], n, i, j;

	maker_threads(m, 2, 6);
	n = maker_between(m, 1, 2);
	object = maker_home(m, "total", n);
	for (j = 0; j < n; j++)
		field[j] = maker_field(m, object, "sum", PLAN_DATA, 4U << maker_draw(m, 2), 0);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		for (j = 0; j < n; j++)
			often(m, maker_op(&s, maker_chance(m, 75) ? PLAN_LOCKED_ADD : PLAN_ADD,
					  object, field[j]), SEEN)->n = maker_chance(m, 30);
		maker_work(m, &s, 300);
		maker_add(m, m->thread[i], &s);
	}
}

/* Lines that all read and nobody writes: a few, or a table larger than the caches. */
static void constants(struct maker *m)
{
	const unsigned int count = maker_chance(m, 50) ? maker_rate(m, 64) :
				   1U << maker_between(m, 12, 17);
	unsigned int object, n, i, j;

	maker_threads(m, 2, 6);
	object = maker_private(m, "const", count);
	for (j = 0, n = maker_between(m, 1, 6); j < n; j++)
		data(m, object, "entry");
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, 1, false);

		for (j = 0; j < n; j++)
			if (count > 64)
				often(m, maker_op(&s, PLAN_WALK, object, j), SEEN)->n =
					maker_between(m, 1, 16);
			else
				often(m, maker_load(&s, object, j), SEEN)->at = PLAN_AT_ROUND;
		for (j = 0; count > 64 && j < s.nr; j++)
			s.op[j].at = maker_chance(m, 70) ? PLAN_AT_RANDOM : PLAN_AT_ROUND;
		maker_work(m, &s, 200);
		maker_add(m, m->thread[i], &s);
	}
}

/* Memory larger than the caches, each thread with its own. */
static void walk(struct maker *m)
{
	unsigned int object, field, i;

	maker_threads(m, 1, 4);
	for (i = 0; i < m->nr; i++) {
		struct plan_section s = maker_section(m, maker_rate(m, 40), false);

		object = maker_private(m, "big", 1U << maker_between(m, 13, 17));
		field = data(m, object, "key");
		maker_line(m, object, 0);
		maker_op(&s, PLAN_WALK, object, field)->n = maker_between(m, 1, 32);
		s.op[0].at = maker_chance(m, 70) ? PLAN_AT_RANDOM : PLAN_AT_ROUND;
		if (maker_chance(m, 50)) {
			maker_op(&s, PLAN_STORE, object, field)->at = PLAN_AT_ROUND;
			s.op[1].every = (uint16_t)maker_rate(m, 16);
		}
		maker_add(m, m->thread[i], &s);
	}
}

void maker_alone(struct maker *m, unsigned int thread)
{
	struct plan_section s = maker_section(m, 1, false);
	unsigned int object, n, i;

	object = maker_private(m, "own", 1);
	for (i = 0, n = maker_between(m, 1, 5); i < n; i++) {
		unsigned int field = data(m, object, "word");

		if (maker_chance(m, 50))
			often(m, maker_change(m, &s, object, field), RATE);
		else
			often(m, maker_load(&s, object, field), RATE);
	}
	maker_work(m, &s, 100);
	maker_add(m, thread, &s);
}

/* Lines that one thread alone uses, hot as they are. */
static void alone(struct maker *m)
{
	unsigned int i;

	maker_threads(m, 1, 4);
	for (i = 0; i < m->nr; i++)
		maker_alone(m, m->thread[i]);
}

static const struct {
	const char *name;
	unsigned int weight;
	void (*add)(struct maker *m);
} pattern[] = {
	{ "counters", 9, counters },
	{ "flag", 8, flag },
	{ "locked", 9, locked },
	{ "queue", 7, queue },
	{ "mailbox", 6, mailbox },
	{ "seqlock", 6, seqlock },
	{ "token", 6, token },
	{ "counted", 5, counted },
	{ "published", 5, published },
	{ "read_mostly", 5, read_mostly },
	{ "by_thread", 8, by_thread },
	{ "slots", 4, slots },
	{ "soup", 16, soup },
	{ "split", 3, split },
	{ "total", 5, total },
	{ "constants", 5, constants },
	{ "walk", 7, walk },
	{ "alone", 4, alone },
};

#define PATTERNS	(sizeof(pattern) / sizeof(*pattern))

void maker_pattern(struct maker *m)
{
	unsigned int sum = 0, i, dice;

	for (i = 0; i < PATTERNS; i++)
		sum += pattern[i].weight;
	dice = maker_draw(m, sum);
	for (i = 0; dice >= pattern[i].weight; i++)
		dice -= pattern[i].weight;
	m->plan->pattern[m->pattern].name = pattern[i].name;
	pattern[i].add(m);
}
