// SPDX-License-Identifier: GPL-2.0
#include "fleet.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../analysis/line.h"
#include "../profile/history.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/out.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"
#include "row.h"

#define PER_MILLION	1000000.0

const char *fleet_by_name(enum fleet_by by)
{
	static const char *const names[FLEET_BYS] = {
		[FLEET_BY_TYPE] = "type",
		[FLEET_BY_VARIABLE] = "variable",
		[FLEET_BY_FIELD] = "field",
		[FLEET_BY_FUNCTION] = "function",
	};

	return names[by];
}

void fleet_begin(struct fleet *fleet, enum fleet_by by)
{
	memset(fleet, 0, sizeof(*fleet));
	fleet->by = by;
}

void fleet_free(struct fleet *fleet)
{
	free(fleet->rows);
	free(fleet->shown.text);
	pool_free(&fleet->pool);
	memset(fleet, 0, sizeof(*fleet));
}

/* Sort by name, without regard to the build of the program. */
static int by_name(const struct fleet_row *a, const struct fleet_row *b)
{
	return order_text(a->name, b->name) ?: order_text(a->field, b->field) ?:
	       order_text(a->module, b->module);
}

COMPARE(by_build, struct fleet_row,
	by_name(a, b) ?: order(a->build, b->build) ?: order(a->profile, b->profile))

COMPARE(by_profile, struct fleet_row, by_name(a, b) ?: order(a->profile, b->profile))

/* Sort by what a row costs at least. */
COMPARE(by_cost, struct fleet_row,
	share_order(a->waited.weight, a->waited.samples, b->waited.weight, b->waited.samples) ?:
	order(b->samples, a->samples) ?: by_name(a, b))

static void sum_row(struct fleet_row *into, const struct fleet_row *row)
{
	into->samples += row->samples;
	into->hitm += row->hitm;
	into->cost += row->cost;
	share_join(&into->waited, &row->waited);
}

/* The build id's hash of the program or library that contains the code. */
static __u64 build_of(const struct profile *profile, __u32 pid, __u32 gen, __u64 ip)
{
	const struct history_image *image;
	const struct history_map *map;

	if (kernel_address(ip))
		return 0;
	image = history_find(profile->history, pid, gen);
	map = image ? history_map_at(image, ip) : NULL;
	return map && map->build_id_size ? XXH3_64bits(map->build_id, map->build_id_size) : 0;
}

/* Name data without pids and addresses, which differ from machine to machine. */
static void name_data(struct fleet *fleet, const struct data_name *data, struct fleet_row *row)
{
	row->module = data->module;
	if (fleet->by == FLEET_BY_TYPE) {
		row->name = data->type;
		return;
	}
	row->name = data->kind == DATA_STACK ? "[stack]" :
		    data->kind == DATA_HEAP && data->how == DATA_NOTED && data->type ? data->type :
		    data->name;
	if (fleet->by != FLEET_BY_FIELD)
		return;
	row->field = data->field ? text_without_indices(pool_text(&fleet->pool, data->field)) : NULL;
	/* The field of a typed object is named by the type. */
	if (data->type && data->field)
		row->name = data->type;
}

static struct fleet_row *accesses(struct fleet *fleet, const struct profile *profile,
				  struct namer *namer, size_t *nr)
{
	const struct snapshot *snap = &profile->snap;
	struct fleet_row *rows = xcalloc(snap->nr_accesses, sizeof(*rows));

	for (*nr = 0; *nr < snap->nr_accesses; (*nr)++) {
		const struct memlat_rec_access *access = &snap->accesses[*nr];
		struct fleet_row *row = &rows[*nr];

		row->samples = access->samples;
		row->hitm = sums_of_access(access).hitm;
		row->cost = access->cost;
		row->waited = share_row((double)access->cost, access->samples - access_stores(access));
		row->build = build_of(profile, access->tgid, access->gen, access->ip);
		name_data(fleet, namer_access(namer, access), row);
	}
	return rows;
}

static struct fleet_row *sites(const struct profile *profile, struct namer *namer, size_t *nr)
{
	const struct snapshot *snap = &profile->snap;
	struct fleet_row *rows = xcalloc(snap->nr_sites, sizeof(*rows));

	for (*nr = 0; *nr < snap->nr_sites; (*nr)++) {
		const struct memlat_rec_site *site = &snap->sites[*nr];
		const struct code_name *code = namer_sampled(namer, site->space, site->gen,
							     site->ip);
		struct fleet_row *row = &rows[*nr];

		row->name = code->function;
		row->module = code->module;
		row->samples = site->samples;
		row->hitm = site_hitm(site);
		row->cost = site->cost;
		row->waited = share_row((double)site->cost, site_loads(site));
		row->build = build_of(profile, site->space, site->gen, site->ip);
	}
	return rows;
}

