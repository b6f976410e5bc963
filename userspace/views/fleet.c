// SPDX-License-Identifier: GPL-2.0
#include "fleet.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../analysis/line.h"
#include "../profile/history.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"

#define PER_MILLION	1000000.0

const char *const fleet_by_names[FLEET_BYS] = {
	[FLEET_BY_TYPE] = "type", [FLEET_BY_VARIABLE] = "variable", [FLEET_BY_FIELD] = "field",
	[FLEET_BY_FUNCTION] = "function",
};

void fleet_begin(struct fleet *fleet, enum fleet_by by)
{
	*fleet = (struct fleet){ .by = by, .pivot = PIVOT(struct fleet_row) };
}

void fleet_free(struct fleet *fleet)
{
	free(fleet->pivot.rows);
	name_cache_free(&fleet->builds);
	name_cache_free(&fleet->pivot.known);
	free(fleet->shown.text);
	pool_free(&fleet->pool);
	memset(fleet, 0, sizeof(*fleet));
}

/* Sort by what a row costs at least. */
COMPARE(by_cost, struct fleet_row,
	share_order(a->waited.weight, a->waited.samples, b->waited.weight, b->waited.samples) ?:
	order(b->sum.samples, a->sum.samples) ?: order_text(a->name, b->name) ?:
	order_text(a->field, b->field) ?: order_text(a->module, b->module))

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

static const char *kept(struct fleet *fleet, const char *text)
{
	return text ? pool_text(&fleet->pool, text) : NULL;
}

/* What is added up of the profile that is added. */
struct added {
	struct share waited;
	__u64 cost;
};

static void add_record(struct fleet *fleet, struct added *added, const struct fleet_row *named,
		       const struct sums *sums, __u64 build)
{
	const size_t profile = fleet->nr_profiles + 1;
	__u64 key = 0;
	struct fleet_row *row;

	key_text(&key, named->name);
	key_text(&key, named->field);
	key_text(&key, named->module);
	row = pivot_row(&fleet->pivot, key);
	/* The namer ends with its profile. */
	if (!row->sum.nr) {
		row->name = kept(fleet, named->name);
		row->field = kept(fleet, named->field);
		row->module = kept(fleet, named->module);
	}
	key_number(&key, build);
	if (build && !name_cache_find(&fleet->builds, (struct name_cache_key){ .address = key })) {
		name_cache_keep(&fleet->builds, (struct name_cache_key){ .address = key }, fleet);
		row->nr_builds++;
	}
	if (row->last != profile) {
		row->last = profile;
		row->last_cost = 0;
		row->nr_profiles++;
	}
	row->last_cost += sums->cost;
	sums_add(&row->sum, sums);
	share_add(&row->waited, (double)sums->cost, sums_loads(sums));
	share_add(&added->waited, (double)sums->cost, sums_loads(sums));
	added->cost += sums->cost;
}

static void add_accesses(struct fleet *fleet, struct added *added, const struct profile *profile,
			 struct namer *namer)
{
	size_t i;

	for (i = 0; i < profile->snap.nr_accesses; i++) {
		const struct memlat_rec_access *access = &profile->snap.accesses[i];
		const struct sums sums = sums_of_access(access);
		struct fleet_row row = { 0 };

		name_data(fleet, namer_access(namer, access), &row);
		add_record(fleet, added, &row, &sums,
			   build_of(profile, access->tgid, access->gen, access->ip));
	}
}

static void add_sites(struct fleet *fleet, struct added *added, const struct profile *profile,
		      struct namer *namer)
{
	size_t i;

	for (i = 0; i < profile->snap.nr_sites; i++) {
		const struct memlat_rec_site *site = &profile->snap.sites[i];
		const struct sums sums = sums_of_site(site);
		const struct code_name *code = namer_sampled(namer, site->space, site->gen, site->ip);
		const struct fleet_row row = { .name = code->function, .module = code->module };

		add_record(fleet, added, &row, &sums,
			   build_of(profile, site->space, site->gen, site->ip));
	}
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
	struct added added = { .cost = 0 };
	struct fleet_row *rows;
	size_t i;

	(fleet->by == FLEET_BY_FUNCTION ? add_sites : add_accesses)(fleet, &added, profile, namer);
	share_complete(&added.waited, (double)whole, profile->snap.head.status.loads);
	share_join(&fleet->waited, &added.waited);
	fleet->samples += profile->snap.head.status.samples;
	fleet->hitm += source_hitm(profile->snap.buckets.count);
	fleet->cost += whole;
	fleet->evicted += whole > added.cost ? whole - added.cost : 0;
	fleet->nr_measured += whole != 0;
	fleet->nr_profiles++;
	rows = (void *)fleet->pivot.rows;
	for (i = 0; whole && i < fleet->pivot.nr; i++)
		if (rows[i].last == fleet->nr_profiles) {
			const double part = (double)rows[i].last_cost / (double)whole;

			rows[i].share += part;
			rows[i].most = fmax(rows[i].most, part);
		}
	take_notes(fleet, namer);
}

void fleet_end_adding(struct fleet *fleet)
{
	name_cache_free(&fleet->builds);
	fleet->rows = pivot_end(&fleet->pivot, by_cost, &fleet->nr);
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
	{ .figure = F_HITM, COUNT(sum.hitm) },
	{ .figure = F_SAMPLES, COUNT(sum.samples) },
	{ .title = "name", .left = true, .keep = true, .get = name },
	{ .figure = F_MODULE, WORDS(module) },
	{ .key = "name", WORDS(name) },
	{ .figure = F_DATA_FIELD, WORDS(field) },
	{ .figure = F_COST_CYCLES, COUNT(sum.cost) },
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
		text_count(count, fleet->samples), fleet_by_names[fleet->by]);
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
	json_put_text(document, "by", fleet_by_names[fleet->by]);
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
