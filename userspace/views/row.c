// SPDX-License-Identifier: GPL-2.0
#include "row.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../analysis/line.h"
#include "../analysis/verdict.h"
#include "../profile/history.h"
#include "../profile/snapshot.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/out.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define SOURCES_SHOWN	3
#define MASK_CPUS	64	/* bits of a mask of CPUs, of which each stands for n, n + 64, ... */
/* A row that costs less, and of which surely no more than this was sampled, may be folded. */
#define LITTLE_PERCENT	1
#define LITTLE_PER_MILLE 1
#define LITTLE_SAMPLES	2	/* by chance, whatever they weigh */
#define SOURCE_PERCENT	3	/* of the loads; smaller shares are not shown */

#define SUMS(rec, ...) (struct sums){ \
	.nr = 1, .samples = (rec)->samples, .stores = (rec)->stores, .weight = (rec)->weight, \
	.latency_sum = (rec)->latency_sum, .cost = (rec)->cost, .cpus = (rec)->cpus, \
	.nodes = (rec)->nodes, __VA_ARGS__ }
#define MORE(rec, local, remote) \
	.store_l1_hit = (rec)->store_l1_hit, .latency_max = (rec)->latency_max, \
	.hitm = (local) + (remote), .hitm_remote = (remote), .fwd = (rec)->xsnp_fwd
#define OF_SOURCES(rec) \
	MORE(rec, (rec)->source[MEMLAT_SRC_L3_HITM], (rec)->source[MEMLAT_SRC_RHITM])

struct sums sums_of_thread(const struct memlat_rec_thread *thread)
{
	return SUMS(thread, .hitm = thread->hitm);
}

struct sums sums_of_line(const struct memlat_rec_line *line)
{
	return SUMS(line, OF_SOURCES(line));
}

struct sums sums_of_site(const struct memlat_rec_site *site)
{
	return SUMS(site, OF_SOURCES(site));
}

struct sums sums_of_access(const struct memlat_rec_access *access)
{
	struct sums sums = SUMS(access, MORE(access, access->hitm_local, access->hitm_remote));

	sums.stores = access_stores(access);
	return sums;
}

void sums_add(struct sums *to, const struct sums *from)
{
	to->nr += from->nr;
	to->samples += from->samples;
	to->stores += from->stores;
	to->store_l1_hit += from->store_l1_hit;
	to->hitm += from->hitm;
	to->hitm_remote += from->hitm_remote;
	to->fwd += from->fwd;
	to->latency_sum += from->latency_sum;
	if (from->latency_max > to->latency_max)
		to->latency_max = from->latency_max;
	to->weight += from->weight;
	to->cost += from->cost;
	to->cpus |= from->cpus;
	to->nodes |= from->nodes;
}

int sums_order(const struct sums *a, const struct sums *b)
{
	return share_order((double)a->cost, sums_loads(a), (double)b->cost, sums_loads(b)) ?:
	       order(b->samples, a->samples);
}

void key_number(__u64 *key, __u64 number)
{
	*key = XXH3_64bits_withSeed(&number, sizeof(number), *key);
}

void key_text(__u64 *key, const char *text)
{
	*key = text ? XXH3_64bits_withSeed(text, strlen(text), *key) : *key + 1;
}

void *pivot_row(struct pivot *pivot, __u64 key)
{
	const struct name_cache_key at = { .address = key };
	uintptr_t number = (uintptr_t)name_cache_find(&pivot->known, at);

	if (!number) {
		number = ++pivot->nr;
		pivot->rows = xgrow(pivot->rows, number, &pivot->room, pivot->row);
		memset(pivot->rows + (number - 1) * pivot->row, 0, pivot->row);
		name_cache_keep(&pivot->known, at, (const void *)number);
	}
	return pivot->rows + (number - 1) * pivot->row;
}

void *pivot_end(struct pivot *pivot, int (*compare)(const void *a, const void *b), size_t *nr)
{
	__u64 before = 0;
	size_t i;

	name_cache_free(&pivot->known);
	if (compare)
		order_rows(pivot->rows, pivot->nr, pivot->row, compare);
	for (i = 0; i < pivot->nr; i++) {
		struct sums *sums = (void *)(pivot->rows + i * pivot->row);

		sums->cost_before = before;
		before += sums->cost;
	}
	*nr = pivot->nr;
	return pivot->rows;
}

struct cell row_process_cell(struct cell_room *room, const char comm[MEMLAT_COMM_BYTES],
			     __u32 space, __u32 others)
{
	if (!space)
		return cell_text("kernel");
	/* The stream may hold a name that is not terminated. */
	return cell_say(room, "%.*s:%u%s", MEMLAT_COMM_BYTES, comm, space,
			others ? " and others" : "");
}

char *row_sources(const __u64 source[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR])
{
	__u64 total = source_total(source), column[COLUMN_NR];
	char text[SOURCES_SHOWN * 24] = "";
	size_t used = 0;
	unsigned int i, j;

	source_fold(source, part, column);
	for (i = 0; i < SOURCES_SHOWN; i++) {
		unsigned int most = 0;

		for (j = 1; j < COLUMN_NR; j++)
			if (column[j] > column[most])
				most = j;
		if (!column[most] || (double)column[most] <
				     (double)total / 100 * SOURCE_PERCENT)
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s %.0f%%", used ? ", " : "",
					 level_column_name(most),
					 100.0 * (double)column[most] / (double)total);
		column[most] = 0;
	}
	return xstrdup(used ? text : "-");
}