static const char *kept(struct fleet *fleet, const char *text)
{
	return text ? pool_text(&fleet->pool, text) : NULL;
}

/* The namer ends with its profile, so copy the names of the rows that are kept. */
static void merge_builds(struct fleet *fleet, struct fleet_row *rows, size_t nr, __u64 whole)
{
	const size_t first = fleet->nr;
	struct fleet_row *last = NULL;
	size_t i;

	SORT(rows, nr, by_build);
	for (i = 0; i < nr; i++) {
		if (last && !by_build(&rows[i - 1], &rows[i])) {
			sum_row(last, &rows[i]);
			continue;
		}
		ARRAY_GROW(fleet->rows, fleet->nr + 1, fleet->room);
		last = &fleet->rows[fleet->nr++];
		*last = rows[i];
		last->name = kept(fleet, last->name);
		last->field = kept(fleet, last->field);
		last->module = kept(fleet, last->module);
		last->profile = fleet->nr_profiles;
	}
	for (i = first; i < fleet->nr; i++)
		fleet->rows[i].share = whole ? (double)fleet->rows[i].cost / (double)whole : 0;
}

/* Many profiles lack the same names. Keep such notes once. */
static void take_notes(struct fleet *fleet, struct namer *namer)
{
	char *notes = XPRINTED(out, namer_print_notes(namer, out));
	size_t i;

	for (i = 0; i < fleet->nr_notes && i < FLEET_NOTES; i++)
		if (!strcmp(fleet->notes[i], notes))
			break;
	if (*notes && i == fleet->nr_notes && i < FLEET_NOTES)
		fleet->notes[i] = pool_text(&fleet->pool, notes);
	if (*notes && (i == fleet->nr_notes || i == FLEET_NOTES))
		fleet->nr_notes++;
	free(notes);
}

void fleet_add(struct fleet *fleet, const struct profile *profile, struct namer *namer)
{
	const __u64 whole = snapshot_cost(&profile->snap);
	struct share waited = { 0 };
	struct fleet_row *rows;
	__u64 told = 0;
	size_t nr, i;

	rows = fleet->by == FLEET_BY_FUNCTION ? sites(profile, namer, &nr) :
						accesses(fleet, profile, namer, &nr);
	for (i = 0; i < nr; i++) {
		told += rows[i].cost;
		share_join(&waited, &rows[i].waited);
	}
	share_complete(&waited, (double)whole, profile->snap.head.status.loads);
	share_join(&fleet->waited, &waited);
	merge_builds(fleet, rows, nr, whole);
	free(rows);
	fleet->samples += profile->snap.head.status.samples;
	fleet->hitm += source_hitm(profile->snap.buckets.count);
	fleet->cost += whole;
	fleet->evicted += whole > told ? whole - told : 0;
	fleet->nr_measured += whole != 0;
	fleet->nr_profiles++;
	take_notes(fleet, namer);
}

/*
 * Count the builds of each name. This is a separate pass, because it needs the rows sorted by
 * build.
 */
static void count_builds(struct fleet *fleet)
{
	size_t i, first = 0;

	SORT(fleet->rows, fleet->nr, by_build);
	for (i = 0; i < fleet->nr; i++) {
		if (!i || by_name(&fleet->rows[i - 1], &fleet->rows[i]))
			first = i;
		if (fleet->rows[i].build &&
		    (i == first || fleet->rows[i].build != fleet->rows[i - 1].build))
			fleet->rows[first].nr_builds++;
	}
}

static void fold(struct fleet *fleet)
{
	struct fleet_row *into = NULL;
	double share = 0;
	size_t i, kept_rows = 0, last_profile = 0;

	SORT(fleet->rows, fleet->nr, by_profile);
	for (i = 0; i < fleet->nr; i++) {
		const struct fleet_row row = fleet->rows[i];

		if (!into || by_name(into, &row)) {
			into = &fleet->rows[kept_rows++];
			*into = row;
			into->nr_profiles = 1;
			share = row.share;
		} else {
			sum_row(into, &row);
			into->nr_builds += row.nr_builds;
			into->share += row.share;
			into->nr_profiles += row.profile != last_profile;
			share = row.profile == last_profile ? share + row.share : row.share;
		}
		last_profile = row.profile;
		if (share > into->most)
			into->most = share;
	}
	fleet->nr = kept_rows;
}

void fleet_end_adding(struct fleet *fleet)
{
	count_builds(fleet);
	fold(fleet);
	SORT(fleet->rows, fleet->nr, by_cost);
}

