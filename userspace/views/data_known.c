// SPDX-License-Identifier: GPL-2.0
#include "data_known.h"

#include <stdlib.h>

#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"

/* An instruction that accesses data without a name. */
struct unknown {
	__u32 space, gen;
	__u64 ip, part;
};

static int by_instruction(const void *pa, const void *pb)
{
	const struct unknown *a = pa, *b = pb;

	return order(a->ip, b->ip) ?: order(a->space, b->space) ?: order(a->gen, b->gen);
}

static void find_most(struct data_known *known, struct namer *namer, struct unknown *rows,
		      size_t nr)
{
	const struct unknown *most = NULL;
	size_t i, used = 0;

	qsort(rows, nr, sizeof(*rows), by_instruction);
	for (i = 0; i < nr; i++) {
		if (used && !by_instruction(&rows[used - 1], &rows[i]))
			rows[used - 1].part += rows[i].part;
		else
			rows[used++] = rows[i];
	}
	for (i = 0; i < used; i++)
		if (!most || rows[i].part > most->part)
			most = &rows[i];
	known->instructions = used;
	if (most)
		known->most = namer_sampled(namer, most->space, most->gen, most->ip);
}

void data_known_find(struct data_known *known, struct namer *namer,
		     const struct data_names *names)
{
	const struct data_named *named = names->named;
	struct unknown *rows = xcalloc(names->nr, sizeof(*rows));
	size_t i, used = 0;
	__u64 cost = 0;

	*known = (struct data_known){ 0 };
	for (i = 0; i < names->nr; i++)
		cost += named[i].access->cost;
	known->samples = !cost;
	for (i = 0; i < names->nr; i++) {
		const struct memlat_rec_access *access = named[i].access;
		__u64 part = cost ? access->cost : access->samples;

		known->whole += part;
		known->part[named[i].name->how] += part;
		if (named[i].name->how == DATA_NO_NAME && part)
			rows[used++] = (struct unknown){
				access->tgid, access->gen, access->ip, part,
			};
	}
	find_most(known, namer, rows, used);
	free(rows);
}

static const char *why(const struct code_name *code)
{
	if (code->module && !code->nr_frames)
		return "no debug information";
	return "its operand's type is not known";
}

static void put_known(FILE *out, const struct data_known *known)
{
	static const char *const words[DATA_HOWS] = {
		[DATA_SYMBOL]		= "by a symbol",
		[DATA_NOTED]		= "noted by --heap",
		[DATA_BY_OPERAND]	= "by the type that the instruction shows",
		[DATA_JOINED]		= "by the type that another instruction shows for the same object",
		[DATA_SLAB]		= "by the kernel's cache alone",
		[DATA_VMALLOC]		= "by who called vmalloc() alone",
	};
	const struct code_name *most = known->most;
	__u64 named = known->whole - known->part[DATA_NO_NAME];
	char share[TEXT_NUMBER_MAX];
	const char *between = " (";
	unsigned int how;

	fprintf(out, "named: %s of %s", text_share(share, named, known->whole, 0),
		known->samples ? "the samples" : "the latency");
	for (how = DATA_SYMBOL; how < DATA_HOWS; how++) {
		if (!known->part[how])
			continue;
		fprintf(out, "%s%s %s", between,
			text_share(share, known->part[how], known->whole, 0), words[how]);
		between = ", ";
	}
	fputs(named ? ")" : "", out);
	if (most) {
		text_say(out, "; not: %s, by %zu instruction%s, mostly %s",
			 text_share(share, known->part[DATA_NO_NAME], known->whole, 0),
			 known->instructions, known->instructions == 1 ? "" : "s",
			 most->function ? most->function : "unknown code");
		if (most->module)
			text_say(out, " of %s (%s)", most->module, why(most));
	}
	fputc('\n', out);
}

void data_known_print(FILE *out, const struct data_known *known, size_t width)
{
	char *text;

	if (!known->whole)
		return;
	text = XPRINTED(line, put_known(line, known));
	fputc('\n', out);
	text_fit(out, text, width);
	free(text);
}

struct json_object *data_known_json(const struct data_known *known)
{
	struct json_object *object = json_new();
	enum data_how how;

	for (how = DATA_SYMBOL; how < DATA_HOWS; how++)
		json_put_ratio(object, data_how_name(how), known->part[how], known->whole);
	json_put_ratio(object, "none", known->part[DATA_NO_NAME], known->whole);
	json_put_count(object, "unnamed_instructions", known->instructions);
	return object;
}
