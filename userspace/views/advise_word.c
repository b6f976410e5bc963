// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include <string.h>

#include "../analysis/line.h"
#include "../names/operand.h"

#define BYTES		MEMLAT_LINE_BYTES
#define NEARLY_ALL	0.9	/* of the stores to a word */
#define READERS_PART	0.1	/* at least so much of the loads is by threads that do not store */

/* What is done to one word, by weight. */
struct tally {
	double stores, loads;
	double by_use[WORD_USES];	/* of the stores */
	double foreign_loads;		/* plain loads by threads that do not store */
	double most;			/* of a single access */
	__u64 add_function, drop_function;	/* the functions with most adds and drops */
	double add_most, drop_most;
};

static const struct {
	const char *key, *text, *kernel;
} words[ADVISE_WORDS] = {
	[ADVISE_WORD_COUNTER] = {
		"counter",
		"a counter whose value is not used there: give each thread its own count, and sum them when reading",
		"a counter whose value is not used there: use percpu_counter, or this_cpu_inc() and a sum when reading",
	},
	[ADVISE_WORD_TICKET] = {
		"ticket",
		"a counter whose value is used, as a ticket or an index is: take several at once for each thread",
		"a counter whose value is used, as a ticket or an index is: take several at once for each CPU",
	},
	[ADVISE_WORD_REFERENCES] = {
		"references",
		"a reference count: take one reference for each thread instead of one for each access, or none where the object cannot be freed",
		"a reference count: access the object under RCU, or use percpu_ref",
	},
	[ADVISE_WORD_LOCK] = {
		"lock",
		"a lock: hold it for less time, use more locks for parts of what it guards, and keep the data off its line; no count says what waiting would cost then",
		"a lock: hold it for less time, use more locks for parts of what it guards, or let readers do without (RCU); no count says what waiting would cost then",
	},
	[ADVISE_WORD_SWAPPED] = {
		"swapped",
		"a word that is changed by compare and exchange, as a lock or the head of a list is: try less often (load it first, back off), or have one for each thread or part",
		"a word that is changed by compare and exchange, as a lock or the head of a list is: try less often (load it first, back off), or have one for each CPU",
	},
	[ADVISE_WORD_FLAG] = {
		"flag",
		"a word that some threads store plainly and others read: store it only where that changes its value; if it always does, as a position in a queue, let readers keep a copy, and load it again only when that no longer suffices",
		"a word that some CPUs store plainly and others read: store it only where that changes its value; if it always does, as a position in a queue, let readers keep a copy, and load it again only when that no longer suffices",
	},
};

const char *advise_word_key(enum advise_word kind)
{
	return words[kind].key;
}

const char *advise_word_text(enum advise_word kind, bool kernel)
{
	return kernel ? words[kind].kernel : words[kind].text;
}

/* The byte that several threads use most, with a store among the accesses. */
static bool find_byte(const struct c2c *c2c, const struct lineset_line *line, unsigned int *byte)
{
	double weight[BYTES] = { 0 };
	__u32 first[BYTES] = { 0 };
	bool several[BYTES] = { false }, stored[BYTES] = { false };
	unsigned int at, best = BYTES;
	size_t i;

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(c2c->halves, i);

		at = lineset_offset(c2c->halves, access) % BYTES;
		weight[at] += (double)access->weight;
		stored[at] |= access->stores > 0;
		several[at] |= first[at] && first[at] != access->tid;
		first[at] = access->tid;
	}
	for (at = 0; at < BYTES; at++)
		if (several[at] && stored[at] && (best == BYTES || weight[at] > weight[best]))
			best = at;
	*byte = best;
	return best < BYTES;
}

static bool thread_stores(const struct c2c *c2c, const struct lineset_line *line,
			  unsigned int byte, const struct memlat_rec_access *who)
{
	size_t i;

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(c2c->halves, i);

		if (access->stores && lineset_offset(c2c->halves, access) % BYTES == byte &&
		    lineset_same_thread(line, access, who))
			return true;
	}
	return false;
}

/* The begin of the function that contains the code; 0: not known. */
static __u64 function_of(const struct c2c *c2c, const struct memlat_rec_access *access)
{
	const struct code_name *code = namer_sampled(c2c->namer, access->tgid, access->gen,
						     access->ip);

	return code->raw ? access->ip - code->offset : 0;
}

static void take_access(struct tally *tally, struct advise_word_use *use, const struct c2c *c2c,
			const struct lineset_line *line, const struct memlat_rec_access *access)
{
	const __u64 nr = access_stores(access);
	const double stores = access_store_weight(access) * (double)nr;
	const double loads = access_load_weight(access) * (double)(access->samples - nr);
	const enum operand_use how = namer_operand_use(c2c->namer, access->tgid, access->gen, access->ip);

	tally->stores += stores;
	tally->loads += loads;
	tally->by_use[how] += stores;
	if (how == WORD_LOAD && !thread_stores(c2c, line, use->byte, access))
		tally->foreign_loads += loads;
	if (how == WORD_ADD && stores > tally->add_most) {
		tally->add_most = stores;
		tally->add_function = function_of(c2c, access);
	}
	if (how == WORD_DROP && stores > tally->drop_most) {
		tally->drop_most = stores;
		tally->drop_function = function_of(c2c, access);
	}
	if (stores > tally->most) {
		tally->most = stores;
		use->ip = access->ip;
		use->space = access->tgid;
		use->gen = access->gen;
		use->tid = access->tid;
	}
}

static enum advise_word kind_of(const struct tally *tally)
{
	const double nearly_all = NEARLY_ALL * tally->stores, *by = tally->by_use;

	if (!(tally->stores > 0))
		return ADVISE_WORD_UNKNOWN;
	/* A reference count is not dropped in the function that takes it. */
	if (by[WORD_ADD] + by[WORD_DROP] >= nearly_all && by[WORD_DROP] > 0)
		return by[WORD_ADD] > 0 && tally->add_function && tally->drop_function &&
		       tally->add_function != tally->drop_function ? ADVISE_WORD_REFERENCES :
								     ADVISE_WORD_UNKNOWN;
	if (by[WORD_ADD] + by[WORD_DROP] >= nearly_all)
		return ADVISE_WORD_COUNTER;
	if (by[WORD_ADD] + by[WORD_FETCH_ADD] >= nearly_all)
		return ADVISE_WORD_TICKET;
	/* A lock may well be released by a plain store. */
	if (by[WORD_COMPARE] + by[WORD_EXCHANGE] + by[WORD_STORE] >= nearly_all &&
	    by[WORD_COMPARE] + by[WORD_EXCHANGE] > 0)
		return ADVISE_WORD_SWAPPED;
	if (by[WORD_STORE] >= nearly_all && tally->foreign_loads > READERS_PART * tally->loads)
		return ADVISE_WORD_FLAG;
	return ADVISE_WORD_UNKNOWN;
}

void advise_word_find(struct advise_word_use *use, const struct c2c *c2c,
		      const struct lineset_line *line, const struct verdict_line *verdict)
{
	struct tally tally = { 0 };
	size_t i;

	memset(use, 0, sizeof(*use));
	if (!find_byte(c2c, line, &use->byte))
		return;
	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(c2c->halves, i);

		if (lineset_offset(c2c->halves, access) % BYTES == use->byte)
			take_access(&tally, use, c2c, line, access);
	}
	use->kind = verdict->verdict == VERDICT_LOCK ? ADVISE_WORD_LOCK : kind_of(&tally);
}