void row_whole_take(struct row_whole *whole, const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	size_t i;

	memset(whole, 0, sizeof(*whole));
	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];

		share_add(&whole->cost, (double)access->cost,
			  access->samples - access_stores(access));
	}
	share_complete(&whole->cost, (double)snapshot_cost(snap), status->loads);
	whole->samples = share_row((double)status->samples, status->samples);
}

struct cell row_part_cell(const struct share *whole, const struct share *part)
{
	struct cell cell = cell_ratio(CELL_SHARE, number_whole(part->weight), number_whole(whole->weight));
	const double share = part->weight / whole->weight;
	const struct share_interval at = share_interval(part, whole);

	cell.bounded = whole->weight > 0;
	cell.low = at.low;
	cell.high = at.high;
	if (cell.bounded && part->samples && part->samples < ROW_FEW)
		cell.error = 100 * fmax(at.high - share, share - at.low);
	return cell;
}

struct cell row_cost_cell(const struct row_whole *whole, __u64 cost, __u64 loads)
{
	struct share part = share_row((double)cost, loads);

	part.weight = (double)cost;
	return row_part_cell(&whole->cost, &part);
}

char *row_cost_text(const struct row_whole *whole, __u64 cost, __u64 loads)
{
	const struct cell cell = row_cost_cell(whole, cost, loads);

	return report_cell_text(&cell);
}

void row_put_cost(struct json_object *object, const struct row_whole *whole, __u64 cost,
		  __u64 loads)
{
	const struct cell cell = row_cost_cell(whole, cost, loads);

	report_put_cell(object, "cost", &cell);
	report_put_ends(object, "cost", &cell);
}

static bool is_next_to_nothing(struct share part, const struct share *whole)
{
	return !(whole->weight > 0) ||
	       (part.weight * 100 < whole->weight * LITTLE_PERCENT &&
		(part.samples <= LITTLE_SAMPLES ||
		 share_interval(&part, whole).low * 1000 < LITTLE_PER_MILLE));
}

bool row_is_little(const struct row_whole *whole, const struct sums *sums, bool few)
{
	if (few)
		return (double)sums->cost * 100 < whole->cost.weight * LITTLE_PERCENT;
	return is_next_to_nothing(share_row((double)sums->cost, sums_loads(sums)), &whole->cost) &&
	       is_next_to_nothing(share_row((double)sums->samples, sums->samples), &whole->samples);
}

bool row_line_is_little(const struct row_whole *whole, const struct memlat_rec_line *line)
{
	const struct sums sums = sums_of_line(line);

	return row_is_little(whole, &sums, line->samples < VERDICT_LEAST);
}

char *row_cpus_remark(const struct profile *profile)
{
	const unsigned int online = profile->snap.head.status.cpus_online;
	size_t i, last = 0;	/* the highest number; an offline CPU has no socket */

	for (i = 0; i < profile->machine.nr_cpus; i++)
		if (profile->machine.cpu_socket[i] >= 0)
			last = i;
	if (online > MASK_CPUS)
		return xasprintf("(of %u CPUs the numbers are known modulo %d only: CPU 3 may also be %d)",
				 online, MASK_CPUS, MASK_CPUS + 3);
	if (last < MASK_CPUS)
		return NULL;
	return xasprintf("(numbers of CPUs are known modulo %d only: CPU %zu is called %zu here)",
			 MASK_CPUS, last, last % MASK_CPUS);
}

void row_print_cpus(FILE *out, const struct profile *profile)
{
	char *remark = row_cpus_remark(profile);

	if (remark)
		text_remark(out, out_width(), "%s", remark);
	free(remark);
}

const char *where_call(const char *function)
{
	/* Behind a name of two times it would seem to belong to the earlier one. */
	return strchr(function, '(') || strstr(function, HISTORY_EARLIER) ? "" : "()";
}

const char *where_inlined(const struct code_name *name)
{
	const char *outer = name->nr_frames > 1 ? name->frames[name->nr_frames - 1].function : NULL;

	return outer && order_text(outer, name->function) ? outer : NULL;
}

struct cell where_function(struct cell_room *room, const struct code_name *name)
{
	const char *outer = where_inlined(name);

	if (!name->function)
		return cell_text(name->module ? "(no symbol)" : "(unknown)");
	return outer ? cell_say(room, "%s [inlined in %s]", name->function, outer) :
		       cell_text(name->function);
}

struct cell where_offset(struct cell_room *room, const struct code_name *name)
{
	const char *symbol = where_inlined(name);

	/* The offset counts from the enclosing symbol, so show that symbol's name. */
	if (!symbol && (name->nr_frames <= 1 || !name->raw))
		symbol = name->function;
	if (!symbol)
		symbol = name->raw;
	if (symbol)
		return cell_say(room, "%s+0x%llx", symbol, name->offset);
	return name->module ? cell_say(room, "%s+0x%llx", name->module,
				       name->module_offset) : cell_none();
}

struct cell where_line(struct cell_room *room, const char *file, unsigned int line)
{
	if (!file)
		return cell_none();
	return line ? cell_say(room, "%s:%u", text_last_part(file), line) :
		      cell_text(text_last_part(file));
}

char *where_data(const struct data_name *data)
{
	const struct code_name *site = data->site;

	if (site && site->function && site->file && site->line)
		return xasprintf("allocated in %s%s, %s:%u", site->function,
				 where_call(site->function), text_last_part(site->file), site->line);
	if (site && site->function)
		return xasprintf("allocated in %s%s", site->function, where_call(site->function));
	if (data->file && data->line)
		return xasprintf("%s:%u", text_last_part(data->file), data->line);
	return data->file ? xstrdup(text_last_part(data->file)) : NULL;
}