/* A real share as a cell has it. */
static struct cell share(double of, size_t nr)
{
	return nr ? cell_ratio(CELL_SHARE, number_whole(of / (double)nr * PER_MILLION + 0.5),
			       (__u64)PER_MILLION) : cell_none();
}

/* "struct stats.per_cpu[].hits"; for code or data without a name, whose it is. */
static struct cell shown_name(const struct fleet *fleet, const struct fleet_row *row)
{
	if (row->name && row->field)
		return cell_say((struct cell_room *)(uintptr_t)&fleet->shown, "%s%s", row->name, row->field);
	if (row->name)
		return cell_text(row->name);
	return cell_text(fleet->by == FLEET_BY_FUNCTION && row->module ? "(no symbol)" :
			 "(not known)");
}

#define CELL(name, ...)	REPORT_CELL(name, struct fleet, __VA_ARGS__)

CELL(cost, row_part_cell(&of->waited, &of->rows[at].waited))
/* Each profile has the same weight, however long it was recorded. */
CELL(mean, share(of->rows[at].share, of->nr_measured))
CELL(most, share(of->rows[at].most, of->nr_measured ? 1 : 0))
CELL(name, shown_name(of, &of->rows[at]))

#define COUNT(member)	REPORT_NUMBER(CELL_COUNT, struct fleet_row, member)
#define WORDS(member)	REPORT_WORDS(struct fleet_row, member)

static const struct report_column columns[] = {
	{ .figure = F_COST, .keep = true, .get = cost, .bounded = true },
	{ .key = "cost_mean", .title = "% mean", .get = mean },
	{ .key = "cost_most", .title = "% most", .get = most },
	{ .key = "profiles", .title = "profiles", COUNT(nr_profiles) },
	{ .key = "builds", .title = "builds", COUNT(nr_builds), .known = true },
	{ .figure = F_HITM, COUNT(hitm) },
	{ .figure = F_SAMPLES, COUNT(samples) },
	{ .title = "name", .left = true, .keep = true, .get = name },
	{ .figure = F_MODULE, WORDS(module) },
	{ .key = "name", WORDS(name) },
	{ .figure = F_DATA_FIELD, WORDS(field) },
	{ .figure = F_COST_CYCLES, COUNT(cost) },
};

static void rows_table(struct report_table *table, const struct fleet *fleet, size_t show)
{
	const size_t nr = report_limit(show, fleet->nr);

	report_table_begin(table, fleet, "rows", NULL, nr, nr);
	table->report.rows = fleet->rows;
	report_table_take(table, columns, sizeof(columns) / sizeof(columns[0]));
}

void fleet_print(FILE *out, const struct fleet *fleet, size_t show, size_t width)
{
	struct report_table table;
	char count[TEXT_NUMBER_MAX], part[TEXT_NUMBER_MAX];
	size_t i;

	fprintf(out, "%zu profiles, %s samples, by %s\n\n", fleet->nr_profiles,
		text_count(count, fleet->samples), fleet_by_name(fleet->by));
	rows_table(&table, fleet, show);
	report_print(out, &table.report, width);
	if (table.report.nr_rows < fleet->nr)
		text_remark(out, width, "(the first %zu of %zu; -n 0 shows all)", table.report.nr_rows,
			    fleet->nr);
	if (fleet->evicted)
		text_remark(out, width, "(%s of sampled latency is of rows that were evicted)",
			    text_share(part, fleet->evicted, fleet->cost, 1));
	for (i = 0; i < fleet->nr_notes && i < FLEET_NOTES; i++)
		fputs(fleet->notes[i], out);
	if (fleet->nr_notes > FLEET_NOTES)
		fprintf(out, "(%zu more profiles lack names)\n", fleet->nr_notes - FLEET_NOTES);
}

void fleet_csv(FILE *out, const struct fleet *fleet, size_t show)
{
	struct report_table table;

	rows_table(&table, fleet, show);
	report_csv(out, &table.report);
}

struct json_object *fleet_json(const struct fleet *fleet, size_t show)
{
	struct report_table table;
	struct json_object *document = json_view("fleet");

	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "by", fleet_by_name(fleet->by));
	json_put_count(document, "profiles", fleet->nr_profiles);
	json_put_count(document, "samples", fleet->samples);
	json_put_count(document, "hitm", fleet->hitm);
	json_put_count(document, "cost_cycles", fleet->cost);
	json_put_count(document, "cost_cycles_evicted", fleet->evicted);
	json_put_count(document, "rows_total", fleet->nr);
	rows_table(&table, fleet, show);
	json_put_count(document, "rows_shown", table.report.nr_rows);
	json_put(document, table.report.key, report_json(&table.report));
	return document;
}
