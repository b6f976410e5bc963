// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/source.h"
#include "quality.h"
#include "report.h"
#include "status.h"

#define FLAGS_MAX	64	/* room for all flags in words */

/* The most useful columns first: a narrow terminal loses the last ones. */
static const struct {
	__u16 bit;
	const char *name;	/* for JSON */
	const char *text;	/* for people */
} flags[] = {
	{ MEMLAT_WORD_STLB_MISS, "stlb_miss", "TLB miss" },
	{ MEMLAT_WORD_LOCKED, "locked", "locked" },
	{ MEMLAT_WORD_BLOCKED_DATA, "blocked_data", "blk data" },
	{ MEMLAT_WORD_BLOCKED_ADDR, "blocked_addr", "blk addr" },
};

#define FLAGS_NR	(sizeof(flags) / sizeof(flags[0]))

COMPARE(compare, struct memlat_rec_source,
	order(a->core, b->core) ?: order(b->samples, a->samples) ?: order(a->word, b->word))

void words_sort(struct snapshot *snap)
{
	SORT(snap->sources, snap->nr_sources, compare);
}

/* The table with the columns for which these words have data. */
struct word_table {
	const struct snapshot *snap;
	struct report_table table;
};

static struct cell flags_cell(struct cell_room *room, const struct memlat_rec_source *word)
{
	const __u16 both = MEMLAT_WORD_BLOCKED_DATA | MEMLAT_WORD_BLOCKED_ADDR;
	char text[FLAGS_MAX] = "";
	size_t used = 0, i;

	for (i = 0; i < FLAGS_NR; i++) {
		const char *between = used ? ", " : "", *what = flags[i].text;

		if (!(word->flags & flags[i].bit))
			continue;
		/* "blk data+addr": short, so that it fits with the other flags. */
		if (flags[i].bit == MEMLAT_WORD_BLOCKED_ADDR &&
		    (word->flags & both) == both) {
			between = "+";
			what = "addr";
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s", between, what);
	}
	return used ? cell_say(room, "%s", text) : cell_none();
}

static struct cell core_cell(struct cell_room *room, const struct snapshot *snap,
			     __u32 number)
{
	const struct memlat_rec_core *core = snapshot_core(snap, number);

	if (!core)
		return cell_count(number);
	return cell_say(room, "%.*s", (int)sizeof(core->model_name), core->model_name);
}

#define WORD	(&of->snap->sources[at])
#define ROOM	report_table_room(&of->table)
#define CELL(name, ...)	REPORT_CELL(name, struct word_table, __VA_ARGS__)

CELL(core, cell_count(WORD->core))
CELL(core_name, core_cell(ROOM, of->snap, WORD->core))
CELL(word, cell_say(ROOM, "0x%02x", WORD->word))
CELL(samples, cell_count(WORD->samples))
CELL(share, cell_ratio(CELL_SHARE, WORD->samples, of->snap->head.status.loads))
CELL(source, cell_text(source_name(WORD->source)))
CELL(snoop, cell_text(source_snoop(WORD->snoop)))
CELL(remote, cell_text(source_remote(WORD->source) ? "remote" : NULL))
CELL(flags_text, flags_cell(ROOM, WORD))

/* These columns stay, because the table is about the meaning of words. */
static const struct report_column known[] = {
	{ "core", .get = core },
	{ "core_name", "core", true, true, .get = core_name },
	{ "word", "word", false, true, .get = word },
	{ "samples", "samples", false, true, .get = samples },
	{ "share", "share", false, true, .get = share },
	{ "source", "source", true, true, .get = source },
	{ "snoop", "snoop", true, .get = snoop },
	{ "remote", "remote", true, .get = remote },
	{ "flags", "flags", true, .get = flags_text },
};

static void table_init(struct word_table *table, const struct snapshot *snap)
{
	memset(table, 0, sizeof(*table));
	table->snap = snap;
	report_table_begin(&table->table, table, "words", NULL, snap->nr_sources,
			   snap->nr_sources);
	report_table_take(&table->table, known, sizeof(known) / sizeof(known[0]));
	if (snap->nr_cores <= 1)
		table->table.columns[1].title = NULL;	/* the core's name */
}

void words_print(FILE *out, const struct snapshot *snap, size_t width)
{
	struct word_table table;

	quality_print(out, &snap->head.status);
	fputc('\n', out);
	table_init(&table, snap);
	report_print(out, &table.table.report, width);
	errata_print(out, "", errata_here(snap), ERRATA_SOURCES);
}

void words_csv(FILE *out, const struct snapshot *snap)
{
	struct word_table table;

	table_init(&table, snap);
	report_csv(out, &table.table.report);
}

static struct json_object *word_json(const struct word_table *table, size_t row)
{
	const struct report *report = &table->table.report;
	const struct memlat_rec_source *word = &table->snap->sources[row];
	const struct memlat_rec_core *core = snapshot_core(table->snap, word->core);
	struct json_object *object = json_new(), *names = json_list();
	size_t i;

	report_put_row(object, report, row);
	json_put_text(object, "core_name", core ? core->model_name : NULL);
	json_put_bool(object, "remote", source_remote(word->source));
	for (i = 0; i < FLAGS_NR; i++)
		if (word->flags & flags[i].bit)
			json_append_text(names, flags[i].name);
	json_put(object, "flags", names);
	return object;
}

struct json_object *words_json(const struct snapshot *snap)
{
	struct json_object *document = quality_document("words", snap), *words = json_list();
	struct word_table table;
	size_t i;

	table_init(&table, snap);
	json_put(document, "cores", cores_json(snap));
	for (i = 0; i < snap->nr_sources; i++)
		json_append(words, word_json(&table, i));
	json_put(document, "words", words);
	return document;
}
